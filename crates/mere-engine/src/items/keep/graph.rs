//! `mere graph`: how knowledge hangs together, drawn or checked.

use mere_core::graph::{
    Cycle, Graph, GraphReport, Node, NodeId, Resolution, Subgraph, WalkOptions,
};
use mere_core::item::{ItemRef, ItemType};
use mere_core::reply::{Content, Data, Draft, Fields, Prose, codes};
use mere_core::request::{DrawingFormat, GraphCommand, LookupScope};

use crate::items::Desk;
use crate::items::find::find;
use crate::tool_error::ToolError;
use crate::view::count_phrase;

/// The most findings of one kind that are told.
const MAX_TOLD: usize = 200;

/// Does what is asked.
pub(super) fn graph(desk: &Desk<'_>, asked: &GraphCommand) -> Result<Draft, ToolError> {
    let graph = desk.searched(|library| desk.audience(|audience| library.web(audience)))?;
    match asked {
        GraphCommand::Check => Ok(check(&graph)),
        GraphCommand::Draw { entry, walk, format } => {
            draw(desk, &graph, entry.as_ref(), (walk, *format))
        }
    }
}

fn draw(
    desk: &Desk<'_>,
    graph: &Graph,
    entry: Option<&ItemRef>,
    (walk, format): (&WalkOptions, DrawingFormat),
) -> Result<Draft, ToolError> {
    let picture = match entry {
        None => Subgraph::entire_graph(graph, walk),
        Some(name) => Subgraph::neighbourhood(graph, focus(desk, graph, name)?, walk),
    };
    let drawing = match format {
        DrawingFormat::Text => picture.to_text(),
        DrawingFormat::Dot => picture.to_dot(),
        DrawingFormat::Json => picture.to_json(),
        DrawingFormat::Svg => picture.to_svg(),
    };
    let (entries, links) = (picture.entry_count() as u64, picture.link_count() as u64);
    let left_out = Some(picture.omitted_count() as u64).filter(|count| *count > 0);
    let data = Fields::default()
        .with("drawing", Content::body(drawing))
        .with("entries", entries)
        .with("links", links)
        .with_some("left_out", left_out);
    let message = count_phrase(entries, "entry", "entries").and(" and ");
    let message = message.append(&count_phrase(links, "link", "links")).and(".");
    Ok(Draft::success(codes::GRAPH, message).data(data))
}

/// The entry that a name means; the words for one that means none are those of every command.
fn focus(desk: &Desk<'_>, graph: &Graph, name: &ItemRef) -> Result<NodeId, ToolError> {
    match graph.resolve(ItemType::Knowledge, name) {
        Resolution::One(node) => Ok(node),
        Resolution::Several(_) | Resolution::Nothing => {
            let found =
                find(desk.stock, desk.view, (ItemType::Knowledge, name), LookupScope::Local)?;
            // It is there, and cannot be read: then it has no links to draw.
            let missing = crate::items::ItemError::Missing {
                kind: ItemType::Knowledge,
                item: Box::new(name.clone()),
                scopes: vec![found.place.scope],
                near: Vec::new(),
            };
            graph.node_at(&found.place).ok_or_else(|| missing.into())
        }
    }
}

fn check(graph: &Graph) -> Draft {
    let found = graph.check();
    let mut told = Told { graph, checks: Vec::new() };
    told.all(&found);
    let is_sound = found.is_sound();
    let data = Fields::default()
        .with("checks", Data::List(told.checks))
        .with("entries", graph.len() as u64)
        .with("links", graph.link_count() as u64);
    if is_sound {
        let message = Prose::words("The links of ")
            .append(&count_phrase(graph.len() as u64, "entry", "entries"))
            .and(" are sound.");
        Draft::success(codes::GRAPH_CHECKED, message).data(data)
    } else {
        Draft::fault(codes::GRAPH_FINDINGS, "Some links have to be mended.").data(data)
    }
}

