//! `.ai/.index.json`: one line for each item, in order, found by bisection with positioned reads.
//!
//! The file is never read whole to find one id. It is never mapped into memory either, because a
//! truncation would then end the process. A single line that this program would not have written
//! means that the whole file is not ours.

use std::collections::HashMap;
use std::io::{self, BufWriter, Write};
use std::ops::Range;

use cap_std::fs::File;
use mere_core::digest::{Sha256, Sha256Hasher};
use mere_core::item::{ItemId, ItemType, Scope};

use super::entry::{CatalogEntry, KeySharing};
use mere_host::{
    FileStamp, Folder, SPACE_INDEX, now_nanoseconds, open_regular_file, read_at,
    replace_derived_file,
};

const HEAD: &str = "{\"version\":\"1\",\"items\":{\n";
const TAIL: &str = "}}\n";
/// How many bytes on either side of a position are read at first to find the line around it.
const LINE_WINDOW_BYTES: usize = 768;
/// A range of at most this many bytes is read in one go instead of bisected.
const LINEAR_SCAN_BYTES: usize = 4 * 1024;
const LINEAR_SCAN: u64 = LINEAR_SCAN_BYTES as u64;
/// The longest line there can be.
const MAX_LINE_BYTES: usize = 64 * 1024;
const MAX_LINE: u64 = MAX_LINE_BYTES as u64;
/// How many bytes are read at once to go through the whole file.
const READ_BLOCK_BYTES: usize = 256 * 1024;

/// An open index.
pub(super) struct IndexFile {
    file: File,
    scope: Scope,
    /// The byte range of the lines.
    lines: Range<u64>,
    /// The lines at which earlier bisections split, by the byte position they were found from. The
    /// first steps of every bisection are the same.
    pivots: HashMap<u64, Pivot>,
    pub(super) stamp: FileStamp,
    pub(super) integrity: IntegrityCheck,
}

/// What must be checked to know that the index is still the file that was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum IntegrityCheck {
    /// The stamp alone. The file has been unchanged for long enough that any later change would
    /// show in its stamp.
    Stamp,
    /// The digest as well as the stamp. The file was written just now, and another write at the
    /// same moment could leave the same stamp.
    Digest(Sha256),
}

impl IntegrityCheck {
    pub(super) fn digest(self) -> Option<Sha256> {
        match self {
            Self::Stamp => None,
            Self::Digest(digest) => Some(digest),
        }
    }
}

/// A line at which a bisection splits.
#[derive(Clone)]
struct Pivot {
    key: Box<str>,
    start: u64,
    next: u64,
}

/// About how many pivots are remembered.
const MAX_PIVOTS: u64 = 1_024;

/// The index is not as this program writes it, or it cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("the index was changed by something else or is corrupt")]
pub(super) struct CorruptIndex;

impl From<io::Error> for CorruptIndex {
    fn from(_: io::Error) -> Self {
        Self
    }
}

impl IndexFile {
    /// Opens the index of a space. Returns `None` if there is none, or if its name is taken by a
    /// link.
    pub(super) fn open(space: &Folder, scope: Scope) -> Option<Self> {
        let file = open_regular_file(&**space.dir(), SPACE_INDEX).ok().flatten()?;
        let stamp = FileStamp::from_metadata(&file.metadata().ok()?);
        let lines = HEAD.len() as u64..stamp.size.checked_sub(TAIL.len() as u64)?;
        (lines.start <= lines.end).then(|| Self {
            file,
            scope,
            lines,
            pivots: HashMap::new(),
            stamp,
            integrity: IntegrityCheck::Stamp,
        })
    }

