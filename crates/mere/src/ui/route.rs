//! Which pages there are.

use mere_core::item::{ItemRef, ItemType, Scope};
use mere_pages::Asset;

/// A page of `mere ui`.
#[derive(Clone, Debug)]
pub(super) enum UiRoute {
    /// All items with their trust.
    Items,
    /// One item.
    Item(ItemType, Scope, ItemRef),
    /// The changes that agents propose.
    Review,
    /// The memories of the store.
    Memories,
    /// The knowledge graph.
    Graph,
    /// The drawing of it.
    GraphPicture,
    /// What was run.
    Runs,
    /// What agents call.
    Calls,
    /// What agents are offered.
    Clients,
    /// Items by words.
    Search,
    /// A file that pages refer to.
    Asset(Asset),
}

impl UiRoute {
    /// Finds the page of a path.
    pub(super) fn parse(path: &str) -> Option<Self> {
        match path {
            "/" => Some(Self::Items),
            "/review" => Some(Self::Review),
            "/memories" => Some(Self::Memories),
            "/graph" => Some(Self::Graph),
            "/graph.svg" => Some(Self::GraphPicture),
            "/runs" => Some(Self::Runs),
            "/calls" => Some(Self::Calls),
            "/clients" => Some(Self::Clients),
            "/search" => Some(Self::Search),
            path => Asset::at(path).map(Self::Asset).or_else(|| parse_item(path)),
        }
    }
}

fn parse_item(path: &str) -> Option<UiRoute> {
    let mut parts = path.strip_prefix("/item/")?.splitn(3, '/');
    let (kind, scope, name) = (parts.next()?, parts.next()?, parts.next()?);
    Some(UiRoute::Item(kind.parse().ok()?, scope.parse().ok()?, name.parse().ok()?))
}
