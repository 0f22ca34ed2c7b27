//! A set of relations.

use crate::item::Relation;

/// The relations to follow; by default all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RelationSet(u16);

impl RelationSet {
    /// Every relation.
    pub const ALL: Self = Self(u16::MAX);

    /// Checks whether a relation is in the set.
    pub fn contains(self, relation: Relation) -> bool {
        self.0 & Self::bit(relation) != 0
    }

    /// Returns the relations in the set, in the order in which they are shown.
    pub fn iter(self) -> impl Iterator<Item = Relation> {
        Relation::ALL.into_iter().filter(move |relation| self.contains(*relation))
    }

    fn bit(relation: Relation) -> u16 {
        1 << (relation as u16)
    }
}

impl Default for RelationSet {
    fn default() -> Self {
        Self::ALL
    }
}

impl FromIterator<Relation> for RelationSet {
    fn from_iter<I: IntoIterator<Item = Relation>>(relations: I) -> Self {
        Self(relations.into_iter().fold(0, |set, relation| set | Self::bit(relation)))
    }
}
