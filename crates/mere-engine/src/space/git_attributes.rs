//! The lines in `.gitattributes` that a space needs. Those that are there already stay as they are.

use std::io;

use mere_host::{FolderWriter, SPACE_FOLDER, WritePrecondition, open_regular_file, read_at_most};

use crate::world::Context;

/// The file that tells git how to treat files, in the folder of the project.
pub(crate) const ATTRIBUTES_FILE: &str = ".gitattributes";
/// The largest `.gitattributes` that is read.
const MAX_BYTES: u64 = 1024 * 1024;

/// Returns the lines that make git keep the bytes of items, including line ends, without which it
/// could break signatures: one for each folder that contains items.
pub(crate) fn byte_lines(in_place: impl IntoIterator<Item = String>) -> Vec<String> {
    let folders = [SPACE_FOLDER.to_owned()].into_iter().chain(in_place);
    folders.map(|folder| format!("{folder}/** -text")).collect()
}

/// Returns those of the lines that `.gitattributes` does not have yet.
pub(crate) fn missing_lines(context: &Context, lines: &[String]) -> io::Result<Vec<String>> {
    let file = open_regular_file(context.project()?.dir(), ATTRIBUTES_FILE)?;
    let text = file.map(|file| read_at_most(file, MAX_BYTES)).transpose()?.flatten();
    let text = text.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
    Ok(lines_missing_from(&text, lines))
}

/// Adds those of the lines that are missing, and returns whether there were any. A file that cannot
/// be read as text belongs to somebody else and is left alone.
pub(crate) fn write_missing_lines(
    context: &Context,
    lines: &[String],
    is_cancelled: &dyn Fn() -> bool,
) -> io::Result<bool> {
    let editing = FolderWriter::open(context.project()?.dir(), is_cancelled)?;
    let editing = editing.ok_or(io::ErrorKind::TimedOut)?;
    let path = ATTRIBUTES_FILE.parse().map_err(|_| io::ErrorKind::InvalidInput)?;
    let old = match editing.open_file(&path)? {
        Some(file) => read_at_most(file, MAX_BYTES)?.and_then(|old| String::from_utf8(old).ok()),
        None if editing.has_path(&path)? => return Ok(false),
        None => Some(String::new()),
    };
    let Some(text) = old.and_then(|old| with_lines(old, lines)) else { return Ok(false) };
    editing.put(&path, text.as_bytes(), WritePrecondition::Any)
}

/// Adds those of the lines to a text that it lacks. Returns `None` if it has all of them.
pub(crate) fn with_lines(text: String, lines: &[String]) -> Option<String> {
    let missing = lines_missing_from(&text, lines);
    (!missing.is_empty()).then(|| with_line_end(text) + &missing.join("\n") + "\n")
}

fn lines_missing_from(text: &str, lines: &[String]) -> Vec<String> {
    lines.iter().filter(|line| !text.lines().any(|one| one == line.as_str())).cloned().collect()
}

/// Ends the last line of a text.
pub(crate) fn with_line_end(text: String) -> String {
    if text.is_empty() || text.ends_with('\n') { text } else { text + "\n" }
}
