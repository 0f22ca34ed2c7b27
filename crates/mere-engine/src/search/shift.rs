//! What links lead to once an entry is called otherwise.
//!
//! Only a graph says what a name means. So two small ones are made of everything that has the old id
//! or the new one: as it was, and as it is now.

use std::collections::HashSet;

use mere_core::graph::{Graph, GraphEntry, Node, Resolution};
use mere_core::item::{ItemRef, ItemType, ScopedPath};

use super::SearchError;
use super::library::Library;
use super::web::Shows;

/// A link that does not lead where it led.
pub(crate) struct Shift {
    /// Who states it.
    pub(crate) place: ScopedPath,
    pub(crate) fate: Fate,
    /// Whether it led to the entry that is called otherwise now.
    pub(crate) was_meant: bool,
}

/// What became of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It leads nowhere.
    Lost,
    /// It fits several entries, and was clear before.
    Unclear,
    /// It leads to another entry than before, or to one although it fitted several.
    Turned,
}

impl Library {
    /// The links that do not lead where they led before an entry went from one place to another. It
    /// has gone, and nobody has changed any link yet.
    pub(crate) fn shifts(
        &self,
        (from, to): (&ScopedPath, &ScopedPath),
        shows: Shows<'_>,
    ) -> Result<Vec<Shift>, SearchError> {
        let turn = self.turn((from, to), shows)?;
        let (mut seen, mut shifts) = (HashSet::new(), Vec::new());
        for (name, is_old) in [(from, true), (to, false)] {
            for (linked, link) in self.index.pointing_to(name, None)? {
                let Some(place) = self.shown(&linked, shows) else { continue };
                let Ok(target) = link.target.parse::<ItemRef>() else { continue };
                if !seen.insert((linked.item, link)) {
                    continue;
                }
                let (fate, was_meant) = turn.fate((place.kind, &target), is_old);
                shifts.extend(fate.map(|fate| Shift { place, fate, was_meant }));
            }
        }
        Ok(shifts)
    }

    fn turn(
        &self,
        (from, to): (&ScopedPath, &ScopedPath),
        shows: Shows<'_>,
    ) -> Result<Turn, SearchError> {
        let mut others = HashSet::new();
        for id in [&from.id, &to.id] {
            let name = ItemRef { category: None, id: id.clone(), version: None };
            let found = self.index.called(&name)?;
            others.extend(found.iter().filter_map(|linked| self.shown(linked, shows)));
        }
        let with = |own: &ScopedPath| {
            let others = others.iter().filter(|place| *place != from && *place != to);
            let all = others.chain(Some(own).filter(|own| shows(own)));
            all.map(|place| GraphEntry::new(place, "", Vec::new())).collect::<Graph>()
        };
        Ok(Turn { before: with(from), after: with(to), from: from.clone(), to: to.clone() })
    }
}

/// The entries with an id in question, as they were and as they are.
struct Turn {
    before: Graph,
    after: Graph,
    from: ScopedPath,
    to: ScopedPath,
}

impl Turn {
    /// What became of a name that an item of some type says, if anything did, and whether it meant
    /// the entry.
    fn fate(&self, (kind, name): (ItemType, &ItemRef), is_old: bool) -> (Option<Fate>, bool) {
        let (was, is) = (self.before.resolve(kind, name), self.after.resolve(kind, name));
        let was_meant =
            matches!(was, Resolution::One(node) if self.before.node_at(&self.from) == Some(node));
        let fate = match (was, is) {
            (_, Resolution::Nothing) => is_old.then_some(Fate::Lost),
            (Resolution::One(_), Resolution::Several(_)) => Some(Fate::Unclear),
            (Resolution::One(was), Resolution::One(is)) => {
                let followed = was_meant && self.after.node_at(&self.to) == Some(is);
                let is_same = followed || is_one(self.before.node(was), self.after.node(is));
                (!is_same).then_some(Fate::Turned)
            }
            (Resolution::Several(_), Resolution::One(_)) => Some(Fate::Turned),
            (Resolution::Nothing, _) | (Resolution::Several(_), Resolution::Several(_)) => None,
        };
        (fate, was_meant)
    }
}

/// Whether two graphs mean one entry.
fn is_one(one: &Node, other: &Node) -> bool {
    let key = |node: &Node| (node.kind, node.scope);
    key(one) == key(other) && one.id == other.id && one.category == other.category
}
