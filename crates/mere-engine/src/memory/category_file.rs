//! `.category.yaml`: the file that holds the description of a category. It also makes git keep the
//! otherwise empty folder.

use std::io;

use cap_std::fs::Dir;
use mere_core::category::Description;
use mere_core::text::yaml::amend;
use serde::Deserialize;
use serde_json::Value;

use crate::config::read_file;

/// The name of the file in the folder of a category.
pub(crate) const CATEGORY_FILE: &str = ".category.yaml";

#[derive(Deserialize)]
struct CategoryFile {
    description: Option<String>,
}

/// Renders the text of a new file.
pub(super) fn render(description: &Description) -> String {
    format!("description: {}\n", Value::from(description.as_str()))
}

/// Renders the text of an existing file with another description. The rest of the file stays as it
/// is, unless it cannot be edited; then the file is rendered anew.
pub(super) fn render_update(folder: &Dir, description: &Description) -> String {
    let old = read_file(folder, CATEGORY_FILE).ok().flatten();
    let value = Value::from(description.as_str());
    let amended = old.and_then(|old| amend::set(&old, &["description"], &value).ok());
    amended.unwrap_or_else(|| render(description))
}

/// Reads the description of a category from the file in its folder. A file that cannot be read or
/// parsed counts as an empty description.
pub(super) fn read_description(folder: &Dir) -> Description {
    let text = read_file(folder, CATEGORY_FILE).ok().flatten().unwrap_or_default();
    let label = mere_core::text::yaml::parse::<Option<CategoryFile>>(&text).ok().flatten();
    let text = label.and_then(|label| label.description).unwrap_or_default();
    text.parse().unwrap_or_default()
}

/// Returns true if the file exists.
pub(super) fn exists(folder: &Dir) -> io::Result<bool> {
    Ok(mere_host::none_if_missing(folder.symlink_metadata(CATEGORY_FILE))?.is_some())
}
