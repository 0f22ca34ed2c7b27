//! The team of a space: the roster that lies there, and the one that the user has pinned.
//!
//! A roster counts because a person joined it once, or because it follows one that counts. The last
//! one that counted is stored in the user's own folder and holds on every branch, whatever lies in
//! the space now.

use cap_std::fs::Dir;
use mere_core::address::{Address, RelPath, Root};
use mere_core::item::ItemType;
use mere_core::trust::{Fingerprint, PublicKey, Roster, SignedRoster};

use super::former_members::{self, FormerMember, SignerStanding};
use super::pinned_rosters::{PinError, PinnedRoster, pin};
use super::policy::ProjectFolders;
use crate::config;
use mere_host::{Environment, SPACE_FOLDER};

/// The roster, in the space.
pub(crate) const ROSTER_FILE: &str = "signers.json";
/// The roster's signatures, beside it.
pub(crate) const ROSTER_SIDECAR: &str = "signers.json.sig";

/// Returns the address of the roster.
pub(crate) fn roster_address() -> Option<Address> {
    let path = RelPath::default().child(SPACE_FOLDER).and_then(|space| space.child(ROSTER_FILE));
    path.map(|path| Address::file(Root::Project, path))
}

/// The types that must be signed where no roster says so, or where it cannot be read.
pub(crate) const DEFAULT_SIGNED_TYPES: [ItemType; 3] =
    [ItemType::Directive, ItemType::Tool, ItemType::Lockfile];

/// The team of a space.
#[derive(Clone, Default)]
pub(crate) struct Team {
    roster_file: RosterFile,
    /// The last roster that counted in this folder.
    pinned: PinnedRoster,
    /// The last roster of the space as it is now that counted anywhere. It is another one than
    /// `pinned` if the folder had another space before.
    seen: PinnedRoster,
    space_id: Option<String>,
    former: Vec<FormerMember>,
}

/// How the user relates to a team.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Membership {
    /// There is no team.
    NoTeam,
    /// There is a team, and the user has not joined it.
    NotJoined,
    Joined,
}

/// How many of the named admins must have signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quorum {
    /// All of them: where nothing else is known, the roster cannot decide how few are enough.
    All,
    /// As many as the roster asks for, because a person looks at it.
    Threshold,
}

/// The roster file of a space.
#[derive(Clone, Default, PartialEq, Eq)]
pub(crate) enum RosterFile {
    #[default]
    None,
    /// There are signatures without a roster.
    SignaturesOnly,
    Broken(&'static str),
    Signed(Box<SignedRoster>),
}

/// Why the roster in a space does not count.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum RosterTrouble {
    #[error("there is no roster")]
    Missing,
    #[error("the roster is not valid: {0}")]
    Broken(&'static str),
    #[error("the roster is for another space")]
    OtherSpace,
    #[error("the roster is older than the last one seen")]
    Older { serial: u64, seen: u64 },
    #[error("the roster has the same serial as the last one seen, but different content")]
    Fork { serial: u64 },
    #[error("the roster is not signed by enough of its admins")]
    Incomplete { signed: usize, threshold: usize },
    #[error("the roster is not signed by enough of the pinned admins")]
    UnknownAdmins,
    #[error("the list of teams is damaged")]
    Damaged,
    #[error("the space's id differs from the team's")]
    SpaceIdChanged,
}

impl Team {
    /// Reads the roster of a space. A roster that follows the pinned one is pinned in its place.
    pub(super) fn read(
        environment: &Environment,
        folders: ProjectFolders<'_>,
        space_id: Option<&str>,
    ) -> Self {
        let ProjectFolders { project, space } = folders;
        let file = space.map_or(RosterFile::None, |space| RosterFile::read(space.dir()));
        let seen = space_id.map(|space_id| PinnedRoster::read(environment, space_id));
        let seen = seen.unwrap_or_default();
        let pinned = (space_id, seen.clone());
        let pinned = PinnedRoster::read_for_folder(environment, project, pinned);
        let space_id = space_id.map(str::to_owned);
        let mut team = Self { roster_file: file, pinned, seen, space_id, former: Vec::new() };
        if let (RosterFile::Signed(signed), PinnedRoster::Roster(joined)) =
            (&team.roster_file, &team.pinned)
            && signed.can_follow(joined)
        {
            let pinned = match pin(environment, signed) {
                // Another process has seen a newer one meanwhile.
                Err(PinError::Stale(_)) => PinnedRoster::read(environment, &joined.space_id),
                Err(error @ PinError::Record(_)) => {
                    tracing::error!(%error, "a newer roster could not be saved");
                    PinnedRoster::Roster(Box::new(signed.roster.clone()))
                }
                Ok(()) => PinnedRoster::Roster(Box::new(signed.roster.clone())),
            };
            team.pinned = pinned;
        }
        if let PinnedRoster::Roster(joined) = &team.pinned {
            team.former = former_members::read(environment, &joined.space_id);
        }
        team
    }

