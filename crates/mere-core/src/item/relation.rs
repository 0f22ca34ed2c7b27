//! The relations between knowledge entries: a closed set of ten words.
//!
//! Parsing accepts the exact names only; [`Relation::guess`] recognizes misspelt keys.

use std::fmt;
use std::str::FromStr;

use strsim::osa_distance;

/// The relation of one entry to another. The order is the order in which they are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Relation {
    /// Builds on the other entry.
    Extends,
    /// Mentions the other entry; a wikilink counts as one.
    References,
    /// Contradicts the other entry.
    Contradicts,
    /// Replaces the other entry.
    Supersedes,
    /// Implements the other entry.
    Implements,
    /// Needs the other entry.
    DependsOn,
    /// Is related to the other entry in some other way.
    Related,
    /// Is an example of the other entry.
    ExampleOf,
    /// Cannot be used without the other entry.
    Requires,
    /// Recommends the other entry.
    Suggests,
}

/// A word that is not a relation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a relation is extends, references, contradicts, supersedes, implements, depends_on, related, \
     example_of, requires or suggests"
)]
pub struct RelationError;

impl Relation {
    /// All relations, in the order they are shown.
    pub const ALL: [Self; 10] = [
        Self::Extends,
        Self::References,
        Self::Contradicts,
        Self::Supersedes,
        Self::Implements,
        Self::DependsOn,
        Self::Related,
        Self::ExampleOf,
        Self::Requires,
        Self::Suggests,
    ];

    /// Returns its name, which is also its frontmatter key.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Extends => "extends",
            Self::References => "references",
            Self::Contradicts => "contradicts",
            Self::Supersedes => "supersedes",
            Self::Implements => "implements",
            Self::DependsOn => "depends_on",
            Self::Related => "related",
            Self::ExampleOf => "example_of",
            Self::Requires => "requires",
            Self::Suggests => "suggests",
        }
    }

    /// Guesses which relation a misspelt key was meant to be. Returns `None` for a key that is a
    /// relation.
    pub fn guess(key: &str) -> Option<Self> {
        let spelling = key.to_lowercase().replace(['-', ' '], "_");
        let is_meant = |relation: &Self| {
            let name = relation.name();
            let max_edits = if name.len() < 9 { 1 } else { 2 };
            // A key that is that much longer cannot be a slip.
            spelling.len() <= name.len() + max_edits && osa_distance(&spelling, name) <= max_edits
        };
        let is_none = key.parse::<Self>().is_err();
        Self::ALL.into_iter().find(|relation| is_none && is_meant(relation))
    }

    /// Reports whether the relation holds in both directions as soon as one entry states it.
    pub fn is_symmetric(self) -> bool {
        matches!(self, Self::Contradicts | Self::Related)
    }
}

impl FromStr for Relation {
    type Err = RelationError;

    fn from_str(text: &str) -> Result<Self, RelationError> {
        Self::ALL.into_iter().find(|relation| relation.name() == text).ok_or(RelationError)
    }
}

impl fmt::Display for Relation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mistyped_key_is_known() {
        for (key, relation) in [
            ("supercedes", "supersedes"),
            ("exmaple_of", "example_of"),
            ("depends-on", "depends_on"),
            ("Extends", "extends"),
            ("extend", "extends"),
        ] {
            assert_eq!(Relation::guess(key).map(Relation::name), Some(relation), "{key}");
        }
        for key in ["created", "title", "extends", "tags", "updated", "version", ""] {
            assert_eq!(Relation::guess(key), None, "{key}");
        }
    }

    #[test]
    fn a_relation_is_its_name_and_nothing_else_is_one() {
        for relation in Relation::ALL {
            assert_eq!(relation.to_string().parse(), Ok(relation));
        }
        for other in ["", "Extends", "depends-on", "relates", " related"] {
            assert_eq!(other.parse::<Relation>(), Err(RelationError), "{other}");
        }
        let symmetric = Relation::ALL.into_iter().filter(|relation| relation.is_symmetric());
        assert_eq!(symmetric.collect::<Vec<_>>(), [Relation::Contradicts, Relation::Related]);
    }
}
