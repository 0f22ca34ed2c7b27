//! `.ai/.index.json`: a line for each item, in order, found by bisection with positioned reads.
//!
//! It is never read whole for one id, and never mapped into memory: a truncation would end the
//! process. A line that is not as this program writes it means that the whole file is not ours.

use std::io::{self, BufWriter, Write};

use cap_std::fs::File;
use mere_core::item::{ItemType, Scope};

use super::entry::{Entry, Twin};
use crate::host::{Folder, Stamp, open_regular, put_derived, read_at};

/// The index of a space.
pub(super) const FILE: &str = ".index.json";
const HEAD: &str = "{\"version\":\"1\",\"items\":{\n";
const TAIL: &str = "}}\n";
/// How far to either side of a byte one looks for the line it is in.
const GLANCE: usize = 768;
/// How much is read at once to see all of them.
const PAGE: usize = 256 * 1024;

/// An index that is open.
pub(super) struct Index {
    file: File,
    scope: Scope,
    /// Where the lines begin and end.
    lines: std::ops::Range<u64>,
    pub(super) stamp: Stamp,
}

/// The index is not as this program writes it.
#[derive(Debug, thiserror::Error)]
#[error("the index is not as it was written")]
pub(super) struct Spoilt;

impl From<io::Error> for Spoilt {
    fn from(_: io::Error) -> Self {
        Self
    }
}

impl Index {
    /// Opens the index of a space; `None` if there is none, or a link has its name.
    pub(super) fn open(space: &Folder, scope: Scope) -> Option<Self> {
        let file = open_regular(&**space.dir(), FILE).ok().flatten()?;
        let stamp = Stamp::of(&file.metadata().ok()?);
        let lines = HEAD.len() as u64..stamp.size.checked_sub(TAIL.len() as u64)?;
        (lines.start <= lines.end).then_some(Self { file, scope, lines, stamp })
    }

    /// Writes the index of a space, whole or not at all, and opens it.
    pub(super) fn write(space: &Folder, scope: Scope, entries: &[Entry]) -> io::Result<Self> {
        put_derived(space, FILE, |file| {
            let mut out = BufWriter::with_capacity(PAGE, file);
            out.write_all(HEAD.as_bytes())?;
            let mut last = String::new();
            for (number, entry) in entries.iter().enumerate() {
                let key = entry.key();
                let twin = if key == last { Twin::Second } else { Twin::No };
                let comma = if number == 0 { "" } else { ",\n" };
                let Some(line) = entry.line(twin) else { continue };
                out.write_all(comma.as_bytes())?;
                out.write_all(line.as_bytes())?;
                last = key;
            }
            let end = if entries.is_empty() { "" } else { "\n" };
            out.write_all(end.as_bytes())?;
            out.write_all(TAIL.as_bytes())?;
            out.flush()
        })?;
        Self::open(space, scope).ok_or_else(|| io::Error::other("the index has gone at once"))
    }

    /// The entries of a bare id.
    pub(super) fn find(&self, kind: ItemType, id: &str) -> Result<Vec<Entry>, Spoilt> {
        self.check()?;
        let prefix = Entry::prefix(kind, id);
        let mut at = self.first_not_below(&prefix)?;
        let mut found = Vec::new();
        while at < self.lines.end {
            let (line, next) = self.line_at(at)?;
            if !key_of(&line)?.starts_with(&prefix) {
                break;
            }
            found.push(self.parse(&line)?);
            at = next;
        }
        Ok(found)
    }

    /// Someone may have written into the very file that is open here, or put another in its place.
    fn check(&self) -> Result<(), Spoilt> {
        let now = Stamp::of(&self.file.metadata()?);
        if now == self.stamp { Ok(()) } else { Err(Spoilt) }
    }