    /// Returns the roster file that lies in the space.
    pub(crate) fn roster_file(&self) -> &RosterFile {
        &self.roster_file
    }

    /// Returns the roster that counts.
    pub(crate) fn joined_roster(&self) -> Option<&Roster> {
        match &self.pinned {
            PinnedRoster::Roster(roster) => Some(roster),
            PinnedRoster::None | PinnedRoster::Damaged => None,
        }
    }

    /// Returns how the owner of a key relates to the team.
    pub(crate) fn standing_of(&self, key: Fingerprint) -> SignerStanding {
        let former = former_members::name_of(&self.former, key).map(str::to_owned);
        SignerStanding { membership: self.membership(), former }
    }

    /// Checks whether it is unknown which roster counts.
    pub(super) fn is_damaged(&self) -> bool {
        matches!(self.pinned, PinnedRoster::Damaged)
    }

    /// Returns how the user relates to the team.
    pub(crate) fn membership(&self) -> Membership {
        match (&self.pinned, &self.roster_file) {
            (PinnedRoster::Roster(_), _) => Membership::Joined,
            (PinnedRoster::None, RosterFile::None | RosterFile::SignaturesOnly) => {
                Membership::NoTeam
            }
            (PinnedRoster::None | PinnedRoster::Damaged, _) => Membership::NotJoined,
        }
    }

    /// Returns the types that a roster requires to be signed. A requirement only narrows, so the
    /// roster in the space counts even before it is joined. For one that cannot be read the
    /// defaults apply.
    pub(super) fn required_types(&self) -> &[ItemType] {
        match (&self.pinned, &self.roster_file) {
            (PinnedRoster::Roster(joined), _) => &joined.require_signed,
            (PinnedRoster::Damaged, _) | (PinnedRoster::None, RosterFile::Broken(_)) => {
                &DEFAULT_SIGNED_TYPES
            }
            (PinnedRoster::None, RosterFile::Signed(signed)) => &signed.roster.require_signed,
            (PinnedRoster::None, RosterFile::None | RosterFile::SignaturesOnly) => &[],
        }
    }

    /// Returns what is wrong with the roster in the space, if it is not the one that counts.
    pub(crate) fn roster_trouble(&self) -> Option<RosterTrouble> {
        let joined = match &self.pinned {
            PinnedRoster::Damaged => return Some(RosterTrouble::Damaged),
            PinnedRoster::Roster(joined) => Some(joined),
            PinnedRoster::None => None,
        };
        let signed = match self.signed_roster() {
            Ok(signed) => signed,
            Err(RosterTrouble::Missing) if joined.is_none() => return None,
            Err(_) if joined.is_some_and(|joined| self.has_other_space_id(joined)) => {
                return Some(RosterTrouble::SpaceIdChanged);
            }
            Err(trouble) => return Some(trouble),
        };
        let Some(joined) = joined else { return incompleteness(signed) };
        if self.has_other_space_id(joined) {
            return Some(RosterTrouble::SpaceIdChanged);
        }
        if signed.roster == **joined {
            return None;
        }
        let stale = staleness(&signed.roster, joined);
        Some(stale.or_else(|| incompleteness(signed)).unwrap_or(RosterTrouble::UnknownAdmins))
    }

    /// Checks whether the space has another id than when its team was last seen.
    fn has_other_space_id(&self, joined: &Roster) -> bool {
        self.space_id.as_ref() != Some(&joined.space_id)
    }

