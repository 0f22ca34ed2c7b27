//! The lines below a directory, or of one file, that match a regular expression.
//!
//! Files are streamed through ripgrep's searcher: memory use depends on the longest accepted line,
//! not on the file. A file with a NUL byte is binary and has no lines. A line counts only if it
//! still matches as the agent will see it, so that nobody can guess at what is masked.

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::VecDeque;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};

use cap_std::fs::File;
use grep_matcher::Matcher;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{
    BinaryDetection, Searcher, SearcherBuilder, Sink, SinkContext, SinkFinish, SinkMatch,
};
use mere_core::reply::json_length;
use mere_core::secrets;
use mere_core::text::pattern::Pattern;
use mere_core::turn::Turn;

use super::find::SweepBounds;
use super::key_watch::{KeyWatchingReader, PrivateKeyContext};
use super::list::{TraversalError, check_active};
use super::sweep::{Collector, FileInterest, OpenedFile, PathOrder, SweepPage, Weight};
use super::{VisibilityRef, World};
use mere_host::read_at;

/// The longest line that is searched. The search of a file ends at a longer one.
const MAX_LINE_BYTES: usize = 4 * 1024 * 1024;
/// The largest part of a line that is shown.
const MAX_SHOWN_BYTES: usize = 2000;
/// The part after it that is kept and judged with it.
const MARGIN_BYTES: usize = 4096;
/// The largest size of a compiled expression.
const MAX_EXPRESSION_BYTES: usize = 8 * 1024 * 1024;
/// How much before a line is read to see whether a name there assigns the line's value.
const MAX_BEFORE_BYTES: usize = 8 * 1024;

/// Prepares lines for the caller.
pub(crate) trait LineRenderer: Sync {
    /// Returns the line with its secrets masked.
    fn mask(&self, path: &str, line: String, context: &LineContext) -> ShownLine;

    /// Returns the line as it will leave the gate; `None` if the gate will withhold it.
    fn preview<'l>(&self, line: &'l str) -> Option<Cow<'l, str>>;
}

/// What precedes a line in its file, as far as it matters for secrets.
pub(crate) struct LineContext {
    pub(crate) key: PrivateKeyContext,
    /// The text right before the line, if the line could be a value that is assigned there.
    pub(crate) before: String,
    /// How many bytes of the line are shown.
    pub(crate) shown: usize,
}

/// The expression that is searched for, and the bounds of the search.
pub(crate) struct GrepQuery<'a> {
    matcher: RegexMatcher,
    renderer: &'a dyn LineRenderer,
    glob: Option<&'a Pattern>,
    context: usize,
    /// The file that the page begins in, and the last line of the previous page.
    resume: Option<(&'a str, u64)>,
    /// The number of matches after which the search of a file stops.
    max_matches: usize,
    /// The number of files that could not be searched to their end.
    unfinished: AtomicU64,
}

/// The error for an expression that cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the expression is not valid")]
pub(crate) struct ExpressionError;

/// Says whether an expression distinguishes upper and lower case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Case {
    Sensitive,
    Ignored,
}

impl<'a> GrepQuery<'a> {
    pub(crate) fn new(
        expression: &str,
        case: Case,
        renderer: &'a dyn LineRenderer,
    ) -> Result<Self, ExpressionError> {
        let matcher = RegexMatcherBuilder::new()
            .line_terminator(Some(b'\n'))
            .case_insensitive(case == Case::Ignored)
            .size_limit(MAX_EXPRESSION_BYTES)
            .dfa_size_limit(MAX_EXPRESSION_BYTES)
            .build(expression)
            .map_err(|_| ExpressionError)?;
        let (glob, resume, context, most) = (None, None, 0, usize::MAX);
        let unfinished = AtomicU64::new(0);
        Ok(Self { matcher, renderer, glob, context, resume, max_matches: most, unfinished })
    }

    /// Restricts the search to files whose path matches.
    pub(crate) fn in_files(self, glob: Option<&'a Pattern>) -> Self {
        Self { glob, ..self }
    }

    /// Includes this many lines around each match.
    pub(crate) fn with_context(self, context: usize) -> Self {
        Self { context, ..self }
    }

