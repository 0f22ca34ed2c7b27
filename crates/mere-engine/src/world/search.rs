//! The lines below a directory, or of one file, that match a regular expression.
//!
//! Files are read as a stream through ripgrep's searcher: memory depends on the longest line that
//! is accepted, not on the file. A file with a NUL byte is binary and has no lines.

use std::io::{self, Read};

use cap_std::fs::File;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{
    BinaryDetection, Searcher, SearcherBuilder, Sink, SinkContext, SinkContextKind, SinkFinish,
    SinkMatch,
};
use mere_core::pattern::Pattern;
use mere_core::turn::Turn;

use super::find::Bounds;
use super::list::{LookError, go_on};
use super::sweep::{Gathered, Harvest, Opened, Order, Want, Weight};
use super::{VisibilityRef, World};

/// The longest line that is searched; a file with a longer one is left off there.
const MAX_LINE_BYTES: usize = 4 * 1024 * 1024;
/// How much of a line is shown.
const MAX_SHOWN_BYTES: usize = 2000;
/// How large a compiled expression may become.
const MAX_EXPRESSION_BYTES: usize = 8 * 1024 * 1024;

/// What is searched for.
pub(crate) struct Query<'a> {
    matcher: RegexMatcher,
    glob: Option<&'a Pattern>,
    context: usize,
    /// The file a page begins in, and its last line of the page before.
    resume: Option<(&'a str, u64)>,
    /// More matches than this of one file are never needed.
    most: usize,
}

/// Why an expression was not understood: where, and in what way.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the expression is not one")]
pub(crate) struct ExpressionError;

/// How an expression is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Case {
    Counts,
    Ignored,
}

impl<'a> Query<'a> {
    pub(crate) fn new(expression: &str, case: Case) -> Result<Self, ExpressionError> {
        let matcher = RegexMatcherBuilder::new()
            .line_terminator(Some(b'\n'))
            .case_insensitive(case == Case::Ignored)
            .size_limit(MAX_EXPRESSION_BYTES)
            .dfa_size_limit(MAX_EXPRESSION_BYTES)
            .build(expression)
            .map_err(|_| ExpressionError)?;
        Ok(Self { matcher, glob: None, context: 0, resume: None, most: usize::MAX })
    }

    /// In files whose path matches.
    pub(crate) fn in_files(self, glob: Option<&'a Pattern>) -> Self {
        Self { glob, ..self }
    }

    /// With so many lines around each match.
    pub(crate) fn with_context(self, context: usize) -> Self {
        Self { context, ..self }
    }

    /// The matches of one file.
    pub(crate) fn search(
        self,
        file: File,
        size: usize,
        turn: &dyn Turn,
    ) -> Result<Catch, LookError> {
        let query = Self { most: size.saturating_add(1), ..self };
        let over = || go_on(turn).is_err();
        let catch = query.open(&mut query.tool(), Opened { path: "", file, over: &over });
        go_on(turn).map(|()| catch.unwrap_or_default())
    }

    /// Only what comes after this line of this file.
    pub(crate) fn after(self, resume: Option<(&'a str, u64)>) -> Self {
        Self { resume, ..self }
    }
}

/// What was found in one file.
#[derive(Debug, Default)]
pub(crate) struct Catch {
    pub(crate) hits: Vec<Hit>,
    /// Whether the file holds a private key, which a single line does not show.
    pub(crate) holds_key: bool,
}

/// One line that matches.
#[derive(Debug)]
pub(crate) struct Hit {
    pub(crate) line: u64,
    pub(crate) text: Line,
    pub(crate) before: Vec<Line>,
    pub(crate) after: Vec<Line>,
}

/// A line without its end.
#[derive(Debug)]
pub(crate) struct Line {
    pub(crate) text: String,
    /// Whether the line is longer than what is shown.
    pub(crate) cut: bool,
}

impl Line {
    fn new(bytes: &[u8]) -> Self {
        let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
        let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
        let shown = &bytes[..bytes.len().min(MAX_SHOWN_BYTES)];
        let cut = shown.len() < bytes.len();
        let text = String::from_utf8_lossy(shown);
        // A character must not be cut in two.
        let text = if cut { text.trim_end_matches('\u{fffd}') } else { &text };
        Self { text: text.to_owned(), cut }
    }
}

impl Hit {
    /// How much of a page it takes.
    pub(crate) fn weight(&self) -> Weight {
        let around = self.before.iter().chain(&self.after).map(|line| line.text.len() + 8);
        Weight { count: 1, bytes: self.text.text.len() + 64 + around.sum::<usize>() }
    }
}

impl World {
    /// The page of matches below `target`, by the bytes of their paths, then by line; at least one
    /// file's more than fits if there is more.
    pub(crate) fn grep(
        &self,
        target: &VisibilityRef,
        query: Query<'_>,
        bounds: &Bounds<'_>,
        turn: &dyn Turn,
    ) -> Result<Gathered<Catch>, LookError> {
        let query = Query { most: bounds.size.saturating_add(1), ..query };
        self.walk_below(target, bounds, Order::Bytes, &query, turn)
    }
}

impl Harvest for Query<'_> {
    type Fruit = Catch;
    /// A searcher with its buffers, and a matcher that no other worker waits for.
    type Tool = (Searcher, RegexMatcher);