    /// Writes the index of a space atomically, and opens it.
    pub(super) fn write(
        space: &Folder,
        scope: Scope,
        entries: &[CatalogEntry],
    ) -> io::Result<Self> {
        let mut digest = Sha256Hasher::default();
        replace_derived_file(space, SPACE_INDEX, |file| {
            let mut out = BufWriter::with_capacity(READ_BLOCK_BYTES, file);
            let mut last = String::new();
            let mut write_text = |text: &str| {
                digest.update(text.as_bytes());
                out.write_all(text.as_bytes())
            };
            write_text(HEAD)?;
            for (number, entry) in entries.iter().enumerate() {
                let key = entry.key();
                let sharing =
                    if key == last { KeySharing::SecondOfTwo } else { KeySharing::Unique };
                let Some(line) = entry.to_line(sharing) else { continue };
                write_text(if number == 0 { "" } else { ",\n" })?;
                write_text(&line)?;
                last = key;
            }
            write_text(if entries.is_empty() { "" } else { "\n" })?;
            write_text(TAIL)?;
            out.flush()
        })?;
        let missing = || io::Error::other("the index disappeared right after it was written");
        let index = Self::open(space, scope).ok_or_else(missing)?;
        Ok(Self { integrity: IntegrityCheck::Digest(digest.digest()), ..index })
    }

    /// Returns the entries that a bare id can mean, or without an id all of a type.
    pub(super) fn find(
        &mut self,
        kind: ItemType,
        id: Option<&ItemId>,
    ) -> Result<Vec<CatalogEntry>, CorruptIndex> {
        self.check_unchanged()?;
        let prefix = CatalogEntry::key_prefix(kind, id);
        let at = self.bisect(&prefix)?;
        let mut lines = LineReader { index: self, next_offset: at, block: Vec::new(), consumed: 0 };
        let mut found = Vec::new();
        while let Some(line) = lines.next_line()? {
            let key = key_of_line(line)?;
            if key.starts_with(&prefix) {
                found.push(self.parse_line(line)?);
            } else if key.as_bytes() > prefix.as_bytes() {
                break;
            }
        }
        Ok(found)
    }

    /// Checks that nobody has written into the open file or replaced it.
    pub(super) fn check_unchanged(&mut self) -> Result<(), CorruptIndex> {
        let stamp = FileStamp::from_metadata(&self.file.metadata()?);
        if stamp != self.stamp {
            return Err(CorruptIndex);
        }
        let IntegrityCheck::Digest(digest) = self.integrity else { return Ok(()) };
        let checked_at = now_nanoseconds();
        if self.digest()? != digest {
            return Err(CorruptIndex);
        }
        if !stamp.is_racy(checked_at) {
            self.integrity = IntegrityCheck::Stamp;
        }
        Ok(())
    }

    /// Computes the digest of the whole file.
    fn digest(&self) -> Result<Sha256, CorruptIndex> {
        let mut hasher = Sha256Hasher::default();
        let mut buffer = vec![0; READ_BLOCK_BYTES];
        let mut at = 0;
        loop {
            match read_at(&self.file, &mut buffer, at)? {
                0 => return Ok(hasher.digest()),
                read => {
                    hasher.update(&buffer[..read]);
                    at += read as u64;
                }
            }
        }
    }

    /// Returns every entry, in order.
    pub(super) fn all(&mut self) -> Result<Vec<CatalogEntry>, CorruptIndex> {
        self.check_unchanged()?;
        let mut lines = LineReader {
            index: self,
            next_offset: self.lines.start,
            block: Vec::with_capacity(READ_BLOCK_BYTES),
            consumed: 0,
        };
        let mut entries = Vec::new();
        while let Some(line) = lines.next_line()? {
            entries.push(self.parse_line(line)?);
        }
        Ok(entries)
    }

    /// Returns the start of a line shortly before the first line whose key is not less than
    /// `prefix`.
    fn bisect(&mut self, prefix: &str) -> Result<u64, CorruptIndex> {
        let (mut low, mut high) = (self.lines.start, self.lines.end);
        while high - low > LINEAR_SCAN {
            let pivot = self.pivot(low..high)?;
            if pivot.key.as_bytes() < prefix.as_bytes() {
                low = pivot.next;
            } else {
                high = pivot.start;
            }
        }
        Ok(low)
    }

    /// Returns the line in the middle of a range. The range must begin at the start of a line.
    fn pivot(&mut self, range: Range<u64>) -> Result<Pivot, CorruptIndex> {
        let width = range.end - range.start;
        let at = range.start + width / 2;
        if let Some(known) = self.pivots.get(&at) {
            return Ok(known.clone());
        }
        let mut window = Vec::new();
        let line = self.line_at(at, range.start, &mut window)?;
        let text = std::str::from_utf8(&window[line.text]).map_err(|_| CorruptIndex)?;
        let pivot = Pivot { key: key_of_line(text)?.into(), start: line.start, next: line.next };
        // Only pivots of wide ranges are worth remembering, because every bisection begins with
        // them.
        if width.saturating_mul(MAX_PIVOTS) > self.lines.end {
            self.pivots.insert(at, pivot.clone());
        }
        Ok(pivot)
    }

