//! The `grep` tool: finds lines that match a regular expression.
//!
//! It returns one page at a time, ordered by path and line. Secrets are masked before a line is
//! matched, so a search cannot be used to guess at them.

use std::borrow::Cow;

use mere_core::address::{Address, RelPath};
use mere_core::cursor::Cursor;
use mere_core::digest::Sha256;
use mere_core::reply::{Content, Data, Draft, Fields, codes};
use mere_core::request::Grep;
use mere_core::turn::Turn;

use crate::files::error::FileError;
use crate::files::read;
use crate::files::redaction::MaskedText;
use crate::files::view::{View, count_phrase, cursor_data, nonzero, omitted_fields, page_reply};
use crate::world::{
    Case, GrepQuery, LineContext, LineMatch, LineRenderer, Omitted, PathKind, Position,
    PrivateKeyContext, ShownLine, SweepBounds, SweepPage, VisibilityRef, Weight,
};

/// Separates a file's path from a line number in a cursor. No path contains it.
const LINE_SEPARATOR: char = '\n';

/// Lists one page of the lines that match.
pub(crate) fn grep(view: &View<'_>, call: &Grep, turn: &dyn Turn) -> Result<Draft, FileError> {
    let target = view.resolve(&call.path)?;
    let case = if call.ignore_case { Case::Ignored } else { Case::Sensitive };
    let renderer = AgentLineRenderer { view, target: &target };
    let query =
        GrepQuery::new(&call.pattern, case, &renderer).map_err(|_| FileError::InvalidExpression)?;
    let name = cursor_name(call);
    let start =
        call.cursor.as_ref().map(|cursor| PageStart::from_cursor(cursor, &name, target.address()));
    let start = start.transpose()?;
    let resume =
        start.as_ref().and_then(|start| start.line.map(|line| (start.position.key(), line)));
    let mut query = query.in_files(call.glob.as_ref()).with_context(call.context).after(resume);
    let mut page = match target.kind() {
        PathKind::Directory => {
            let start = start.as_ref().map(|start| &start.position);
            let bounds = SweepBounds { depth: usize::MAX, size: call.limit, start };
            let page = view.world.grep(&target, &mut query, &bounds, turn);
            page.map_err(|error| FileError::from_traversal(error, target.address()))?
        }
        PathKind::File => search_file(&target, &mut query, call.limit, turn)?,
    };
    let next = truncate_to_page(&mut page, call.limit, target.address());
    let next = next.map(|position| Cursor::new(&name, target.address(), &position));
    let page =
        MatchPage { sweep_page: page, unfinished: query.unfinished_files(), next: next.as_ref() };
    Ok(grep_reply(view, target.address(), &page))
}

/// Returns the name that ties a cursor to one query.
fn cursor_name(call: &Grep) -> String {
    let glob = call.glob.as_ref().map_or("", |glob| glob.as_str());
    let question = format!("{}\0{glob}\0{}", call.pattern, call.ignore_case);
    format!("grep {}", Sha256::digest(question.as_bytes()))
}

/// Where a page begins.
struct PageStart {
    position: Position,
    /// The last line of the previous page, if that page ended within a file.
    line: Option<u64>,
}

impl PageStart {
    fn from_cursor(cursor: &Cursor, name: &str, target: &Address) -> Result<Self, FileError> {
        let text = cursor.position(name, target).ok_or(FileError::WrongCursor)?;
        if let Some((path, line)) = text.split_once(LINE_SEPARATOR) {
            let line = line.parse().map_err(|_| FileError::WrongCursor)?;
            return Ok(Self { position: Position::From(path.to_owned()), line: Some(line) });
        }
        let position = Position::from_text(text).ok_or(FileError::WrongCursor)?;
        Ok(Self { position, line: None })
    }
}

type GrepPage = SweepPage<Vec<LineMatch>>;

fn search_file(
    target: &VisibilityRef,
    query: &mut GrepQuery<'_>,
    limit: usize,
    turn: &dyn Turn,
) -> Result<GrepPage, FileError> {
    let hits = query.search(read::open_visible_file(target)?, limit, turn);
    let hits = hits.map_err(|error| FileError::from_traversal(error, target.address()))?;
    Ok(SweepPage {
        entries: vec![(String::new(), hits)],
        omitted: Omitted::default(),
        resume_at: None,
    })
}

