//! The lines in `.gitattributes` that make git keep the bytes of items, including line ends.
//! Without them git could break signatures.

use super::init::with_line_end;
use crate::items::{ItemCall, ItemReader};
use mere_host::{FolderWriter, SPACE_FOLDER, WritePrecondition, open_regular_file, read_at_most};

const ATTRIBUTES_FILE: &str = ".gitattributes";
/// The largest `.gitattributes` that is read.
const MAX_BYTES: u64 = 1024 * 1024;

/// Returns one line for each folder that contains items.
fn required_lines(items: &ItemReader<'_>) -> Vec<String> {
    let folders = [SPACE_FOLDER.to_owned()].into_iter().chain(items.sources.in_place_folders());
    folders.map(|folder| format!("{folder}/** -text")).collect()
}

/// Returns the lines that `.gitattributes` does not have yet.
pub(super) fn missing_lines(call: &ItemCall<'_>) -> std::io::Result<Vec<String>> {
    let file = open_regular_file(call.context.project()?.dir(), ATTRIBUTES_FILE)?;
    let text = file.map(|file| read_at_most(file, MAX_BYTES)).transpose()?.flatten();
    let text = text.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
    Ok(lines_missing_from(&call.items, &text))
}

fn lines_missing_from(items: &ItemReader<'_>, text: &str) -> Vec<String> {
    required_lines(items).into_iter().filter(|line| !text.lines().any(|one| one == line)).collect()
}

/// Adds the missing lines and returns whether there were any. A file that cannot be read as text
/// belongs to somebody else and is left alone.
pub(super) fn write_missing_lines(call: &ItemCall<'_>) -> std::io::Result<bool> {
    let editing = FolderWriter::open(call.context.project()?.dir(), call.is_cancelled)?;
    let editing = editing.ok_or(std::io::ErrorKind::TimedOut)?;
    let path = ATTRIBUTES_FILE.parse().map_err(|_| std::io::ErrorKind::InvalidInput)?;
    let old = match editing.open_file(&path)? {
        Some(file) => read_at_most(file, MAX_BYTES)?.and_then(|old| String::from_utf8(old).ok()),
        None if editing.has_path(&path)? => return Ok(false),
        None => Some(String::new()),
    };
    let Some(old) = old else { return Ok(false) };
    let new = lines_missing_from(&call.items, &old);
    if new.is_empty() {
        return Ok(false);
    }
    let text = with_line_end(old) + &new.join("\n") + "\n";
    editing.put(&path, text.as_bytes(), WritePrecondition::Any)
}
