//! A file as it is streamed: its lines are counted, its bytes hashed, and the requested lines kept.
//!
//! Memory use depends on the requested lines, not on the size of the file, and so does the time:
//! once nothing more can be learnt, or [`MAX_SCANNED`] bytes were read, the stream is finished.

use mere_core::digest::{Sha256, Sha256Hasher};

/// The largest file that is hashed.
pub(crate) const MAX_HASHED: u64 = 64 * 1024 * 1024;
/// How much of a file is searched for the requested lines, and for line ends to count.
const MAX_SCANNED: u64 = 1024 * 1024 * 1024;
/// The most bytes of text that one reply carries.
const MAX_TEXT: usize = 1024 * 1024;
/// The same limit for the text when it is written as JSON.
const MAX_JSON: usize = 3 * 1024 * 1024 / 2;
/// How many bytes at the beginning decide whether a file is binary.
const MAX_HEAD: usize = 8 * 1024;
/// How much is kept of what precedes the requested lines, so that a secret which begins there is
/// recognised.
const MAX_BEFORE: usize = 16 * 1024;
/// How much of what follows the requested lines is judged with them, so that a path or a secret
/// that lies across their end is recognised.
const MAX_OVERLAP: usize = 16 * 1024;
/// The text that the first and the last line of every PEM-encoded private key contain. Up to
/// [`MAX_MARK_LINE`] bytes precede it in such a line.
const KEY_MARK: &[u8] = b"PRIVATE KEY";
const MAX_MARK_LINE: usize = 64;

/// Which lines are requested.
#[derive(Clone, Copy)]
pub(crate) struct LineRange {
    /// The first line, counted from 1.
    pub(crate) offset: u64,
    pub(crate) limit: u64,
}

/// A file while it is being streamed.
pub(crate) struct LineStream {
    wanted: LineRange,
    hasher: Option<Sha256Hasher>,
    /// The size of the file when it was opened.
    file_size: u64,
    /// How many bytes were read.
    scanned: u64,
    head: Vec<u8>,
    /// Whether a NUL byte is in the head or among the kept lines.
    has_nul: bool,
    /// How many bytes of the head are not valid UTF-8.
    broken_bytes: usize,
    before: Vec<u8>,
    /// Whether a private key that began before the requested lines is still open.
    is_in_private_key: bool,
    /// The requested lines, and then the overlap.
    kept: Vec<u8>,
    /// How many of the kept bytes belong to the requested lines.
    shown: usize,
    line_ends: u64,
    last_byte: Option<u8>,
    phase: Phase,
    /// Whether some of the requested lines did not fit.
    is_overfull: bool,
}

/// The current part of the file, with the number of line ends left in it.
enum Phase {
    Before(u64),
    Within(u64),
    After,
}

/// The requested lines.
pub(crate) struct LineExcerpt {
    /// The lines, and then some of the text after them, which is judged and not shown.
    pub(crate) text: String,
    /// How many bytes of the text are shown.
    pub(crate) shown: usize,
    /// Some of the text before them.
    pub(crate) before: String,
    pub(crate) first: u64,
    pub(crate) last: u64,
    /// Whether more lines follow.
    pub(crate) truncated: bool,
    /// Whether the last line was too long, so that only its beginning is there.
    pub(crate) is_last_cut: bool,
    /// Whether bytes that are not valid UTF-8 were replaced.
    pub(crate) lossy: bool,
}

impl LineExcerpt {
    /// Checks whether this is the whole of a file with `size` bytes, as it is.
    pub(crate) fn is_whole_file(&self, size: u64) -> bool {
        !self.lossy && self.shown == self.text.len() && self.text.len() as u64 == size
    }
}

impl LineStream {
    /// Starts a stream for a file that had `size` bytes when it was opened.
    pub(crate) fn new(wanted: LineRange, size: u64) -> Self {
        let skipped = wanted.offset - 1;
        let phase = if skipped == 0 { Phase::Within(wanted.limit) } else { Phase::Before(skipped) };
        Self {
            wanted,
            hasher: (size <= MAX_HASHED).then(Sha256Hasher::default),
            file_size: size,
            scanned: 0,
            head: Vec::new(),
            has_nul: false,
            broken_bytes: 0,
            before: Vec::new(),
            is_in_private_key: false,
            kept: Vec::with_capacity(usize::try_from(size).unwrap_or(MAX_TEXT).min(MAX_TEXT)),
            shown: 0,
            line_ends: 0,
            last_byte: None,
            phase,
            is_overfull: false,
        }
    }

