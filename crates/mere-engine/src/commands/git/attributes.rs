//! The lines in `.gitattributes` that make git keep the bytes of items, including line ends, and
//! merge what cannot be merged line by line. Without the first, git could break signatures.

use mere_core::address::Root;

use crate::commands::CommandCall;
use crate::commands::init::with_line_end;
use crate::items::ItemCall;
use mere_host::{
    FolderWriter, MERGE_DRIVER, SPACE_FOLDER, WritePrecondition, open_regular_file, read_at_most,
};

const ATTRIBUTES_FILE: &str = ".gitattributes";
/// The largest `.gitattributes` that is read.
const MAX_BYTES: u64 = 1024 * 1024;

/// Returns the lines that keep git from changing bytes: one for each folder that contains items.
pub(in crate::commands) fn byte_lines(call: &ItemCall<'_>) -> Vec<String> {
    let in_place = call.items.sources.in_place_folders();
    let folders = [SPACE_FOLDER.to_owned()].into_iter().chain(in_place);
    folders.map(|folder| format!("{folder}/** -text")).collect()
}

/// Keeps git from changing bytes. Returns whether a line was missing.
pub(in crate::commands) fn keep_bytes(call: &ItemCall<'_>) -> std::io::Result<bool> {
    write_missing_lines(call, &byte_lines(call))
}

/// Returns the lines that say how signatures, lockfiles and memories are merged. Two rosters exclude
/// each other, so git keeps one of them whole and reports a conflict.
pub(in crate::commands) fn merge_lines(call: &CommandCall<'_>) -> Vec<String> {
    let merged = |pattern: String| format!("{pattern} merge={MERGE_DRIVER}");
    let mut lines = vec![
        merged(format!("{SPACE_FOLDER}/**/*.sig")),
        merged(format!("{SPACE_FOLDER}/lockfiles/**")),
        merged(format!("{SPACE_FOLDER}/memory/**")),
    ];
    let in_place = call.items.sources.in_place_folders();
    lines.extend(in_place.into_iter().map(|folder| merged(format!("{folder}/**/.sig"))));
    let stores = call.store_call.stores.all().iter().map(|store| &store.address);
    let stores = stores.filter(|address| *address.root() == Root::Project);
    let stores = stores.map(|address| merged(format!("{}/**", address.path())));
    lines.extend(stores.filter(|line| is_plain(line)));
    lines.extend(["", ".sig"].map(|end| format!("{SPACE_FOLDER}/signers.json{end} -merge")));
    let mut seen = Vec::new();
    lines.retain(|line| {
        let is_new = !seen.contains(line);
        seen.push(line.clone());
        is_new
    });
    lines
}

/// Returns whether git reads the pattern of a line as it is written: a blank would end it, and some
/// characters match others.
fn is_plain(line: &str) -> bool {
    let pattern = line.rsplit_once("/** ").map_or(line, |(pattern, _)| pattern);
    !pattern.contains([' ', '\t', '"', '\\', '*', '?', '[', '#', '!'])
}

/// Returns those of the lines that `.gitattributes` does not have yet.
pub(in crate::commands) fn missing_lines(
    call: &ItemCall<'_>,
    lines: &[String],
) -> std::io::Result<Vec<String>> {
    let file = open_regular_file(call.context.project()?.dir(), ATTRIBUTES_FILE)?;
    let text = file.map(|file| read_at_most(file, MAX_BYTES)).transpose()?.flatten();
    let text = text.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
    Ok(lines_missing_from(&text, lines))
}

fn lines_missing_from(text: &str, lines: &[String]) -> Vec<String> {
    lines.iter().filter(|line| !text.lines().any(|one| one == line.as_str())).cloned().collect()
}

/// Adds those of the lines that are missing, and returns whether there were any. A file that cannot
/// be read as text belongs to somebody else and is left alone.
pub(in crate::commands) fn write_missing_lines(
    call: &ItemCall<'_>,
    lines: &[String],
) -> std::io::Result<bool> {
    let editing = FolderWriter::open(call.context.project()?.dir(), call.is_cancelled)?;
    let editing = editing.ok_or(std::io::ErrorKind::TimedOut)?;
    let path = ATTRIBUTES_FILE.parse().map_err(|_| std::io::ErrorKind::InvalidInput)?;
    let old = match editing.open_file(&path)? {
        Some(file) => read_at_most(file, MAX_BYTES)?.and_then(|old| String::from_utf8(old).ok()),
        None if editing.has_path(&path)? => return Ok(false),
        None => Some(String::new()),
    };
    let Some(old) = old else { return Ok(false) };
    let new = lines_missing_from(&old, lines);
    if new.is_empty() {
        return Ok(false);
    }
    let text = with_line_end(old) + &new.join("\n") + "\n";
    editing.put(&path, text.as_bytes(), WritePrecondition::Any)
}
