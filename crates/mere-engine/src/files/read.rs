//! The `read` tool: shows what is in a file.
//!
//! Secrets are masked in what it shows, unless a person has confirmed the file. The digest is
//! always that of the bytes on disk.

use std::io::Read as _;

use cap_std::fs::File;
use mere_core::address::Address;
use mere_core::media::media_type;
use mere_core::reply::{Content, Data, Draft, Fields, Prose, codes};
use mere_core::request::Read;
use mere_core::turn::Turn;

use crate::files::error::FileError;
use crate::files::line_stream::{LineRange, LineStream, MAX_HASHED};
use crate::files::redaction;
use crate::files::view::{View, nonzero};
use crate::world::{PathKind, ResolveError, VisibilityRef, check_active};

/// How many bytes are read at once.
const CHUNK_BYTES: usize = 256 * 1024;

/// Reads lines of a text file, or describes a binary one.
pub(crate) fn read(view: &View<'_>, call: &Read, turn: &dyn Turn) -> Result<Draft, FileError> {
    let target = view.resolve(&call.path)?;
    let address = target.address();
    if target.kind() == PathKind::Directory {
        return Err(FileError::NotAFile(address.clone()));
    }
    let mut file = open_visible_file(&target)?;
    let wanted = LineRange { offset: call.offset, limit: call.limit };
    let reading = stream_file(&mut file, wanted, address, turn)?;
    Ok(if reading.is_binary() {
        binary_reply(address, &reading)
    } else {
        text_reply(view, &target, reading)
    })
}

/// Opens the file that a reference proves, which may have been removed since.
pub(crate) fn open_visible_file(target: &VisibilityRef) -> Result<File, FileError> {
    match target.open_file() {
        Ok(Some(file)) => Ok(file),
        Ok(None) => Err(ResolveError::NotVisible.into()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            Err(ResolveError::NotVisible.into())
        }
        Err(cause) => Err(FileError::unreadable(target.address(), cause)),
    }
}

fn stream_file(
    file: &mut File,
    wanted: LineRange,
    address: &Address,
    turn: &dyn Turn,
) -> Result<LineStream, FileError> {
    let unreadable = |cause| FileError::unreadable(address, cause);
    let size = file.metadata().map_err(unreadable)?.len();
    let mut reading = LineStream::new(wanted, size);
    let room = usize::try_from(size).map_or(CHUNK_BYTES, |size| (size + 1).min(CHUNK_BYTES));
    let mut chunk = vec![0; room];
    // Bytes that are written meanwhile are not part of this reading.
    let mut file = file.take(size);
    loop {
        check_active(turn).map_err(|error| FileError::from_traversal(error, address))?;
        match file.read(&mut chunk).map_err(unreadable)? {
            0 => return Ok(reading),
            read => reading.feed(&chunk[..read]),
        }
    }
}

fn binary_reply(address: &Address, reading: &LineStream) -> Draft {
    let kind = media_type(reading.head());
    let data = Fields::default()
        .with("target", address.clone())
        .with("binary", true)
        .with("size", reading.size())
        .with("media_type", kind)
        .with("sha256", digest(reading));
    let message = Prose::words("").address(address.clone()).and(" is a binary file.");
    Draft::success(codes::READ_BINARY, message).data(data)
}

fn text_reply(view: &View<'_>, target: &VisibilityRef, reading: LineStream) -> Draft {
    let address = target.address();
    let (lines, size) = (reading.line_count(), reading.size());
    let sha256 = digest(&reading);
    let part = reading.into_excerpt();
    let shown = if view.world.is_confirmed(target, "") {
        redaction::MaskedText::unmasked(part.text)
    } else {
        redaction::MaskedText::mask_part(&part.before, part.text)
    };
    let (first, last) = (part.first, part.last);
    let data = Fields::default()
        .with("target", address.clone())
        .with("content", Content::body(shown.text))
        .with("lines", lines)
        .with("first", first)
        .with("last", last)
        .with("truncated", part.truncated)
        .with("sha256", sha256)
        .with_some("masked", nonzero(shown.count))
        .with_some("lossy", part.lossy.then_some(true));
    let words = match (size, last < first) {
        (0, _) => " is empty.".to_owned(),
        (_, true) => format!(" has {lines} lines; line {first} is past the end."),
        (_, false) => format!(": lines {first} to {last} of {lines}."),
    };
    let message = Prose::words("").address(address.clone()).and(words);
    let draft = Draft::success(codes::READ_TEXT, message).data(data);
    if shown.count > 0 {
        return draft.hint("Secrets are masked. A person can show them with `mere allow`.");
    }
    if part.truncated {
        return draft.hint(Prose::words(format!("Continue with `offset` {}.", last + 1)));
    }
    draft
}

/// Returns the digest of the bytes on disk, unless the file is too large.
fn digest(reading: &LineStream) -> Data {
    let digest = reading.sha256().filter(|_| reading.size() <= MAX_HASHED);
    digest.map(|digest| Data::Words(digest.to_string().into())).into()
}
