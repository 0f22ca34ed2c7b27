//! Whether somebody vouches for an item, and what follows: what nobody vouches for neither hides
//! nor supersedes what somebody does.
//!
//! The rule is stated here alone. Looking up a name, resolving a link and finding a successor all
//! ask it.

use super::verification::Checked;
use crate::item::{ItemType, Scope};

/// Whether somebody vouches for an item.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Vouching {
    /// Nobody does: it has no signature, or one by a key that is not trusted.
    #[default]
    Nobody,
    /// Trusted keys signed it, or a person is working on it. A broken item counts as vouched for
    /// too, so that it is reported and not skipped.
    Person,
}

impl Vouching {
    /// Returns whether an item may say something against another one, such as that it supersedes
    /// it: it must be vouched for at least as well.
    #[must_use]
    pub fn counts_against(self, other: Self) -> bool {
        self >= other
    }

    /// Returns the scope whose items a name means, given the items of that name in any order.
    ///
    /// The nearest scope wins. For knowledge it wins only if somebody vouches for one of its items,
    /// or for none of any scope: agents make notes without being asked, and such a note must not
    /// take the place of one that was signed. Of other types an item that nobody vouches for is
    /// reported or refused, and never skipped in favour of another scope.
    pub fn winning_scope(
        kind: ItemType,
        candidates: impl Iterator<Item = (Scope, Self)> + Clone,
    ) -> Option<Scope> {
        let best = match kind {
            ItemType::Knowledge => candidates.clone().map(|(_, vouching)| vouching).max()?,
            _ => Self::Nobody,
        };
        let counted = candidates.filter(|(_, vouching)| vouching.counts_against(best));
        counted.map(|(scope, _)| scope).min()
    }
}

impl<T> Checked<T> {
    /// Returns whether somebody vouches for the item.
    pub fn vouching(&self) -> Vouching {
        match self {
            Self::Verified(_) | Self::Draft(_) => Vouching::Person,
            Self::Unsigned(_) | Self::UnknownKey(..) => Vouching::Nobody,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Scope::{Project, User};
    use Vouching::{Nobody, Person};

    fn winner(kind: ItemType, candidates: &[(Scope, Vouching)]) -> Option<Scope> {
        Vouching::winning_scope(kind, candidates.iter().copied())
    }

    #[test]
    fn a_note_that_nobody_vouches_for_hides_none_that_somebody_does() {
        let knowledge = |candidates: &[_]| winner(ItemType::Knowledge, candidates);
        assert_eq!(knowledge(&[(Project, Nobody), (User, Person)]), Some(User));
        assert_eq!(knowledge(&[(User, Person), (Project, Nobody)]), Some(User));
        assert_eq!(knowledge(&[(Project, Person), (User, Person)]), Some(Project));
        assert_eq!(knowledge(&[(Project, Nobody), (User, Nobody)]), Some(Project));
        assert_eq!(knowledge(&[(Project, Person), (User, Nobody)]), Some(Project));
        let mixed = [(Project, Nobody), (Project, Person), (User, Person)];
        assert_eq!(knowledge(&mixed), Some(Project));
        assert_eq!(knowledge(&[]), None);
    }

    #[test]
    fn of_other_types_the_nearest_scope_wins() {
        for kind in [ItemType::Tool, ItemType::Directive, ItemType::Lockfile, ItemType::Memory] {
            assert_eq!(winner(kind, &[(User, Person), (Project, Nobody)]), Some(Project), "{kind}");
        }
    }

    #[test]
    fn only_what_is_vouched_for_as_well_counts_against_an_item() {
        for (speaker, subject, counts) in
            [(Nobody, Nobody, true), (Person, Nobody, true), (Person, Person, true)]
        {
            assert_eq!(speaker.counts_against(subject), counts);
        }
        assert!(!Nobody.counts_against(Person));
    }
}
