//! `mere graph`: draws the links between knowledge entries, or checks them.
//!
//! The graph comes from the search index. Nothing is changed here, not even to fix a link.

use mere_core::graph::{Cycle, Graph, GraphReport, Node, NodeId, Resolution, Subgraph};
use mere_core::item::{ItemRef, ItemType};
use mere_core::reply::{Content, Data, Draft, Fields, Prose, codes};
use mere_core::request::{DrawingFormat, GraphCommand, LookupScope};

use super::CommandCall;
use crate::error::tool_error::ToolError;
use crate::files::view::count_phrase;
use crate::items::ItemReader;
use crate::items::find::NamedItem;
use crate::search::notes::incomplete_note;
use crate::search::{Coverage, IndexAnswer};

/// The largest number of findings of one kind that are listed.
const MAX_LISTED: usize = 200;

/// Draws or checks the graph.
pub(super) fn execute_graph_command(
    call: &CommandCall<'_>,
    command: &GraphCommand,
) -> Result<Draft, ToolError> {
    let visibility = call.search.visibility();
    let answer = call.search.with_current_index(|live_index| live_index.full_graph(visibility))?;
    let IndexAnswer { value: graph, coverage } = answer;
    match command {
        GraphCommand::Check => Ok(check_graph(&graph, coverage)),
        GraphCommand::Draw { entry, walk, format } => {
            let subgraph = match entry {
                None => Subgraph::entire_graph(&graph, walk),
                Some(name) => {
                    Subgraph::neighbourhood(&graph, find_focus(call.items, &graph, name)?, walk)
                }
            };
            Ok(draw(&subgraph, *format, coverage))
        }
    }
}

fn draw(subgraph: &Subgraph<'_>, format: DrawingFormat, coverage: Coverage) -> Draft {
    let drawing = match format {
        DrawingFormat::Text => subgraph.to_text(),
        DrawingFormat::Dot => subgraph.to_dot(),
        DrawingFormat::Json => subgraph.to_json(),
        DrawingFormat::Svg => subgraph.to_svg(),
    };
    let (entries, links) = (subgraph.entry_count() as u64, subgraph.link_count() as u64);
    let left_out = Some(subgraph.omitted_count() as u64).filter(|count| *count > 0);
    let data = Fields::default()
        .with("drawing", Content::body(drawing))
        .with("entries", entries)
        .with("links", links)
        .with_some("left_out", left_out)
        .with_some("incomplete", coverage.incomplete_field());
    let message = count_phrase(entries, "entry", "entries").and(" and ");
    let message = message.append(&count_phrase(links, "link", "links")).and(".");
    with_gap_note(Draft::success(codes::GRAPH, message).data(data), coverage)
}

/// Returns the node of a named entry. If there is none, the error is the same as that of every
/// other command.
fn find_focus(items: &ItemReader<'_>, graph: &Graph, name: &ItemRef) -> Result<NodeId, ToolError> {
    match graph.resolve(ItemType::Knowledge, name) {
        Resolution::One(node) => Ok(node),
        Resolution::Several(_) | Resolution::Nothing => {
            let found = items.find_for_use(NamedItem {
                kind: ItemType::Knowledge,
                item: name,
                source: LookupScope::Local,
            })?;
            // The entry exists but cannot be read, so it has no links to draw.
            let missing = crate::items::ItemError::Missing {
                kind: ItemType::Knowledge,
                item: Box::new(name.clone()),
                scopes: vec![found.place.scope],
                suggestions: Vec::new(),
                script: None,
            };
            graph.node_at(&found.place).ok_or_else(|| missing.into())
        }
    }
}

/// Says why entries may be missing, if they may.
fn with_gap_note(draft: Draft, coverage: Coverage) -> Draft {
    match coverage.gap() {
        Some(gap) => draft.hint(Prose::words(incomplete_note(gap))),
        None => draft,
    }
}

fn check_graph(graph: &Graph, coverage: Coverage) -> Draft {
    let found = graph.check();
    let mut findings = GraphFindings { graph, checks: Vec::new() };
    findings.add_all(&found);
    let is_sound = found.is_sound();
    let data = Fields::default()
        .with("checks", Data::List(findings.checks))
        .with("entries", graph.len() as u64)
        .with("links", graph.link_count() as u64)
        .with_some("incomplete", coverage.incomplete_field());
    if is_sound {
        let message = Prose::words("The links of ")
            .append(&count_phrase(graph.len() as u64, "entry", "entries"))
            .and(" are sound.");
        with_gap_note(Draft::success(codes::GRAPH_CHECKED, message).data(data), coverage)
    } else {
        Draft::fault(codes::GRAPH_FINDINGS, "Some links need to be fixed.").data(data)
    }
}