    /// Returns the roster in the space, if it is valid and for this space.
    pub(crate) fn signed_roster(&self) -> Result<&SignedRoster, RosterTrouble> {
        match &self.roster_file {
            RosterFile::None => Err(RosterTrouble::Missing),
            RosterFile::SignaturesOnly => Err(RosterTrouble::Broken(
                "there are signatures for it, but the file itself is missing",
            )),
            RosterFile::Broken(reason) => Err(RosterTrouble::Broken(reason)),
            RosterFile::Signed(signed)
                if Some(&signed.roster.space_id) != self.space_id.as_ref() =>
            {
                Err(RosterTrouble::OtherSpace)
            }
            RosterFile::Signed(signed) => Ok(signed),
        }
    }

    /// Returns the roster that a person may join: completely signed, for this space, and newer than
    /// the roster that was seen, or the same one.
    pub(crate) fn joinable_roster(&self) -> Result<&SignedRoster, RosterTrouble> {
        if self.is_damaged() {
            return Err(RosterTrouble::Damaged);
        }
        let signed = self.signed_roster()?;
        let stale = match &self.seen {
            PinnedRoster::None => None,
            PinnedRoster::Roster(seen) => staleness(&signed.roster, seen),
            PinnedRoster::Damaged => Some(RosterTrouble::Damaged),
        };
        stale.or_else(|| incompleteness(signed)).map_or(Ok(signed), Err)
    }

    /// Returns the roster in the space, if these admins signed it.
    pub(crate) fn roster_signed_by(
        &self,
        admins: &[Fingerprint],
        quorum: Quorum,
    ) -> Result<&Roster, RosterTrouble> {
        let signed = self.signed_roster()?;
        if let Some(trouble) = incompleteness(signed) {
            return Err(trouble);
        }
        let named = signed.roster.admins.iter().filter(|key| admins.contains(&key.fingerprint()));
        let named = named.cloned().collect::<Vec<PublicKey>>();
        let needed = match quorum {
            Quorum::All => admins.len(),
            Quorum::Threshold => signed.roster.threshold.min(admins.len()),
        };
        if signed.count_signatures_by(&named) < needed.max(1) {
            return Err(RosterTrouble::UnknownAdmins);
        }
        Ok(&signed.roster)
    }
}

/// Returns why a roster does not supersede one that was seen. The same roster is not a problem.
pub(super) fn staleness(roster: &Roster, seen: &Roster) -> Option<RosterTrouble> {
    match roster.serial {
        _ if roster == seen => None,
        serial if serial < seen.serial => Some(RosterTrouble::Older { serial, seen: seen.serial }),
        serial if serial == seen.serial => Some(RosterTrouble::Fork { serial }),
        _ => None,
    }
}

fn incompleteness(signed: &SignedRoster) -> Option<RosterTrouble> {
    let (by, threshold) =
        (signed.count_signatures_by(&signed.roster.admins), signed.roster.threshold);
    (by < threshold).then_some(RosterTrouble::Incomplete { signed: by, threshold })
}

impl RosterFile {
    /// Reads the roster and its signatures from a space.
    pub(crate) fn read(space: &Dir) -> Self {
        let text = |name| config::read_file(space, name);
        match (text(ROSTER_FILE), text(ROSTER_SIDECAR)) {
            (Ok(None), Ok(None)) => Self::None,
            (Ok(Some(roster)), Ok(Some(sidecar))) => {
                match SignedRoster::parse(roster.as_bytes(), sidecar.as_bytes()) {
                    Ok(signed) => Self::Signed(Box::new(signed)),
                    Err(error) => Self::Broken(error.0),
                }
            }
            (Ok(Some(_)), Ok(None)) => Self::Broken("its signatures are missing"),
            (Ok(None), Ok(Some(_))) => Self::SignaturesOnly,
            _ => Self::Broken("it cannot be read"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_roster_is_stale_if_it_is_older_or_another_of_the_same_serial() {
        let roster = |serial, threshold| Roster {
            space_id: "s".to_owned(),
            serial,
            threshold,
            admins: Vec::new(),
            members: Vec::new(),
            require_signed: Vec::new(),
        };
        let check = |serial, threshold| staleness(&roster(serial, threshold), &roster(3, 1));
        assert!(check(3, 1).is_none() && check(4, 1).is_none() && check(4, 2).is_none());
        assert!(matches!(check(2, 1), Some(RosterTrouble::Older { serial: 2, seen: 3 })));
        assert!(matches!(check(3, 2), Some(RosterTrouble::Fork { serial: 3 })));
    }
}