    /// Reads the line around the byte `at` into `window`. A line must begin at `least`.
    fn line_at(&self, at: u64, least: u64, window: &mut Vec<u8>) -> Result<LineSpan, CorruptIndex> {
        let mut span = LINE_WINDOW_BYTES as u64;
        loop {
            let from = at.saturating_sub(span).max(least);
            let to = (at + span).min(self.lines.end);
            let size = |bytes: u64| usize::try_from(bytes).map_err(|_| CorruptIndex);
            window.resize(size(to - from)?, 0);
            self.read_exact(window, from)?;
            let start = window[..size(at - from)?].iter().rposition(|byte| *byte == b'\n');
            let start = start.map(|newline| newline + 1).or((from == least).then_some(0));
            let end = memchr::memchr(b'\n', &window[size(at - from)?..]);
            let end = end.map(|end| size(at - from).map(|here| here + end)).transpose()?;
            if let (Some(start), Some(end)) = (start, end) {
                let next = from + end as u64 + 1;
                return Ok(LineSpan { start: from + start as u64, text: start..end, next });
            }
            if span > MAX_LINE || (from == least && to == self.lines.end) {
                return Err(CorruptIndex);
            }
            span *= 4;
        }
    }

    fn read_exact(&self, buffer: &mut [u8], at: u64) -> Result<(), CorruptIndex> {
        let mut filled = 0;
        while filled < buffer.len() {
            match read_at(&self.file, &mut buffer[filled..], at + filled as u64)? {
                0 => return Err(CorruptIndex),
                read => filled += read,
            }
        }
        Ok(())
    }

    fn parse_line(&self, line: &str) -> Result<CatalogEntry, CorruptIndex> {
        let line = line.strip_suffix(',').unwrap_or(line);
        CatalogEntry::parse(line, self.scope).ok_or(CorruptIndex)
    }
}

/// Reads lines one after the other, a block at a time.
struct LineReader<'a> {
    index: &'a IndexFile,
    /// Where the next block begins in the file.
    next_offset: u64,
    block: Vec<u8>,
    /// How much of the block has been returned.
    consumed: usize,
}

impl LineReader<'_> {
    fn next_line(&mut self) -> Result<Option<&str>, CorruptIndex> {
        loop {
            if let Some(length) = memchr::memchr(b'\n', &self.block[self.consumed..]) {
                let line = self.consumed..self.consumed + length;
                self.consumed = line.end + 1;
                return Ok(Some(std::str::from_utf8(&self.block[line]).map_err(|_| CorruptIndex)?));
            }
            let rest = self.index.lines.end - self.next_offset;
            if rest == 0 {
                // Every line ends with a newline, so no bytes may be left over.
                return if self.consumed == self.block.len() {
                    Ok(None)
                } else {
                    Err(CorruptIndex)
                };
            }
            if self.block.len() - self.consumed > MAX_LINE_BYTES {
                return Err(CorruptIndex);
            }
            self.block.drain(..self.consumed);
            self.consumed = 0;
            let want = self.block.capacity().max(2 * LINEAR_SCAN_BYTES).max(2 * self.block.len());
            let want =
                (want - self.block.len()).min(usize::try_from(rest).map_err(|_| CorruptIndex)?);
            let start = self.block.len();
            self.block.resize(start + want, 0);
            self.index.read_exact(&mut self.block[start..], self.next_offset)?;
            self.next_offset += want as u64;
        }
    }
}

/// The position of a line in the file and in a window.
struct LineSpan {
    start: u64,
    text: Range<usize>,
    next: u64,
}

/// Returns the key at the beginning of a line.
fn key_of_line(line: &str) -> Result<&str, CorruptIndex> {
    line.strip_prefix('"').and_then(|rest| rest.split('"').next()).ok_or(CorruptIndex)
}
