//! The `grep` tool: which lines look like this?

use std::borrow::Cow;

use mere_core::address::{Address, RelPath};
use mere_core::cursor::Cursor;
use mere_core::digest::Sha256;
use mere_core::reply::{Content, Data, Draft, Fields, codes};
use mere_core::request::Grep;
use mere_core::turn::Turn;

use crate::read;
use crate::seen::Masked;
use crate::tool_error::ToolError;
use crate::view::{View, counted, cursor_data, page, some_count};
use crate::world::{
    Bounds, Case, Gathered, Hit, Key, Kind, Lens, Line, Position, Query, VisibilityRef, Weight,
};

/// Separates a file's path from a line in a cursor; no path has it.
const LINE: char = '\n';

/// One page of the lines that match.
pub(crate) fn grep(view: &View<'_>, call: &Grep, turn: &dyn Turn) -> Result<Draft, ToolError> {
    let target = view.resolve(&call.path)?;
    let case = if call.ignore_case { Case::Ignored } else { Case::Counts };
    let spectacles = Spectacles { view, target: &target };
    let query = Query::new(&call.pattern, case, &spectacles).map_err(|_| ToolError::Expression)?;
    let name = cursor_name(call);
    let start = call.cursor.as_ref().map(|cursor| Start::of(cursor, &name, target.address()));
    let start = start.transpose()?;
    let resume =
        start.as_ref().and_then(|start| start.line.map(|line| (start.position.key(), line)));
    let mut query = query.in_files(call.glob.as_ref()).with_context(call.context).after(resume);
    let mut gathered = match target.kind() {
        Kind::Directory => {
            let start = start.as_ref().map(|start| &start.position);
            let bounds = Bounds { depth: usize::MAX, size: call.limit, start };
            let gathered = view.world.grep(&target, &mut query, &bounds, turn);
            gathered.map_err(|error| ToolError::looking(error, target.address()))?
        }
        Kind::File => of_file(&target, &mut query, call.limit, turn)?,
    };
    let next = cut(&mut gathered, call.limit);
    let next = next.map(|position| Cursor::new(&name, target.address(), &position));
    Ok(answer(view, target.address(), &gathered, (query.unfinished(), next.as_ref())))
}

/// A cursor belongs to one question.
fn cursor_name(call: &Grep) -> String {
    let glob = call.glob.as_ref().map_or("", |glob| glob.as_str());
    let question = format!("{}\0{glob}\0{}", call.pattern, call.ignore_case);
    format!("grep {}", Sha256::digest(question.as_bytes()))
}

/// Where a page begins.
struct Start {
    position: Position,
    /// The last line of the page before, where it ended within a file.
    line: Option<u64>,
}

impl Start {
    fn of(cursor: &Cursor, name: &str, target: &Address) -> Result<Self, ToolError> {
        let text = cursor.position(name, target).ok_or(ToolError::Cursor)?;
        if let Some((path, line)) = text.split_once(LINE) {
            let line = line.parse().map_err(|_| ToolError::Cursor)?;
            return Ok(Self { position: Position::From(path.to_owned()), line: Some(line) });
        }
        let position = Position::from_text(text).ok_or(ToolError::Cursor)?;
        Ok(Self { position, line: None })
    }
}

type Found = Gathered<Vec<Hit>>;

fn of_file(
    target: &VisibilityRef,
    query: &mut Query<'_>,
    limit: usize,
    turn: &dyn Turn,
) -> Result<Found, ToolError> {
    let catch = query.search(read::open(target)?, limit, turn);
    let catch = catch.map_err(|error| ToolError::looking(error, target.address()))?;
    Ok(Gathered { found: vec![(String::new(), catch)], unaddressable: 0, rest: None })
}

/// Cuts off what the page does not hold, within a file if need be, and says where to go on.
fn cut(gathered: &mut Found, limit: usize) -> Option<String> {
    let mut total = Weight::default();
    for index in 0..gathered.found.len() {
        let (path, hits) = &mut gathered.found[index];
        let fits = hits.iter().take_while(|hit| {
            let first = total == Weight::default();
            total.add(hit.weight());
            first || !total.overflows(limit)
        });
        let fits = fits.count();
        if fits < hits.len() {
            let path = path.clone();
            let last = fits.checked_sub(1).map(|last| hits[last].line);
            hits.truncate(fits);
            gathered.found.truncate(index + usize::from(fits > 0));
            return Some(match last {
                Some(line) => format!("{path}{LINE}{line}"),
                None => Position::From(path).to_text(),
            });
        }
    }
    gathered.rest.take().map(|rest| rest.to_text())
}

fn answer(
    view: &View<'_>,
    target: &Address,
    gathered: &Found,
    (unfinished, next): (u64, Option<&Cursor>),
) -> Draft {
    let mut matches = Vec::new();
    let (mut files, mut unsaid, mut masked) = (0_u64, 0_u64, 0_u64);
    for (path, hits) in gathered.found.iter().filter(|(_, hits)| !hits.is_empty()) {
        let below = path.parse::<RelPath>().ok();
        let Some(address) = below.and_then(|below| view.below(target, &below, Kind::File)) else {
            unsaid += 1;
            continue;
        };
        files += 1;
        for hit in hits {
            let lines = hit.before.iter().chain(&hit.after).chain([&hit.text]);
            masked += lines.map(|line| line.masked).sum::<u64>();
            matches.push(data(&address, hit));
        }
    }
    let count = matches.len() as u64;
    let data = Fields::default()
        .with("target", target.clone())
        .with("matches", Data::List(matches))
        .with("count", count)
        .with("files", files)
        .with_some("masked", some_count(masked))
        .with_some("unfinished", some_count(unfinished))
        .with_some("unaddressable", some_count(gathered.unaddressable + unsaid))
        .with_some("next", next.map(cursor_data));
    let files = format!(" in {files} {}", if files == 1 { "file" } else { "files" });
    page(codes::GREP, counted(count, "match", "matches").and(files), next).data(data)
}

fn data(address: &Address, hit: &Hit) -> Data {
    let text = |line: &Line| Data::from(Content::body(line.text.as_str()));
    let lines = |lines: &[Line]| {
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

/// What a search sees of a line is what the agent will see.
struct Spectacles<'a> {
    view: &'a View<'a>,
    target: &'a VisibilityRef,
}

impl Lens for Spectacles<'_> {
    fn mask(&self, path: &str, line: String, key: Key) -> (String, u64) {
        if self.view.world.confirms(self.target, path) {
            return (line, 0);
        }
        let masked = match key {
            Key::Before => Masked::line_beside_a_key(&line),
            Key::None => Masked::whole(line),
        };
        (masked.text, masked.count)
    }

    fn preview<'l>(&self, line: &'l str) -> Option<Cow<'l, str>> {
        self.view.gate.preview(line, self.view.agent)
    }
}