    /// Restricts the search to what follows this line of this file.
    pub(crate) fn after(self, resume: Option<(&'a str, u64)>) -> Self {
        Self { resume, ..self }
    }

    /// Searches one file.
    pub(crate) fn search(
        &mut self,
        file: File,
        size: usize,
        turn: &dyn Turn,
    ) -> Result<Vec<LineMatch>, TraversalError> {
        self.max_matches = size.saturating_add(1);
        let is_cancelled = || check_active(turn).is_err();
        let hits = self.collect_file(
            &mut self.make_scratch(),
            OpenedFile { path: "", file, is_over: &is_cancelled },
        );
        check_active(turn).map(|()| hits.unwrap_or_default())
    }

    /// Returns how many files could not be searched to their end.
    pub(crate) fn unfinished_files(&self) -> u64 {
        self.unfinished.load(Ordering::Relaxed)
    }
}

/// One line that matches.
#[derive(Debug)]
pub(crate) struct LineMatch {
    pub(crate) line: u64,
    pub(crate) text: ShownLine,
    pub(crate) before: Vec<ShownLine>,
    pub(crate) after: Vec<ShownLine>,
}

/// A line without its line end and its secrets.
#[derive(Clone, Debug)]
pub(crate) struct ShownLine {
    /// The line, and if it is cut, some of what follows the cut, which is judged and not shown.
    pub(crate) text: String,
    /// How many bytes of the text are shown.
    pub(crate) shown: usize,
    /// True if the line is longer than what is shown.
    pub(crate) cut: bool,
    /// The number of secrets that were masked in it.
    pub(crate) masked: u64,
}

impl LineMatch {
    /// Returns how much of a page it takes, with the path of its file.
    pub(crate) fn weight(&self, path: &str) -> Weight {
        let lines = self.before.iter().chain(&self.after).chain([&self.text]);
        let lines = lines.map(|line| json_length(&line.text[..line.shown]) + 8).sum::<usize>();
        Weight { count: 1, bytes: lines + json_length(path) + 128 }
    }
}

impl World {
    /// Returns the page of matches below `target`, ordered by the bytes of their paths, then by
    /// line. If there is more, the result goes beyond the page by at least one match.
    pub(crate) fn grep(
        &self,
        target: &VisibilityRef,
        query: &mut GrepQuery<'_>,
        bounds: &SweepBounds<'_>,
        turn: &dyn Turn,
    ) -> Result<SweepPage<Vec<LineMatch>>, TraversalError> {
        query.max_matches = bounds.size.saturating_add(1);
        self.sweep_below(target, bounds, query, turn)
    }
}

impl Collector for GrepQuery<'_> {
    type Output = Vec<LineMatch>;
    /// A searcher with its buffers, and a matcher that is not shared with other workers.
    type Scratch = (Searcher, RegexMatcher);
    const ORDER: PathOrder = PathOrder::Bytes;

    fn make_scratch(&self) -> Self::Scratch {
        let searcher = SearcherBuilder::new()
            .binary_detection(BinaryDetection::quit(0))
            .heap_limit(Some(MAX_LINE_BYTES))
            // Files that `read` reports as binary have no lines here either.
            .bom_sniffing(false)
            .line_number(true)
            .before_context(self.context)
            .after_context(self.context)
            .build();
        (searcher, self.matcher.clone())
    }

    fn collect_folder(&self, _path: &str) -> Option<Vec<LineMatch>> {
        None
    }

    fn may_want_name(&self, name: &str) -> bool {
        self.glob.is_none_or(|glob| glob.may_match_name(name))
    }

    fn match_file(&self, path: &str) -> FileInterest<Vec<LineMatch>> {
        let wanted = self.glob.is_none_or(|glob| glob.matches(path));
        if wanted { FileInterest::Content } else { FileInterest::Nothing }
    }

    fn collect_file(
        &self,
        (searcher, matcher): &mut Self::Scratch,
        opened: OpenedFile<'_>,
    ) -> Option<Vec<LineMatch>> {
        let resumed = self.resume.filter(|(path, _)| *path == opened.path);
        let key = Cell::new(PrivateKeyContext::NoKey);
        let (file, is_cancelled) = (&opened.file, opened.is_over);
        let mut hits = MatchSink {
            query: self,
            path: opened.path,
            matcher,
            file,
            key: &key,
            after: resumed.map_or(0, |(_, line)| line),
            found: Vec::new(),
            weight: Weight::default(),
            recent: VecDeque::new(),
            binary: false,
        };
        let mut reader = KeyWatchingReader::new(file, is_cancelled, &key);
        // A file that cannot be read to its end (a line is too long, the disk fails, the call is
        // over) still has the matches found before.
        let ended = searcher.search_reader(&*matcher, &mut reader, &mut hits);
        if ended.is_err() && !is_cancelled() {
            self.unfinished.fetch_add(1, Ordering::Relaxed);
        }
        (!hits.binary && !hits.found.is_empty()).then_some(hits.found)
    }