    /// Takes the next bytes.
    pub(crate) fn feed(&mut self, mut bytes: &[u8]) {
        if let Some(hasher) = &mut self.hasher {
            hasher.update(bytes);
        }
        self.scanned += bytes.len() as u64;
        self.last_byte = bytes.last().copied().or(self.last_byte);
        self.extend_head(bytes);
        while !bytes.is_empty() {
            let left = match self.phase {
                Phase::Before(left) | Phase::Within(left) => left,
                Phase::After => {
                    self.line_ends += count_line_ends(bytes);
                    self.keep_overlap(bytes);
                    return;
                }
            };
            let (length, ends) = measure_lines(bytes, left);
            let (here, rest) = bytes.split_at(length);
            self.line_ends += ends;
            self.consume(here, left - ends);
            bytes = rest;
        }
    }

    fn extend_head(&mut self, bytes: &[u8]) {
        let fits = bytes.len().min(MAX_HEAD - self.head.len());
        if fits > 0 {
            self.head.extend_from_slice(&bytes[..fits]);
            self.has_nul |= has_nul(&bytes[..fits]);
            self.broken_bytes = self.head.utf8_chunks().map(|chunk| chunk.invalid().len()).sum();
        }
    }

    /// Checks whether reading on would tell nothing that a reply says: the file is not hashed, and
    /// it is known to be binary, or as much of it was read as is read at all.
    pub(crate) fn is_finished(&self) -> bool {
        self.hasher.is_none() && (self.is_binary() || self.scanned >= MAX_SCANNED)
    }

    /// Takes bytes that belong to the current phase, which has `left` line ends left after them.
    fn consume(&mut self, bytes: &[u8], left: u64) {
        match self.phase {
            Phase::Before(_) => {
                self.track_private_keys(bytes);
                append_tail(&mut self.before, bytes);
                self.phase =
                    if left == 0 { Phase::Within(self.wanted.limit) } else { Phase::Before(left) };
            }
            Phase::Within(_) => {
                let fits = bytes.len().min(MAX_TEXT - self.kept.len());
                self.kept.extend_from_slice(&bytes[..fits]);
                self.has_nul |= has_nul(&bytes[..fits]);
                self.shown = self.kept.len();
                self.is_overfull = fits < bytes.len();
                self.keep_overlap(&bytes[fits..]);
                let is_full = self.is_overfull || left == 0;
                self.phase = if is_full { Phase::After } else { Phase::Within(left) };
            }
            Phase::After => {}
        }
    }

    /// Keeps bytes that follow the requested lines, as many as are judged with them.
    fn keep_overlap(&mut self, bytes: &[u8]) {
        let room = (self.shown + MAX_OVERLAP).saturating_sub(self.kept.len());
        self.kept.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }

    /// Notes whether the last private-key marker opens or closes a key.
    fn track_private_keys(&mut self, bytes: &[u8]) {
        let overlap = self.before.len().saturating_sub(MAX_MARK_LINE);
        let seen = [&self.before[overlap..], bytes].concat();
        let Some(mark) = memchr::memmem::rfind(&seen, KEY_MARK) else { return };
        self.is_in_private_key = is_opening_mark(&seen, mark);
    }

    /// Checks whether the file is not text: it has a NUL byte, or too many bytes that are not valid
    /// UTF-8.
    pub(crate) fn is_binary(&self) -> bool {
        self.has_nul || self.broken_bytes * 10 > self.head.len()
    }

    pub(crate) fn head(&self) -> &[u8] {
        &self.head
    }

    /// Returns the size of the file. One that shrinks while it is read has as much as was read.
    pub(crate) fn size(&self) -> u64 {
        if self.is_finished() { self.file_size } else { self.scanned }
    }

    /// Returns how many bytes were read, if that is not the whole file.
    pub(crate) fn unread_after(&self) -> Option<u64> {
        (self.is_finished() && self.scanned < self.file_size).then_some(self.scanned)
    }