    fn tool(&self) -> Self::Tool {
        let searcher = SearcherBuilder::new()
            .binary_detection(BinaryDetection::quit(0))
            .heap_limit(Some(MAX_LINE_BYTES))
            .line_number(true)
            .before_context(self.context)
            .after_context(self.context)
            .build();
        (searcher, self.matcher.clone())
    }

    fn folder(&self, _path: &str) -> Option<Catch> {
        None
    }

    fn could_want(&self, name: &str) -> bool {
        self.glob.is_none_or(|glob| glob.may_match_name(name))
    }

    fn file(&self, path: &str) -> Want<Catch> {
        let wanted = self.glob.is_none_or(|glob| glob.matches(path));
        if wanted { Want::Content } else { Want::Nothing }
    }

    fn open(&self, (searcher, matcher): &mut Self::Tool, opened: Opened<'_>) -> Option<Catch> {
        let after =
            self.resume.filter(|(path, _)| *path == opened.path).map_or(0, |(_, line)| line);
        let mut hits = Hits { most: self.most, after, ..Hits::default() };
        let mut reader =
            Watched { file: opened.file, over: opened.over, tail: Vec::new(), holds_key: false };
        // What cannot be read to its end (a line too long, a fault of the disk, the end of the
        // call) still has the matches found before.
        let _ = searcher.search_reader(&*matcher, &mut reader, &mut hits);
        let holds_key = reader.holds_key;
        let found = !hits.binary && !hits.found.is_empty();
        found.then_some(Catch { hits: hits.found, holds_key })
    }

    fn weight(&self, _key: &str, catch: &Catch) -> Weight {
        let mut weight = Weight::default();
        for hit in &catch.hits {
            weight.add(hit.weight());
        }
        weight
    }
}

/// A file that ends when the call is over, and is watched for private keys on its way.
struct Watched<'a> {
    file: File,
    over: &'a dyn Fn() -> bool,
    /// The last bytes of the read before: a mark may fall between two reads.
    tail: Vec<u8>,
    holds_key: bool,
}

/// What every private key in text form has in its first line.
const KEY_MARK: &[u8] = b"PRIVATE KEY";

impl Watched<'_> {
    fn watch(&mut self, bytes: &[u8]) {
        let marked = |bytes: &[u8]| memchr::memmem::find(bytes, KEY_MARK).is_some();
        self.tail.extend_from_slice(&bytes[..bytes.len().min(KEY_MARK.len())]);
        self.holds_key |= marked(&self.tail) || marked(bytes);
        let kept = bytes.len().saturating_sub(KEY_MARK.len());
        self.tail.clear();
        self.tail.extend_from_slice(&bytes[kept..]);
    }
}

impl Read for Watched<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if (self.over)() {
            return Ok(0);
        }
        let read = self.file.read(buffer)?;
        self.watch(&buffer[..read]);
        Ok(read)
    }
}

/// The matches of one file as they come.
#[derive(Default)]
struct Hits {
    most: usize,
    after: u64,
    found: Vec<Hit>,
    weight: Weight,
    before: Vec<Line>,
    binary: bool,
}

impl Sink for Hits {
    type Error = io::Error;

    fn matched(&mut self, _searcher: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        let line = found.line_number().unwrap_or_default();
        let before = std::mem::take(&mut self.before);
        if line <= self.after {
            return Ok(true);
        }
        if let Some(last) = self.found.last() {
            self.weight.add(last.weight());
        }
        if self.weight.overflows(self.most) {
            return Ok(false);
        }
        let text = Line::new(found.bytes());
        self.found.push(Hit { line, text, before, after: Vec::new() });
        Ok(self.found.len() < self.most)
    }

    fn context(&mut self, _searcher: &Searcher, line: &SinkContext<'_>) -> io::Result<bool> {
        match line.kind() {
            SinkContextKind::Before => self.before.push(Line::new(line.bytes())),
            SinkContextKind::After => {
                if let Some(last) = self.found.last_mut() {
                    last.after.push(Line::new(line.bytes()));
                }
            }
            SinkContextKind::Other => {}
        }
        Ok(true)
    }

    fn binary_data(&mut self, _searcher: &Searcher, _offset: u64) -> io::Result<bool> {
        self.binary = true;
        Ok(false)
    }

    fn finish(&mut self, _searcher: &Searcher, end: &SinkFinish) -> io::Result<()> {
        self.binary |= end.binary_byte_offset().is_some();
        Ok(())
    }
}
