//! The `glob` tool: finds files by a pattern for their paths.
//!
//! It matches paths without opening files, and returns one page at a time, ordered by path.

use mere_core::cursor::Cursor;
use mere_core::reply::{Data, Draft, Fields, codes, json_length};
use mere_core::request::Glob;
use mere_core::turn::Turn;

use crate::files::error::FileError;
use crate::files::view::{View, count_phrase, cursor_data, omitted_fields, page_reply};
use crate::world::{PathKind, Position, SweepBounds, Weight};

/// Lists one page of the files that match.
pub(crate) fn glob(view: &View<'_>, call: &Glob, turn: &dyn Turn) -> Result<Draft, FileError> {
    let target = view.resolve_directory(&call.path)?;
    let address = target.address();
    // A cursor belongs to one pattern, so it cannot return a page of another pattern's matches.
    let name = format!("glob {}", call.pattern.as_str());
    let start = call.cursor.as_ref().map(|cursor| {
        let position = cursor.position(&name, address);
        position.and_then(Position::from_text).ok_or(FileError::WrongCursor)
    });
    let start = start.transpose()?;
    let bounds = SweepBounds { depth: usize::MAX, size: call.limit, start: start.as_ref() };
    let mut page = view
        .world
        .glob(&target, &call.pattern, &bounds, turn)
        .map_err(|error| FileError::from_traversal(error, address))?;
    let base = address.to_text().len() + 8;
    let next = page.truncate_to_page(call.limit, |path, ()| Weight {
        count: 1,
        bytes: base + json_length(path),
    });
    let next = next.map(|position| Cursor::new(&name, address, &position.to_text()));
    let seen = page.entries.len() as u64;
    let paths = page.entries.into_iter().filter_map(|(path, ())| path.try_into().ok());
    let matches = paths.filter_map(|path| view.descendant_address(address, &path, PathKind::File));
    let matches = matches.map(Data::from).collect::<Vec<_>>();
    let count = matches.len() as u64;
    let data = Fields::default()
        .with("target", address.clone())
        .with("matches", Data::List(matches))
        .with("count", count)
        .with_all(omitted_fields(&page.omitted, seen - count))
        .with_some("next", next.as_ref().map(cursor_data));
    let message = count_phrase(count, "file", "files").and(" below ").address(address.clone());
    Ok(page_reply(codes::GLOB, message, next.as_ref()).data(data))
}