/// Drops what does not fit on the page, within a file if necessary, and returns where the next page
/// begins.
fn truncate_to_page(page: &mut GrepPage, limit: usize, target: &Address) -> Option<String> {
    let base = target.to_text().len();
    let mut total = Weight::default();
    for index in 0..page.entries.len() {
        let (path, hits) = &mut page.entries[index];
        let fits = hits.iter().take_while(|hit| {
            let first = total == Weight::default();
            total.add(hit.weight(path));
            total.bytes += base;
            first || !total.overflows(limit)
        });
        let fits = fits.count();
        if fits < hits.len() {
            let path = path.clone();
            let last = fits.checked_sub(1).map(|last| hits[last].line);
            hits.truncate(fits);
            page.entries.truncate(index + usize::from(fits > 0));
            return Some(match last {
                Some(line) => format!("{path}{LINE_SEPARATOR}{line}"),
                None => Position::From(path).to_text(),
            });
        }
    }
    page.resume_at.take().map(|rest| rest.to_text())
}

/// One page of matches, and what it leaves out.
struct MatchPage<'a> {
    sweep_page: GrepPage,
    /// How many files were not searched to their end.
    unfinished: u64,
    next: Option<&'a Cursor>,
}

fn grep_reply(view: &View<'_>, target: &Address, page: &MatchPage<'_>) -> Draft {
    let MatchPage { sweep_page, unfinished, next } = page;
    let (unfinished, next) = (*unfinished, *next);
    let mut matches = Vec::new();
    let (mut files, mut unaddressable, mut masked) = (0_u64, 0_u64, 0_u64);
    for (path, hits) in sweep_page.entries.iter().filter(|(_, hits)| !hits.is_empty()) {
        let below = path.parse::<RelPath>().ok();
        let Some(address) =
            below.and_then(|below| view.descendant_address(target, &below, PathKind::File))
        else {
            unaddressable += 1;
            continue;
        };
        files += 1;
        for hit in hits {
            let lines = hit.before.iter().chain(&hit.after).chain([&hit.text]);
            masked += lines.map(|line| line.masked).sum::<u64>();
            matches.push(match_data(&address, hit));
        }
    }
    let count = matches.len() as u64;
    let data = Fields::default()
        .with("target", target.clone())
        .with("matches", Data::List(matches))
        .with("count", count)
        .with("files", files)
        .with_some("masked", nonzero(masked))
        .with_some("unfinished", nonzero(unfinished))
        .with_all(omitted_fields(&sweep_page.omitted, unaddressable))
        .with_some("next", next.map(cursor_data));
    let files = format!(" in {files} {}", if files == 1 { "file" } else { "files" });
    page_reply(codes::GREP, count_phrase(count, "match", "matches").and(files), next).data(data)
}

fn match_data(address: &Address, hit: &LineMatch) -> Data {
    let text = |line: &ShownLine| Data::from(Content::body(line.text.as_str()).cut_at(line.shown));
    let lines = |lines: &[ShownLine]| {
        let data = lines.iter().map(text).collect::<Data>();
        (!lines.is_empty()).then_some(data)
    };
    Fields::default()
        .with("path", address.clone())
        .with("line", hit.line)
        .with("text", text(&hit.text))
        .with_some("cut", hit.text.cut.then_some(true))
        .with_some("before", lines(&hit.before))
        .with_some("after", lines(&hit.after))
        .into()
}

/// Shows lines to the search as the agent will see them.
struct AgentLineRenderer<'a> {
    view: &'a View<'a>,
    target: &'a VisibilityRef,
}

impl LineRenderer for AgentLineRenderer<'_> {
    fn mask(&self, path: &str, line: String, context: &LineContext) -> ShownLine {
        let masked = if self.view.world.is_confirmed(self.target, path) {
            MaskedText::unmasked(line)
        } else if context.key == PrivateKeyContext::KeyBefore {
            MaskedText::mask_line_near_key(&context.before, &line)
        } else {
            MaskedText::mask_part(&context.before, line)
        };
        let shown = masked.shown_offset(context.shown);
        ShownLine { shown, cut: false, masked: masked.count, text: masked.text }
    }

    fn preview<'l>(&self, line: &'l str) -> Option<Cow<'l, str>> {
        self.view.gate.preview(line, self.view.agent)
    }
}
