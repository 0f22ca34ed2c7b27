//! The arguments of `mere graph`.
//!
//! They are only turned into a request here; the engine walks and draws the graph.

use clap::{Args, ValueEnum};
use mere_core::graph::{Direction, RelationSet, WalkDepth, WalkOptions};
use mere_core::item::{ItemRef, Relation};
use mere_core::request::{DrawingFormat, GraphCommand};

use super::AnswerArguments;

/// Knowledge entries are linked by the relations in their frontmatter and by `[[wikilinks]]`.
#[derive(Args)]
#[command(after_help = "Examples:
  mere graph paging                        the entries around one entry
  mere graph paging --depth 3 --incoming   what links to it, up to three links away
  mere graph --format svg > knowledge.svg  a picture of everything
  mere graph --check                       broken links, cycles, orphans")]
pub(crate) struct GraphArguments {
    /// The entry to start from, as `id` or `category/id` [default: all entries]
    entry: Option<ItemRef>,
    /// How many links away to go, from 1 to 5
    #[arg(long, default_value = "2")]
    depth: WalkDepth,
    /// The output format
    #[arg(long, value_enum, default_value_t = GraphFormatArgument::Text)]
    format: GraphFormatArgument,
    /// Follow only this relation; may be repeated
    #[arg(long = "relation", value_name = "RELATION")]
    relations: Vec<Relation>,
    /// Show only what the entry links to
    #[arg(long, conflicts_with = "incoming")]
    outgoing: bool,
    /// Show only what links to the entry
    #[arg(long)]
    incoming: bool,
    /// Look for broken links, cycles, contradictions and orphans
    #[arg(long, conflicts_with_all = ["entry", "depth", "format", "relations", "outgoing", "incoming"])]
    check: bool,
    #[command(flatten)]
    pub(crate) answer: AnswerArguments,
}

/// The format of a drawing.
#[derive(Clone, Copy, ValueEnum)]
enum GraphFormatArgument {
    Text,
    Dot,
    Json,
    Svg,
}

/// The most entries in a drawing.
const MAX_ENTRIES: usize = 2_000;

impl GraphArguments {
    /// Builds the request.
    pub(crate) fn to_request(&self) -> GraphCommand {
        if self.check {
            return GraphCommand::Check;
        }
        let direction = match (self.outgoing, self.incoming) {
            (true, _) => Direction::Outgoing,
            (_, true) => Direction::Incoming,
            _ => Direction::Both,
        };
        let relations = match self.relations.as_slice() {
            [] => RelationSet::ALL,
            some => some.iter().copied().collect(),
        };
        let format = match self.format {
            GraphFormatArgument::Text => DrawingFormat::Text,
            GraphFormatArgument::Dot => DrawingFormat::Dot,
            GraphFormatArgument::Json => DrawingFormat::Json,
            GraphFormatArgument::Svg => DrawingFormat::Svg,
        };
        let walk = WalkOptions { depth: self.depth, direction, relations, limit: MAX_ENTRIES };
        GraphCommand::Draw { entry: self.entry.clone(), walk, format }
    }
}