/// One finding, in the words of `mere doctor`.
struct GraphFinding {
    state: &'static str,
    check: &'static str,
    what: String,
    fix: Option<String>,
}

/// Collects findings in the format of `mere doctor`.
struct GraphFindings<'a> {
    graph: &'a Graph,
    checks: Vec<Data>,
}

impl GraphFindings<'_> {
    fn add_all(&mut self, found: &GraphReport) {
        self.add_unresolved_links(found);
        for cycle in found.cycles.iter().take(MAX_LISTED) {
            self.add_cycle(cycle);
        }
        self.add_left_out("cycle", found.cycles.len());
        self.add_contradictions(found);
        for node in found.orphans.iter().take(MAX_LISTED) {
            let what = "it has no links in either direction".to_owned();
            self.add_finding(
                *node,
                GraphFinding { state: "note", check: "orphan", what, fix: None },
            );
        }
        self.add_left_out("orphan", found.orphans.len());
    }

    fn add_unresolved_links(&mut self, found: &GraphReport) {
        for one in found.dangling.iter().take(MAX_LISTED) {
            let fix = one.suggestion.map(|near| format!("Did you mean `{}`?", self.node(near)));
            let fix = fix.unwrap_or_else(|| "Write that entry, or remove the link.".to_owned());
            let what =
                format!("`{}` leads to `{}`, which does not exist", one.relation, one.target);
            let fix = Some(fix);
            self.add_finding(
                one.from,
                GraphFinding { state: "wrong", check: "dangling", what, fix },
            );
        }
        self.add_left_out("dangling", found.dangling.len());
        for one in found.ambiguous.iter().take(MAX_LISTED) {
            let fits = one.candidates.iter().map(|node| format!("`{}`", self.node(*node).name()));
            let fix = format!("Name one of them: {}.", fits.collect::<Vec<_>>().join(", "));
            let what = format!(
                "`{}` leads to `{}`, which matches several entries",
                one.relation, one.target
            );
            let fix = Some(fix);
            self.add_finding(
                one.from,
                GraphFinding { state: "wrong", check: "ambiguous", what, fix },
            );
        }
        self.add_left_out("ambiguous", found.ambiguous.len());
    }

    fn add_contradictions(&mut self, found: &GraphReport) {
        for one in found.contradictions.iter().take(MAX_LISTED) {
            let (first, second) = one.between;
            let although = one.conflicting_link.map(|(node, relation)| {
                format!(", although `{}` says `{relation}`", self.node(node))
            });
            let state = if although.is_some() { "wrong" } else { "note" };
            let although = although.unwrap_or_default();
            let what = format!("it and `{}` contradict each other{although}", self.node(second));
            self.add_finding(
                first,
                GraphFinding { state, check: "contradiction", what, fix: None },
            );
        }
        self.add_left_out("contradiction", found.contradictions.len());
    }

    /// Adds a note about how many findings of a kind are not listed.
    fn add_left_out(&mut self, check: &'static str, found: usize) {
        if found > MAX_LISTED {
            let more = found - MAX_LISTED;
            let fields = Fields::default()
                .with("check", check)
                .with("state", "note")
                .with("what", Content::mention(format!("{more} more of this kind are not listed")))
                .with("left_out", more as u64);
            self.checks.push(fields.into());
        }
    }

    fn add_cycle(&mut self, cycle: &Cycle) {
        let Some(first) = cycle.path.first() else { return };
        let path = cycle.path.iter().chain([first]).map(|node| format!("`{}`", self.node(*node)));
        let path = path.collect::<Vec<_>>().join(" → ");
        let others = match cycle.others {
            0 => String::new(),
            more => format!(" ({more} more in the same cluster)"),
        };
        let what = format!("`{}` forms a cycle: {path}{others}", cycle.relation);
        let fix = Some("Remove one of these links.".to_owned());
        self.add_finding(*first, GraphFinding { state: "wrong", check: "cycle", what, fix });
    }

    fn node(&self, node: NodeId) -> &Node {
        self.graph.node(node)
    }

    /// Adds one finding. Its text is content, because names and targets were written by people.
    fn add_finding(&mut self, node: NodeId, finding: GraphFinding) {
        let GraphFinding { state, check, what, fix } = finding;
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
