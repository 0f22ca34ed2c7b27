//! `.category.yaml`: what a category says of itself, and why git keeps its folder.

use std::io;

use cap_std::fs::Dir;
use mere_core::category::Description;
use mere_core::yaml::amend;
use serde::Deserialize;
use serde_json::Value;

use crate::config::read_file;

/// The file in the folder of a category.
pub(crate) const LABEL: &str = ".category.yaml";

#[derive(Deserialize)]
struct Label {
    description: Option<String>,
}

/// The text of the file.
pub(super) fn written(description: &Description) -> String {
    format!("description: {}\n", Value::from(description.as_str()))
}

/// The text of the file with another description: what else it says stays, if that can be done.
pub(super) fn rewritten(folder: &Dir, description: &Description) -> String {
    let old = read_file(folder, LABEL).ok().flatten();
    let value = Value::from(description.as_str());
    let amended = old.and_then(|old| amend::set(&old, &["description"], &value).ok());
    amended.unwrap_or_else(|| written(description))
}

/// What a category is for, by the file in its folder. One that nobody can read says nothing.
pub(super) fn read(folder: &Dir) -> Description {
    let text = read_file(folder, LABEL).ok().flatten().unwrap_or_default();
    let label = mere_core::yaml::parse::<Option<Label>>(&text).ok().flatten();
    let said = label.and_then(|label| label.description).unwrap_or_default();
    said.parse().unwrap_or_default()
}

/// Whether the file is there.
pub(super) fn is_there(folder: &Dir) -> io::Result<bool> {
    Ok(mere_host::none_if_missing(folder.symlink_metadata(LABEL))?.is_some())
}