    /// Returns the number of lines in what was read. A last line without a line end counts.
    pub(crate) fn line_count(&self) -> u64 {
        self.line_ends + u64::from(self.last_byte.is_some_and(|byte| byte != b'\n'))
    }

    /// Returns the digest of the whole file, unless the file was too large.
    pub(crate) fn sha256(&self) -> Option<Sha256> {
        self.hasher.as_ref().map(Sha256Hasher::digest)
    }

    /// Returns the requested lines.
    pub(crate) fn into_excerpt(mut self) -> LineExcerpt {
        let (lines, is_last_unknown) = (self.line_count(), self.unread_after().is_some());
        // The last line may go on in what was not read.
        self.is_overfull |= is_last_unknown && matches!(self.phase, Phase::Within(_));
        self.truncate_to_json_limit();
        if self.is_overfull {
            self.cut_to_whole_lines();
        }
        let shown = &self.kept[..self.shown];
        let is_last_cut = self.is_overfull && !shown.ends_with(b"\n");
        let kept_lines =
            count_line_ends(shown) + u64::from(shown.last().is_some_and(|byte| *byte != b'\n'));
        let last = self.wanted.offset + kept_lines - 1;
        let mut before = String::from_utf8_lossy(&self.before).into_owned();
        if self.is_in_private_key && !before.contains("PRIVATE KEY") {
            before = format!("-----BEGIN PRIVATE KEY-----\n{before}");
        }
        let (text, shown, lossy) = decode(self.kept, self.shown);
        let truncated = self.is_overfull || (last < lines || is_last_unknown) && kept_lines > 0;
        let first = self.wanted.offset;
        LineExcerpt { text, shown, before, first, last, truncated, is_last_cut, lossy }
    }

    /// Keeps no more than fits when it is written as JSON, where some bytes take six.
    fn truncate_to_json_limit(&mut self) {
        let shown = &self.kept[..self.shown];
        let escaped = count_controls(shown);
        let quoted = memchr::memchr2_iter(b'"', b'\\', shown).count();
        if shown.len() + 5 * escaped + quoted <= MAX_JSON {
            return;
        }
        let cost = |byte: &u8| match byte {
            b'"' | b'\\' | b'\n' | b'\r' | b'\t' => 2,
            0..=0x1f => 6,
            _ => 1,
        };
        let mut total = 0;
        let fits = shown.iter().take_while(|byte| {
            total += cost(byte);
            total <= MAX_JSON
        });
        let fits = fits.count();
        if fits < self.shown {
            self.shown = fits;
            self.kept.truncate(fits + MAX_OVERLAP);
            self.is_overfull = true;
        }
    }

    /// Ends text that did not fit after its last whole line. A single line that is too long is cut
    /// between two characters.
    fn cut_to_whole_lines(&mut self) {
        if let Some(end) = memchr::memrchr(b'\n', &self.kept[..self.shown]) {
            self.shown = end + 1;
            self.kept.truncate(self.shown + MAX_OVERLAP);
            return;
        }
        // Continuation bytes are not the beginning of a character.
        while self.shown > 0 && self.kept.get(self.shown).is_some_and(|byte| byte & 0xc0 == 0x80) {
            self.shown -= 1;
        }
    }
}

/// Checks whether the private-key marker at an offset opens a key.
fn is_opening_mark(bytes: &[u8], mark: usize) -> bool {
    let line = &bytes[mark.saturating_sub(MAX_MARK_LINE)..mark];
    memchr::memmem::rfind(line, b"BEGIN") > memchr::memmem::rfind(line, b"END")
}

/// Checks whether a private key begins anywhere in these bytes, so that an excerpt after that place
/// is masked.
pub(crate) fn opens_private_key(bytes: &[u8]) -> bool {
    memchr::memmem::find_iter(bytes, KEY_MARK).any(|mark| is_opening_mark(bytes, mark))
}

fn has_nul(bytes: &[u8]) -> bool {
    memchr::memchr(0, bytes).is_some()
}