    fn weight(&self, key: &str, hits: &Vec<LineMatch>) -> Weight {
        let mut weight = Weight::default();
        for hit in hits {
            weight.add(hit.weight(key));
        }
        weight
    }
}

/// Collects the matches of one file.
struct MatchSink<'a> {
    query: &'a GrepQuery<'a>,
    path: &'a str,
    matcher: &'a RegexMatcher,
    file: &'a File,
    key: &'a Cell<PrivateKeyContext>,
    /// Lines up to this one were on the previous page.
    after: u64,
    found: Vec<LineMatch>,
    weight: Weight,
    /// The most recent lines, as many as may be shown around a match.
    recent: VecDeque<(u64, ShownLine)>,
    binary: bool,
}

impl MatchSink<'_> {
    /// Returns the text before the line at `offset`, if the line could be a value that is assigned
    /// there.
    fn read_before(&self, line: &str, offset: u64) -> io::Result<String> {
        if !secrets::may_be_value_line(line) {
            return Ok(String::new());
        }
        let start = offset.saturating_sub(MAX_BEFORE_BYTES as u64);
        let mut before = vec![0; usize::try_from(offset - start).unwrap_or(MAX_BEFORE_BYTES)];
        let mut done = 0;
        while done < before.len() {
            match read_at(self.file, &mut before[done..], start + done as u64)? {
                0 => break,
                read => done += read,
            }
        }
        Ok(String::from_utf8_lossy(&before[..done]).into_owned())
    }

    /// Returns the line at `offset` as an agent sees it, and whether it still matches in that form.
    /// The whole line is judged, also what is not shown of it, so that nobody guesses at it.
    fn render_line(&self, bytes: &[u8], offset: u64) -> io::Result<(ShownLine, bool)> {
        let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
        let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
        let whole = String::from_utf8_lossy(bytes).into_owned();
        let before = self.read_before(&whole, offset)?;
        let shown = whole.floor_char_boundary(MAX_SHOWN_BYTES);
        let cut = shown < whole.len();
        let context = LineContext { key: self.key.get(), before, shown };
        let mut line = self.query.renderer.mask(self.path, whole, &context);
        line.cut = cut;
        let Some(seen) = self.query.renderer.preview(&line.text) else {
            return Ok((line, false));
        };
        let changed = line.masked > 0 || *seen != *line.text;
        let matches = !changed || self.matcher.is_match(seen.as_bytes()).unwrap_or(false);
        if cut {
            let kept = line.text.floor_char_boundary(line.shown + MARGIN_BYTES);
            line.text.truncate(kept);
            line.text.shrink_to_fit();
        }
        Ok((line, matches))
    }

    /// Adds a line, matching or not, to the context of its neighbours.
    fn add_context(&mut self, number: u64, line: ShownLine) {
        let context_lines = self.query.context as u64;
        if context_lines == 0 {
            return;
        }
        for hit in self.found.iter_mut().rev().take_while(|hit| hit.line + context_lines >= number)
        {
            hit.after.push(line.clone());
        }
        self.recent.push_back((number, line));
        if self.recent.len() > self.query.context {
            self.recent.pop_front();
        }
    }
}

impl Sink for MatchSink<'_> {
    type Error = io::Error;

    fn matched(&mut self, _searcher: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        let number = found.line_number().unwrap_or_default();
        let (text, matches) = self.render_line(found.bytes(), found.absolute_byte_offset())?;
        if !matches || number <= self.after {
            self.add_context(number, text);
            return Ok(true);
        }
        if let Some(last) = self.found.last() {
            self.weight.add(last.weight(self.path));
        }
        if self.weight.overflows(self.query.max_matches) {
            return Ok(false);
        }
        let context_lines = self.query.context as u64;
        let before = self.recent.iter().filter(|(at, _)| at + context_lines >= number);
        let before = before.map(|(_, line)| line.clone()).collect();
        self.add_context(number, text.clone());
        self.found.push(LineMatch { line: number, text, before, after: Vec::new() });
        Ok(self.found.len() < self.query.max_matches)
    }

    fn context(&mut self, _searcher: &Searcher, line: &SinkContext<'_>) -> io::Result<bool> {
        let (text, _) = self.render_line(line.bytes(), line.absolute_byte_offset())?;
        self.add_context(line.line_number().unwrap_or_default(), text);
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
