//! The effects of renaming an entry on the links of other items.
//!
//! Only a graph can resolve a name. Two small graphs are therefore built from every item that has
//! the old id or the new one, as it was before the rename and as it is after, and every link is
//! resolved in both.

use std::collections::HashSet;

use mere_core::graph::{Graph, GraphEntry, Node, Resolution};
use mere_core::item::{ItemRef, ItemType, ScopedPath};

use super::ItemPredicate;
use crate::search::error::SearchError;
use crate::search::update::live_index::LiveIndex;

/// A link that no longer leads where it led.
pub(crate) struct LinkChange {
    /// The item that states the link.
    pub(crate) source: ScopedPath,
    pub(crate) outcome: LinkOutcome,
    /// Whether it led to the entry that was renamed.
    pub(crate) led_to_renamed: bool,
}

/// What became of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LinkOutcome {
    /// It leads nowhere.
    Broken,
    /// It fits several entries, and fitted one before.
    Ambiguous,
    /// It leads to another entry than before, or to one entry although it fitted several.
    Redirected,
}

impl LiveIndex {
    /// Returns the links that no longer lead where they led before an entry moved from one place to
    /// another. The entry has moved already, and no link was changed yet.
    pub(crate) fn link_changes(
        &self,
        (from, to): (&ScopedPath, &ScopedPath),
        is_visible: ItemPredicate<'_>,
    ) -> Result<Vec<LinkChange>, SearchError> {
        let graphs = self.graphs_around_rename((from, to), is_visible)?;
        let (mut seen, mut changes) = (HashSet::new(), Vec::new());
        for (entry, name) in [(from, LinkedName::Old), (to, LinkedName::New)] {
            for (linked, link) in self.index.links_to(entry, None)? {
                let Some(source) = self.visible_place(&linked, is_visible) else { continue };
                let Ok(target) = link.target.parse::<ItemRef>() else { continue };
                if !seen.insert((linked.item, link)) {
                    continue;
                }
                let (outcome, led_to_renamed) = graphs.link_outcome(source.kind, &target, name);
                let change = outcome.map(|outcome| LinkChange { source, outcome, led_to_renamed });
                changes.extend(change);
            }
        }
        Ok(changes)
    }

    fn graphs_around_rename(
        &self,
        (from, to): (&ScopedPath, &ScopedPath),
        is_visible: ItemPredicate<'_>,
    ) -> Result<RenameGraphs, SearchError> {
        let mut others = HashSet::new();
        for id in [&from.id, &to.id] {
            let name = ItemRef { category: None, id: id.clone(), version: None };
            let found = self.index.items_named(&name)?;
            others.extend(found.iter().filter_map(|linked| self.visible_place(linked, is_visible)));
        }
        let with = |own: &ScopedPath| {
            let others = others.iter().filter(|place| *place != from && *place != to);
            let all = others.chain(Some(own).filter(|own| is_visible(own)));
            all.map(|place| GraphEntry::new(place, "", Vec::new())).collect::<Graph>()
        };
        Ok(RenameGraphs { before: with(from), after: with(to), from: from.clone(), to: to.clone() })
    }
}

/// Which name of the renamed entry a link uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LinkedName {
    Old,
    New,
}

/// The entries with the old or the new id, before and after the rename.
struct RenameGraphs {
    before: Graph,
    after: Graph,
    from: ScopedPath,
    to: ScopedPath,
}

impl RenameGraphs {
    /// Returns what became of a name that an item of some type links to, if anything did, and
    /// whether it led to the renamed entry.
    fn link_outcome(
        &self,
        kind: ItemType,
        target: &ItemRef,
        name: LinkedName,
    ) -> (Option<LinkOutcome>, bool) {
        let (was, is) = (self.before.resolve(kind, target), self.after.resolve(kind, target));
        let led_to_renamed =
            matches!(was, Resolution::One(node) if self.before.node_at(&self.from) == Some(node));
        let outcome = match (was, is) {
            (_, Resolution::Nothing) => (name == LinkedName::Old).then_some(LinkOutcome::Broken),
            (Resolution::One(_), Resolution::Several(_)) => Some(LinkOutcome::Ambiguous),
            (Resolution::One(was), Resolution::One(is)) => {
                let followed = led_to_renamed && self.after.node_at(&self.to) == Some(is);
                let is_same = followed || is_same_entry(self.before.node(was), self.after.node(is));
                (!is_same).then_some(LinkOutcome::Redirected)
            }
            (Resolution::Several(_), Resolution::One(_)) => Some(LinkOutcome::Redirected),
            (Resolution::Nothing, _) | (Resolution::Several(_), Resolution::Several(_)) => None,
        };
        (outcome, led_to_renamed)
    }
}

/// Checks whether two nodes of different graphs are the same entry.
fn is_same_entry(one: &Node, other: &Node) -> bool {
    let key = |node: &Node| (node.kind, node.scope);
    key(one) == key(other) && one.id == other.id && one.category == other.category
}