/// Decodes bytes of which the first `shown` are shown, and returns the text, how many bytes of it
/// are shown, and whether any of those were not valid UTF-8.
fn decode(bytes: Vec<u8>, shown: usize) -> (String, usize, bool) {
    let bytes = match String::from_utf8(bytes) {
        Ok(text) => return (text, shown, false),
        Err(error) => error.into_bytes(),
    };
    let lossy = std::str::from_utf8(&bytes[..shown]).is_err();
    let mut text = String::from_utf8_lossy(&bytes[..shown]).into_owned();
    let shown_text = text.len();
    text.push_str(&String::from_utf8_lossy(&bytes[shown..]));
    (text, shown_text, lossy)
}

/// Returns the length up to and including line end number `left`, and how many line ends that
/// contains. If there are fewer line ends, that is all bytes.
fn measure_lines(bytes: &[u8], left: u64) -> (usize, u64) {
    let mut passed = 0;
    for end in memchr::memchr_iter(b'\n', bytes) {
        passed += 1;
        if passed == left {
            return (end + 1, passed);
        }
    }
    (bytes.len(), passed)
}

/// Counts the control characters, line ends included. The counting is done in `u8`, block by block,
/// which the compiler turns into a few vector instructions.
fn count_controls(bytes: &[u8]) -> usize {
    let blocks = bytes.chunks(usize::from(u8::MAX));
    let counts = blocks.map(|block| block.iter().map(|byte| u8::from(*byte < b' ')).sum::<u8>());
    counts.map(usize::from).sum()
}

fn count_line_ends(bytes: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', bytes).count() as u64
}

fn append_tail(kept: &mut Vec<u8>, bytes: &[u8]) {
    let tail = &bytes[bytes.len().saturating_sub(MAX_BEFORE)..];
    kept.extend_from_slice(tail);
    let excess = kept.len().saturating_sub(2 * MAX_BEFORE);
    if excess > 0 {
        kept.drain(..kept.len() - MAX_BEFORE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bytes: &[u8], wanted: (u64, u64), expected: (&str, u64, u64, bool)) {
        for size in [1, 3, 4096] {
            let wanted = LineRange { offset: wanted.0, limit: wanted.1 };
            let mut reading = LineStream::new(wanted, bytes.len() as u64);
            bytes.chunks(size).for_each(|chunk| reading.feed(chunk));
            let lines = reading.line_count();
            let part = reading.into_excerpt();
            assert_eq!((&part.text[..part.shown], part.last, lines, part.truncated), expected);
        }
    }

    #[test]
    fn the_wanted_lines_are_kept_and_all_are_counted() {
        check(b"", (1, 9), ("", 0, 0, false));
        check(b"a", (1, 9), ("a", 1, 1, false));
        check(b"a\n", (1, 9), ("a\n", 1, 1, false));
        check(b"a\r\nb\r\nc", (1, 2), ("a\r\nb\r\n", 2, 3, true));
        check(b"a\nb\nc", (2, 1), ("b\n", 2, 3, true));
        check(b"a\nb\nc", (3, 5), ("c", 3, 3, false));
        check(b"a\nb\n", (3, 5), ("", 2, 2, false));
        check(b"a\nb\n", (9, 5), ("", 8, 2, false));
        check(b"\n\n", (2, 5), ("\n", 2, 2, false));
    }

    #[test]
    fn too_much_text_ends_with_a_whole_line() {
        let line = format!("{}\n", "é".repeat(500));
        let text = line.repeat(2 * MAX_TEXT / line.len());
        let mut reading =
            LineStream::new(LineRange { offset: 1, limit: 1_000_000 }, text.len() as u64);
        reading.feed(text.as_bytes());
        let part = reading.into_excerpt();
        let shown = &part.text[..part.shown];
        assert!(part.truncated && shown.ends_with('\n') && shown.len() <= MAX_TEXT);
        assert_eq!(part.last, (shown.len() / line.len()) as u64);

        let text = format!("x{}", "é".repeat(MAX_TEXT));
        let mut reading = LineStream::new(LineRange { offset: 1, limit: 1 }, text.len() as u64);
        reading.feed(text.as_bytes());
        let part = reading.into_excerpt();
        assert!(part.truncated && !part.lossy, "a character was cut");
    }
}