/// Findings, as `mere doctor` tells its own.
struct Told<'a> {
    graph: &'a Graph,
    checks: Vec<Data>,
}

impl Told<'_> {
    fn all(&mut self, found: &GraphReport) {
        self.loose(found);
        for cycle in found.cycles.iter().take(MAX_TOLD) {
            self.cycle(cycle);
        }
        self.left_out("cycle", found.cycles.len());
        self.contradictions(found);
        for node in found.orphans.iter().take(MAX_TOLD) {
            let what = "nothing links to it, and it to nothing".to_owned();
            self.tell(("note", "orphan"), *node, (what, None));
        }
        self.left_out("orphan", found.orphans.len());
    }

    fn loose(&mut self, found: &GraphReport) {
        for one in found.dangling.iter().take(MAX_TOLD) {
            let fix = one.suggestion.map(|near| format!("Did you mean `{}`?", self.name(near)));
            let fix = fix.unwrap_or_else(|| "Write that entry, or take the link out.".to_owned());
            let what = format!("`{}` leads to `{}`, which is not there", one.relation, one.target);
            self.tell(("wrong", "dangling"), one.from, (what, Some(fix)));
        }
        self.left_out("dangling", found.dangling.len());
        for one in found.ambiguous.iter().take(MAX_TOLD) {
            let fits = one.candidates.iter().map(|node| format!("`{}`", self.name(*node).name()));
            let fix = format!("Say which: {}.", fits.collect::<Vec<_>>().join(", "));
            let what = format!("`{}` leads to `{}`, which is several", one.relation, one.target);
            self.tell(("wrong", "ambiguous"), one.from, (what, Some(fix)));
        }
        self.left_out("ambiguous", found.ambiguous.len());
    }

    fn contradictions(&mut self, found: &GraphReport) {
        for one in found.contradictions.iter().take(MAX_TOLD) {
            let (first, second) = one.between;
            let although = one.conflicting_link.map(|(node, relation)| {
                format!(", although `{}` says `{relation}`", self.name(node))
            });
            let state = if although.is_some() { "wrong" } else { "note" };
            let although = although.unwrap_or_default();
            let what = format!("it and `{}` contradict each other{although}", self.name(second));
            self.tell((state, "contradiction"), first, (what, None));
        }
        self.left_out("contradiction", found.contradictions.len());
    }

    /// Says how many findings of a kind are not told.
    fn left_out(&mut self, check: &'static str, found: usize) {
        if found > MAX_TOLD {
            let more = found - MAX_TOLD;
            let fields = Fields::default()
                .with("check", check)
                .with("state", "note")
                .with("what", Content::mention(format!("{more} more of this kind are not listed")))
                .with("left_out", more as u64);
            self.checks.push(fields.into());
        }
    }

    fn cycle(&mut self, cycle: &Cycle) {
        let Some(first) = cycle.path.first() else { return };
        let path = cycle.path.iter().chain([first]).map(|node| format!("`{}`", self.name(*node)));
        let path = path.collect::<Vec<_>>().join(" → ");
        let others = match cycle.others {
            0 => String::new(),
            more => format!(" ({more} more in the same knot)"),
        };
        let what = format!("`{}` goes in a circle: {path}{others}", cycle.relation);
        let fix = Some("Take one of these links out.".to_owned());
        self.tell(("wrong", "cycle"), *first, (what, fix));
    }

    fn name(&self, node: NodeId) -> &Node {
        self.graph.node(node)
    }

    /// Names and targets are what people wrote.
    fn tell(
        &mut self,
        (state, check): (&'static str, &'static str),
        node: NodeId,
        (what, fix): (String, Option<String>),
    ) {
        let address = self.graph.node(node).address();
        let fields = Fields::default()
            .with("check", check)
            .with("state", state)
            .with_some("address", address)
            .with("what", Content::mention(what))
            .with_some("fix", fix.map(Content::mention));
        self.checks.push(fields.into());
    }
}