    /// Every entry, in order.
    pub(super) fn all(&self) -> Result<Vec<Entry>, Spoilt> {
        self.check()?;
        let mut entries = Vec::new();
        let mut rest = Vec::new();
        let mut at = self.lines.start;
        while at < self.lines.end {
            let want = PAGE.min(usize::try_from(self.lines.end - at).map_err(|_| Spoilt)?);
            let begun = rest.len();
            rest.resize(begun + want, 0);
            let read = read_at(&self.file, &mut rest[begun..], at)?;
            if read == 0 {
                return Err(Spoilt);
            }
            rest.truncate(begun + read);
            at += read as u64;
            let whole = rest.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
            for line in rest[..whole].split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
                entries.push(self.parse(std::str::from_utf8(line).map_err(|_| Spoilt)?)?);
            }
            rest.drain(..whole);
        }
        if rest.is_empty() { Ok(entries) } else { Err(Spoilt) }
    }

    /// Where the first line begins whose key is not below `prefix`.
    fn first_not_below(&self, prefix: &str) -> Result<u64, Spoilt> {
        let mut window = Vec::new();
        let (mut low, mut high) = (self.lines.start, self.lines.end);
        while low < high {
            let middle = low + (high - low) / 2;
            let line = self.line_around(middle, low, &mut window)?;
            let text = std::str::from_utf8(&window[line.text]).map_err(|_| Spoilt)?;
            if key_of(text)?.as_bytes() < prefix.as_bytes() {
                low = line.next;
            } else {
                high = line.start;
            }
        }
        Ok(low)
    }

    /// The line that holds the byte `at`, read into `window`; one begins at `least`.
    fn line_around(&self, at: u64, least: u64, window: &mut Vec<u8>) -> Result<Line, Spoilt> {
        let mut reach = GLANCE as u64;
        loop {
            let from = at.saturating_sub(reach).max(least);
            let to = (at + reach).min(self.lines.end);
            let size = |bytes: u64| usize::try_from(bytes).map_err(|_| Spoilt);
            window.resize(size(to - from)?, 0);
            self.fill(window, from)?;
            let start = window[..size(at - from)?].iter().rposition(|byte| *byte == b'\n');
            let start = start.map(|newline| newline + 1).or((from == least).then_some(0));
            let end = memchr::memchr(b'\n', &window[size(at - from)?..]);
            let end = end.map(|end| size(at - from).map(|here| here + end)).transpose()?;
            if let (Some(start), Some(end)) = (start, end) {
                let next = from + end as u64 + 1;
                return Ok(Line { start: from + start as u64, text: start..end, next });
            }
            if from == least && to == self.lines.end {
                return Err(Spoilt);
            }
            reach *= 4;
        }
    }

    /// The line that begins at `at`, without its end, and where the next begins.
    fn line_at(&self, at: u64) -> Result<(String, u64), Spoilt> {
        let mut line = Vec::new();
        let mut from = at;
        while from < self.lines.end {
            let want = GLANCE.min(usize::try_from(self.lines.end - from).map_err(|_| Spoilt)?);
            let begun = line.len();
            line.resize(begun + want, 0);
            self.fill(&mut line[begun..], from)?;
            if let Some(end) = memchr::memchr(b'\n', &line[begun..]) {
                line.truncate(begun + end);
                let text = String::from_utf8(line).map_err(|_| Spoilt)?;
                return Ok((text, from + end as u64 + 1));
            }
            from += want as u64;
        }
        Err(Spoilt)
    }

    fn fill(&self, buffer: &mut [u8], at: u64) -> Result<(), Spoilt> {
        let mut filled = 0;
        while filled < buffer.len() {
            match read_at(&self.file, &mut buffer[filled..], at + filled as u64)? {
                0 => return Err(Spoilt),
                read => filled += read,
            }
        }
        Ok(())
    }

    fn parse(&self, line: &str) -> Result<Entry, Spoilt> {
        let line = line.strip_suffix(',').unwrap_or(line);
        Entry::parse(line, self.scope).ok_or(Spoilt)
    }
}

/// A line in a window.
struct Line {
    start: u64,
    text: std::ops::Range<usize>,
    next: u64,
}

/// The key at the beginning of a line.
fn key_of(line: &str) -> Result<&str, Spoilt> {
    line.strip_prefix('"').and_then(|rest| rest.split('"').next()).ok_or(Spoilt)
}
