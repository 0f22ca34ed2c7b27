//! The entries that are linked with the hits of a page, one link away.

use jiff::Timestamp;
use mere_core::graph::{Direction, WalkOptions};
use mere_core::item::{ItemType, Relation, ScopedPath};

use super::located_hits::LocatedHit;
use crate::search::context::SearchContext;
use crate::search::error::SearchError;
use crate::search::graph::LinkedEntry;
use crate::search::update::live_index::LiveIndex;

/// The most related entries of a page.
const MAX_RELATED: usize = 50;

/// An entry that is linked with at least one hit and is no hit itself.
pub(super) struct RelatedEntry {
    pub(super) place: ScopedPath,
    /// The time when its file was modified.
    pub(super) modified: Option<Timestamp>,
    /// The visible entry that superseded it.
    pub(super) superseded_by: Option<ScopedPath>,
    /// The links with hits, as each hit sees them.
    pub(super) links: Vec<HitLink>,
}

/// A link between a hit and a related entry.
pub(super) struct HitLink {
    pub(super) hit: ScopedPath,
    pub(super) relation: Relation,
    pub(super) direction: Direction,
}

/// Finds the visible entries that the knowledge entries among the hits are linked with, in the
/// order of the hits.
pub(super) fn find_related(
    live_index: &LiveIndex,
    hits: &[LocatedHit],
    context: &SearchContext<'_>,
) -> Result<Vec<RelatedEntry>, SearchError> {
    let mut related = Vec::<RelatedEntry>::new();
    for hit in hits.iter().filter(|hit| hit.place.kind == ItemType::Knowledge) {
        if (context.signals.is_cancelled)() {
            return Err(SearchError::Cancelled);
        }
        let walk = WalkOptions::default();
        for linked in live_index.linked_entries(&hit.place, &walk, context.visibility())? {
            let LinkedEntry { item, place, relation, direction } = linked;
            if hits.iter().any(|hit| hit.place == place) {
                continue;
            }
            let link = HitLink { hit: hit.place.clone(), relation, direction };
            if let Some(entry) = related.iter_mut().find(|entry| entry.place == place) {
                entry.links.push(link);
            } else if related.len() < MAX_RELATED {
                let superseded_by = live_index.successor(&place, context.visibility())?;
                let modified = live_index.index.modified_at(item)?;
                related.push(RelatedEntry { place, modified, superseded_by, links: vec![link] });
            }
        }
    }
    Ok(related)
}
