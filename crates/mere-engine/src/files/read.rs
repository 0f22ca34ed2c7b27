//! The `read` tool: shows what is in a file.
//!
//! Secrets are masked in what it shows, unless a person has confirmed the file. The digest is that
//! of the bytes on disk, or a keyed one if anything in the file is not shown as it is.

use std::io::Read as _;

use cap_std::fs::File;
use mere_core::address::Address;
use mere_core::digest::Fidelity;
use mere_core::media::media_type;
use mere_core::reply::{Draft, Fields, Prose, codes};
use mere_core::request::Read;
use mere_core::turn::Turn;

use crate::files::error::FileError;
use crate::files::fidelity::FidelityScanner;
use crate::files::line_stream::{LineExcerpt, LineRange, LineStream, MAX_HASHED};
use crate::files::redaction::{MaskedText, SecretDisplay};
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
    let secrets = secret_display(view, &target);
    let mut streamed = StreamedFile::new(view, &file, (wanted, secrets))
        .map_err(|cause| FileError::unreadable(address, cause))?;
    streamed.read_to_end(&mut file, address, turn)?;
    Ok(if streamed.lines.is_binary() {
        binary_reply(view, address, streamed)
    } else {
        text_reply(view, address, streamed)
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

/// Returns whether the reader sees the secrets of a file.
fn secret_display(view: &View<'_>, target: &VisibilityRef) -> SecretDisplay {
    if view.world.is_confirmed(target, "") { SecretDisplay::Shown } else { SecretDisplay::Masked }
}

/// A file as it is read: the lines that are asked for, and how the reader sees the whole of it.
struct StreamedFile<'a> {
    lines: LineStream,
    /// A file that is too large to be hashed is not judged either.
    scanner: Option<FidelityScanner<'a>>,
    secrets: SecretDisplay,
    size: u64,
}

impl<'a> StreamedFile<'a> {
    fn new(
        view: &View<'a>,
        file: &File,
        (wanted, secrets): (LineRange, SecretDisplay),
    ) -> std::io::Result<Self> {
        let size = file.metadata()?.len();
        let scanner = (size <= MAX_HASHED).then(|| FidelityScanner::new(view.gate, secrets));
        Ok(Self { lines: LineStream::new(wanted, size), scanner, secrets, size })
    }

    fn read_to_end(
        &mut self,
        file: &mut File,
        address: &Address,
        turn: &dyn Turn,
    ) -> Result<(), FileError> {
        let size = self.size;
        let room = usize::try_from(size).map_or(CHUNK_BYTES, |size| (size + 1).min(CHUNK_BYTES));
        let mut chunk = vec![0; room];
        // Bytes that are written meanwhile are not part of this reading.
        let mut file = file.take(size);
        loop {
            check_active(turn).map_err(|error| FileError::from_traversal(error, address))?;
            let read = file.read(&mut chunk);
            match read.map_err(|cause| FileError::unreadable(address, cause))? {
                0 => return Ok(()),
                read => {
                    self.lines.feed(&chunk[..read]);
                    if let Some(scanner) = &mut self.scanner {
                        scanner.feed(&chunk[..read]);
                    }
                }
            }
            if self.lines.is_finished() {
                return Ok(());
            }
        }
    }
}

fn binary_reply(view: &View<'_>, address: &Address, streamed: StreamedFile<'_>) -> Draft {
    let StreamedFile { lines: reading, scanner, .. } = streamed;
    let sha256 = reading.sha256().zip(scanner.map(FidelityScanner::finish));
    let data = Fields::default()
        .with("target", address.clone())
        .with("binary", true)
        .with("size", reading.size())
        .with("media_type", media_type(reading.head()))
        .with("sha256", sha256.map(|(sha256, fidelity)| view.digest_data(sha256, fidelity)));
    let message = Prose::words("").address(address.clone()).and(" is a binary file.");
    Draft::success(codes::READ_BINARY, message).data(data)
}

fn text_reply(view: &View<'_>, address: &Address, streamed: StreamedFile<'_>) -> Draft {
    let StreamedFile { lines: reading, scanner, secrets, .. } = streamed;
    let extent = FileExtent {
        size: reading.size(),
        lines: reading.line_count(),
        unread_after: reading.unread_after(),
    };
    let sha256 = reading.sha256();
    let part = reading.into_excerpt();
    let message = Prose::words("").address(address.clone()).and(extent.describe(&part));
    let next = extent.next_step(&part);
    let is_whole = part.is_whole_file(extent.size);
    let shown = match secrets {
        SecretDisplay::Shown => MaskedText::unmasked(part.text),
        SecretDisplay::Masked => MaskedText::mask_part(&part.before, part.text),
    };
    let fidelity = scanner.map(|scanner| match shown.count {
        0 if is_whole => scanner.finish_without_secrets(),
        0 => scanner.finish(),
        _ => Fidelity::Altered,
    });
    let sha256 = sha256.zip(fidelity);
    let masked = shown.count_until(part.shown);
    let data = Fields::default()
        .with("target", address.clone())
        .with("content", shown.into_body_until(part.shown))
        .with("lines", extent.known_lines())
        .with("first", part.first)
        .with("last", part.last)
        .with("truncated", part.truncated)
        .with("sha256", sha256.map(|(sha256, fidelity)| view.digest_data(sha256, fidelity)))
        .with_some("unread_after", extent.unread_after)
        .with_some("size", extent.unread_after.map(|_| extent.size))
        .with_some("cut", part.is_last_cut.then_some(true))
        .with_some("masked", nonzero(masked))
        .with_some("lossy", part.lossy.then_some(true));
    let draft = Draft::success(codes::READ_TEXT, message).data(data);
    let masked = (masked > 0)
        .then(|| "Secrets are masked. A person can show them with `mere allow`.".to_owned());
    match masked.or(next) {
        Some(hint) => draft.hint(Prose::words(hint)),
        None => draft,
    }
}

/// How much of a text file was read.
struct FileExtent {
    size: u64,
    /// The lines of what was read.
    lines: u64,
    /// How many bytes were read, if that is not the whole file.
    unread_after: Option<u64>,
}

impl FileExtent {
    /// Returns the number of lines of the whole file, if it was read to its end.
    fn known_lines(&self) -> Option<u64> {
        self.unread_after.is_none().then_some(self.lines)
    }

    /// Says which lines are shown, and what was not read.
    fn describe(&self, part: &LineExcerpt) -> String {
        let LineExcerpt { first, last, .. } = *part;
        let (lines, is_past_end) = (self.lines, last < first);
        match (self.unread_after, is_past_end) {
            (None, _) if self.size == 0 => " is empty.".to_owned(),
            (None, true) if lines == 1 => format!(" has 1 line; line {first} is past the end."),
            (None, true) => format!(" has {lines} lines; line {first} is past the end."),
            (None, false) if first == last => format!(": line {first} of {lines}."),
            (None, false) => format!(": lines {first} to {last} of {lines}."),
            (Some(read), true) => format!(
                ": only its first {read} bytes, which have {lines} lines, were searched for line \
                 {first}."
            ),
            (Some(read), false) => format!(
                ": lines {first} to {last}; it has {} bytes, of which {read} were read.",
                self.size
            ),
        }
    }

    /// Says how to go on, if there is more.
    fn next_step(&self, part: &LineExcerpt) -> Option<String> {
        let LineExcerpt { first, last, .. } = *part;
        if self.unread_after.is_some() && last < first {
            let lines = self.lines;
            let step = "lines after that can be read once the file is split into smaller ones";
            return Some(format!("Pass an `offset` up to {lines}; {step}."));
        }
        let rest_of_line = part.is_last_cut.then(|| {
            format!("Line {last} is longer than one reply carries, and its rest is not shown.")
        });
        let is_more = part.truncated && self.known_lines().is_none_or(|lines| last < lines);
        let go_on = is_more.then(|| format!("Continue with `offset` {}.", last + 1));
        let steps = [rest_of_line, go_on].into_iter().flatten().collect::<Vec<_>>();
        (!steps.is_empty()).then(|| steps.join(" "))
    }
}
