//! A set of relations.

use crate::item::Relation;

/// The relations that are followed; all of them unless some are named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RelationSet(u8);

impl RelationSet {
    /// Every relation.
    pub const ALL: Self = Self(u8::MAX);

    /// Whether this one is among them.
    pub fn contains(self, relation: Relation) -> bool {
        self.0 & Self::bit(relation) != 0
    }

    /// Those that are among them, in the order they are shown.
    pub fn iter(self) -> impl Iterator<Item = Relation> {
        Relation::ALL.into_iter().filter(move |relation| self.contains(*relation))
    }

    fn bit(relation: Relation) -> u8 {
        1 << (relation as u8)
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
