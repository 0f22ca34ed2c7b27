//! The person's own editor, on one file.

use std::io;
use std::process::Command;

use mere_core::address::RelPath;

use super::Folder;

/// Opens a file of a folder in `VISUAL` or `EDITOR`, and waits until it is closed. These are the
/// person's own words for their editor, arguments and all, so a shell reads them.
pub fn edit_file(folder: &Folder, path: &RelPath) -> io::Result<bool> {
    let said = |name| std::env::var(name).ok().filter(|value| !value.trim().is_empty());
    let editor = said("VISUAL").or_else(|| said("EDITOR")).unwrap_or_else(|| "vi".to_owned());
    let file = path.names().fold(folder.path().to_owned(), |path, name| path.join(name));
    let mut command = Command::new("sh");
    command.arg("-c").arg(format!("{editor} \"$1\"")).arg(editor).arg(file);
    Ok(command.status()?.success())
}
