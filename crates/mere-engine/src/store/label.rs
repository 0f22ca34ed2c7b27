//! `.category.yaml`: what a category says of itself, and why git keeps its folder.

use std::io;

use cap_std::fs::Dir;
use mere_core::category::Description;
use mere_core::yaml::amend;
use serde::Deserialize;
use serde_json::Value;

use crate::config::read_file;

/// The file in the folder of a category.
pub(crate) const CATEGORY_FILE: &str = ".category.yaml";

#[derive(Deserialize)]
struct CategoryFile {
    description: Option<String>,
}

/// The text of the file.
pub(super) fn render(description: &Description) -> String {
    format!("description: {}\n", Value::from(description.as_str()))
}

/// The text of the file with another description: what else it says stays, if that can be done.
pub(super) fn render_update(folder: &Dir, description: &Description) -> String {
    let old = read_file(folder, CATEGORY_FILE).ok().flatten();
    let value = Value::from(description.as_str());
    let amended = old.and_then(|old| amend::set(&old, &["description"], &value).ok());
    amended.unwrap_or_else(|| render(description))
}

/// What a category is for, by the file in its folder. One that nobody can read says nothing.
pub(super) fn read_description(folder: &Dir) -> Description {
    let text = read_file(folder, CATEGORY_FILE).ok().flatten().unwrap_or_default();
    let label = mere_core::yaml::parse::<Option<CategoryFile>>(&text).ok().flatten();
    let said = label.and_then(|label| label.description).unwrap_or_default();
    said.parse().unwrap_or_default()
}

/// Whether the file is there.
pub(super) fn exists(folder: &Dir) -> io::Result<bool> {
    Ok(mere_host::none_if_missing(folder.symlink_metadata(CATEGORY_FILE))?.is_some())
}
