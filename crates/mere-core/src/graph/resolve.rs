//! Resolves names: `category/id` exactly, or a bare id that only one entry of the winning scope
//! has. The type of the linking entry comes before other types, and project before user, unless
//! nobody vouches for the project's entry and somebody does for the user's.

use std::cmp::Ordering;

use super::Graph;
use super::node::{Node, NodeId};
use crate::item::{Category, ItemId, ItemRef, ItemType, Scope};
use crate::trust::Vouching;

/// The most candidates that are returned.
const MAX_CANDIDATES: usize = 20;

/// The result of resolving a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Resolution {
    /// One entry.
    One(NodeId),
    /// Several entries of the winning scope, in different categories; the first twenty.
    Several(Vec<NodeId>),
    /// No entry.
    Nothing,
}

impl Graph {
    /// Resolves a name that is used by an item of type `kind`.
    pub fn resolve(&self, kind: ItemType, name: &ItemRef) -> Resolution {
        if name.version.is_some() {
            return Resolution::Nothing;
        }
        let own_first = [kind].into_iter().chain(ItemType::ALL.into_iter().filter(|k| *k != kind));
        let same_id = if name.category.is_none() { self.nodes_with_id(&name.id) } else { &[] };
        let mut found = own_first.map(|kind| match &name.category {
            Some(category) => self.find_exact(kind, category, &name.id),
            None => self.choose_by_type(kind, same_id),
        });
        found.find(|found| *found != Resolution::Nothing).unwrap_or(Resolution::Nothing)
    }

    /// Parses and resolves a name as it is written.
    pub(super) fn resolve_text(&self, kind: ItemType, target: &str) -> Resolution {
        target.parse::<ItemRef>().map_or(Resolution::Nothing, |name| self.resolve(kind, &name))
    }

    fn find_exact(&self, kind: ItemType, category: &Category, id: &ItemId) -> Resolution {
        let key = (category, id, kind, Scope::Project);
        let at = self.nodes.partition_point(|node| node.sort_key() < key);
        let fits =
            |node: &&Node| *node.category == *category && node.id == *id && node.kind == kind;
        let mut same_name = self.nodes[at..].iter().take_while(fits);
        match same_name.position(|node| !node.is_shadowed) {
            Some(offset) => Resolution::One(NodeId(super::edges::to_u32(at + offset))),
            None => Resolution::Nothing,
        }
    }

    /// Chooses among the entries that have the same id.
    fn choose_by_type(&self, kind: ItemType, same_id: &[NodeId]) -> Resolution {
        let of_kind = equal_range(same_id, |at| self.node(at).kind.cmp(&kind));
        if let [one] = of_kind {
            return Resolution::One(*one);
        }
        let candidates = of_kind.iter().map(|at| (self.node(*at).scope, self.node(*at).vouching));
        let Some(scope) = Vouching::winning_scope(kind, candidates) else {
            return Resolution::Nothing;
        };
        let own = equal_range(of_kind, |at| self.node(at).scope.cmp(&scope));
        // A farther scope wins by what is vouched for in it, and by nothing else.
        let is_passed_over = of_kind.first().is_some_and(|at| self.node(*at).scope != scope);
        let least = if is_passed_over { Vouching::Person } else { Vouching::Nobody };
        let counted = own.iter().filter(|at| self.node(**at).vouching.counts_against(least));
        match &counted.take(MAX_CANDIDATES).copied().collect::<Vec<_>>()[..] {
            [one] => Resolution::One(*one),
            several => Resolution::Several(several.to_vec()),
        }
    }

    fn nodes_with_id(&self, id: &ItemId) -> &[NodeId] {
        equal_range(&self.by_id, |at| self.node(at).id.cmp(id))
    }
}

/// Returns the range of a sorted list for which `compare` says equal, which is mostly one entry or
/// none.
fn equal_range(list: &[NodeId], compare: impl Fn(NodeId) -> Ordering) -> &[NodeId] {
    let start = list.partition_point(|at| compare(*at).is_lt());
    let rest = &list[start..];
    let is_in = |at: Option<&NodeId>| at.is_some_and(|at| compare(*at).is_eq());
    let length = match (is_in(rest.first()), is_in(rest.get(1))) {
        (false, _) => 0,
        (true, false) => 1,
        (true, true) => rest.partition_point(|at| compare(*at).is_le()),
    };
    &rest[..length]
}
