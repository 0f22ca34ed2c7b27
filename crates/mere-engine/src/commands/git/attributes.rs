//! The lines in `.gitattributes` that make git keep the bytes of items, including line ends, and
//! merge what cannot be merged line by line. Without the first, git could break signatures.

use mere_core::address::Root;

use crate::commands::CommandCall;
use crate::items::ItemCall;
use crate::space::git_attributes;
use mere_host::{MERGE_DRIVER, SPACE_FOLDER};

/// Returns the lines that keep git from changing bytes: one for each folder that contains items.
pub(in crate::commands) fn byte_lines(call: &ItemCall<'_>) -> Vec<String> {
    git_attributes::byte_lines(call.items.sources.in_place_folders())
}

/// Keeps git from changing bytes. Returns whether a line was missing.
pub(in crate::commands) fn keep_bytes(call: &ItemCall<'_>) -> std::io::Result<bool> {
    write_missing_lines(call, &byte_lines(call))
}

/// Returns those of the lines that `.gitattributes` does not have yet.
pub(in crate::commands) fn missing_lines(
    call: &ItemCall<'_>,
    lines: &[String],
) -> std::io::Result<Vec<String>> {
    git_attributes::missing_lines(call.context, lines)
}

/// Adds those of the lines that are missing, and returns whether there were any.
pub(in crate::commands) fn write_missing_lines(
    call: &ItemCall<'_>,
    lines: &[String],
) -> std::io::Result<bool> {
    git_attributes::write_missing_lines(call.context, lines, call.is_cancelled)
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
