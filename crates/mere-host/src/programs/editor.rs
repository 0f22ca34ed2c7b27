//! Opens a file in the person's own editor.
//!
//! Only people's commands use it, never an agent's call.

use std::io;
use std::process::Command;

use mere_core::address::RelPath;

use crate::Folder;

/// Opens a file of a folder in `VISUAL` or `EDITOR` and waits until the editor exits. Returns
/// whether it succeeded. The variable may contain arguments, so a shell interprets it.
pub fn edit_file(folder: &Folder, path: &RelPath) -> io::Result<bool> {
    let variable = |name| std::env::var(name).ok().filter(|value| !value.trim().is_empty());
    let editor =
        variable("VISUAL").or_else(|| variable("EDITOR")).unwrap_or_else(|| "vi".to_owned());
    let file = path.names().fold(folder.path().to_owned(), |path, name| path.join(name));
    let mut command = Command::new("sh");
    command.arg("-c").arg(format!("{editor} \"$1\"")).arg(editor).arg(file);
    Ok(command.status()?.success())
}
