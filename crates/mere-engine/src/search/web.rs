//! The knowledge graph, as the index has it: all of it, or what is around one entry.

use std::collections::HashSet;

use mere_core::graph::{Builder, Depth, Entry, Graph};
use mere_core::item::{ItemRef, ScopedPath};

use super::SearchError;
use super::index::Linked;
use super::library::Library;

/// How many entries around one are looked at: a hub may have very many.
const MAX_AROUND: usize = 5_000;

/// Whether anybody may know of an item.
pub(crate) type Shows<'a> = &'a dyn Fn(&ScopedPath) -> bool;

impl Library {
    /// Every entry that may be known, and their links.
    pub(crate) fn web(&self, shows: Shows<'_>) -> Result<Graph, SearchError> {
        let mut builder = Builder::default();
        for linked in self.index.all_linked()? {
            self.add(&mut builder, &linked, shows)?;
        }
        Ok(builder.build())
    }

    /// What is around an entry: everything that a walk of this depth can come to, with whatever
    /// else has one of their names.
    pub(crate) fn web_around(
        &self,
        place: &ScopedPath,
        depth: Depth,
        shows: Shows<'_>,
    ) -> Result<Graph, SearchError> {
        let name = |place: &ScopedPath| ItemRef {
            category: Some(place.category.clone()),
            id: place.id.clone(),
            version: None,
        };
        let mut builder = Builder::default();
        let mut seen = HashSet::new();
        let mut frontier = self.index.called(&name(place))?;
        for _ in 0..=depth.get() {
            let mut next = Vec::new();
            for item in frontier {
                if seen.len() >= MAX_AROUND || !seen.insert(item) {
                    continue;
                }
                let Some(linked) = self.index.linked(item)? else { continue };
                let Some(place) = self.add(&mut builder, &linked, shows)? else { continue };
                next.extend(self.neighbours(item, &place)?);
            }
            frontier = next;
        }
        Ok(builder.build())
    }

    /// Whatever an item links to and whatever links to it.
    fn neighbours(&self, item: u32, place: &ScopedPath) -> Result<Vec<u32>, SearchError> {
        let index = &self.index;
        let mut found = index.pointing_to(place.id.as_str(), place.category.as_str())?;
        for link in index.links_of(item)? {
            if let Ok(name) = link.target.parse::<ItemRef>() {
                found.extend(index.called(&name)?);
            }
        }
        Ok(found)
    }

    fn add(
        &self,
        builder: &mut Builder,
        linked: &Linked,
        shows: Shows<'_>,
    ) -> Result<Option<ScopedPath>, SearchError> {
        let place = self.placed(linked.ground, &linked.path).filter(|place| shows(place));
        if let Some(place) = &place {
            let links = self.index.links_of(linked.item)?;
            let entry = Entry::new(place, linked.title.as_str(), links);
            builder.add(entry.of_type(linked.entry_type.as_deref()));
        }
        Ok(place)
    }

    /// What took the place of an entry, if anything did that may be known.
    pub(crate) fn successor(
        &self,
        place: &ScopedPath,
        shows: Shows<'_>,
    ) -> Result<Option<ScopedPath>, SearchError> {
        let (id, category) = (place.id.as_str(), place.category.as_str());
        let mut found = Vec::new();
        for item in self.index.superseding(id, category)? {
            let other = self.place(item)?;
            found.extend(other.filter(|other| other != place && shows(other)));
        }
        found.sort();
        Ok(found.into_iter().next())
    }
}
