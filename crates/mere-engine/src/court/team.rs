//! The team of a space: the roster that lies there, and the one that was pinned by a person.
//!
//! A roster counts because a person joined it once, or because it follows one that counts. The last
//! one that counted is kept in the user's own folder and holds on every branch, whatever lies in the
//! space now.

use cap_std::fs::Dir;
use mere_core::address::{Address, RelPath};
use mere_core::item::ItemType;
use mere_core::root::Root;
use mere_core::trust::{Fingerprint, PublicKey, Roster, SignedRoster};
use serde_json::json;

use super::homes;
use crate::config;
use crate::records::{self, RecordError};
use mere_host::{Environment, Folder, SPACE_FOLDER};

/// The roster, in the space.
pub(crate) const ROSTER: &str = "signers.json";
/// Its signatures, beside it.
pub(crate) const ROSTER_SIDECAR: &str = "signers.json.sig";
/// The rosters that count, in the user's config folder.
pub(crate) const FILE: &str = "teams.json";

/// Where the roster lies.
pub(crate) fn roster_address() -> Option<Address> {
    let path = RelPath::default().child(SPACE_FOLDER).and_then(|space| space.child(ROSTER));
    path.map(|path| Address::file(Root::Project, path))
}

/// What must be signed where nobody said anything, or nobody can tell what was said.
pub(crate) const USUALLY_SIGNED: [ItemType; 3] =
    [ItemType::Directive, ItemType::Tool, ItemType::Lockfile];

/// A space's team.
#[derive(Clone, Default)]
pub(crate) struct Team {
    file: TeamFile,
    pinned: Pinned,
    space_id: Option<String>,
}

/// The last roster that counted for the user.
#[derive(Clone, Default)]
enum Pinned {
    /// They have not joined.
    #[default]
    None,
    Roster(Box<Roster>),
    /// Whether they joined, and what, cannot be read any more.
    Damaged,
}

/// What a team is to the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Membership {
    /// There is none.
    NoTeam,
    /// There is one, and they have not joined it.
    Open,
    Joined,
}

/// How many of the admins that are named must have signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quorum {
    /// All: where nothing else is known, the roster does not say itself how few are enough.
    All,
    /// As many as it asks for: a person looks at it.
    Threshold,
}

/// The roster that lies in a space.
#[derive(Clone, Default, PartialEq, Eq)]
pub(crate) enum TeamFile {
    #[default]
    None,
    /// Signatures without a roster.
    Remains,
    Broken(&'static str),
    Signed(Box<SignedRoster>),
}

/// Why the roster that lies in a space does not count.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum TeamTrouble {
    #[error("there is no roster")]
    Missing,
    #[error("the roster is not valid: {0}")]
    Broken(&'static str),
    #[error("the roster is for another space")]
    OtherSpace,
    #[error("the roster is older than the one seen last")]
    Older { serial: u64, seen: u64 },
    #[error("the roster has the serial of the one seen last, and says something else")]
    Fork { serial: u64 },
    #[error("the roster is not signed by enough of its admins")]
    Incomplete { signed: usize, threshold: usize },
    #[error("the roster is not signed by enough of the admins that were pinned")]
    Strangers,
    #[error("the list of teams is damaged")]
    Damaged,
    #[error("the space has another id than the team's")]
    Moved,
}

impl Team {
    /// Reads the roster of a space. One that follows the pinned one is pinned in its place.
    pub(super) fn read(
        surroundings: &Environment,
        (project, space): (&Folder, Option<&Folder>),
        space_id: Option<&str>,
    ) -> Self {
        let file = space.map_or(TeamFile::None, |space| TeamFile::read(space.dir()));
        let pinned = Pinned::of_folder(surroundings, project, space_id);
        let mut team = Self { file, pinned, space_id: space_id.map(str::to_owned) };
        if let (TeamFile::Signed(signed), Pinned::Roster(joined)) = (&team.file, &team.pinned)
            && signed.can_follow(joined)
        {
            if let Err(error) = pin(surroundings, signed) {
                tracing::error!(%error, "a newer roster could not be kept");
            }
            team.pinned = Pinned::Roster(Box::new(signed.roster.clone()));
        }
        team
    }

    /// The roster that lies there.
    pub(crate) fn file(&self) -> &TeamFile {
        &self.file
    }

    /// The roster that counts.
    pub(crate) fn joined(&self) -> Option<&Roster> {
        match &self.pinned {
            Pinned::Roster(roster) => Some(roster),
            Pinned::None | Pinned::Damaged => None,
        }
    }

    /// Whether it cannot be said which roster counts.
    pub(super) fn is_damaged(&self) -> bool {
        matches!(self.pinned, Pinned::Damaged)
    }

    /// What it is to the user.
    pub(crate) fn membership(&self) -> Membership {
        match (&self.pinned, &self.file) {
            (Pinned::Roster(_), _) => Membership::Joined,
            (Pinned::None, TeamFile::None | TeamFile::Remains) => Membership::NoTeam,
            (Pinned::None | Pinned::Damaged, _) => Membership::Open,
        }
    }

    /// What a roster asks to be signed. That narrows, so the one that lies there counts too; what
    /// one that cannot be read would ask for is taken to be the usual.
    pub(super) fn required(&self) -> &[ItemType] {
        match (&self.pinned, &self.file) {
            (Pinned::Roster(joined), _) => &joined.require_signed,
            (Pinned::Damaged, _) | (Pinned::None, TeamFile::Broken(_)) => &USUALLY_SIGNED,
            (Pinned::None, TeamFile::Signed(signed)) => &signed.roster.require_signed,
            (Pinned::None, TeamFile::None | TeamFile::Remains) => &[],
        }
    }

    /// What is wrong with the roster that lies there, if it is not the one that counts.
    pub(crate) fn trouble(&self) -> Option<TeamTrouble> {
        let joined = match &self.pinned {
            Pinned::Damaged => return Some(TeamTrouble::Damaged),
            Pinned::Roster(joined) => Some(joined),
            Pinned::None => None,
        };
        let signed = match self.signed() {
            Ok(signed) => signed,
            Err(TeamTrouble::Missing) if joined.is_none() => return None,
            Err(_) if joined.is_some_and(|joined| self.is_moved(joined)) => {
                return Some(TeamTrouble::Moved);
            }
            Err(trouble) => return Some(trouble),
        };
        let Some(joined) = joined else { return incomplete(signed) };
        if self.is_moved(joined) {
            return Some(TeamTrouble::Moved);
        }
        if signed.roster == **joined {
            return None;
        }
        let stale = stale(&signed.roster, joined);
        Some(stale.or_else(|| incomplete(signed)).unwrap_or(TeamTrouble::Strangers))
    }

    /// Whether the space says another id than it did when its team was seen.
    fn is_moved(&self, joined: &Roster) -> bool {
        self.space_id.as_ref() != Some(&joined.space_id)
    }

    /// The roster that lies there and speaks for this space.
    pub(crate) fn signed(&self) -> Result<&SignedRoster, TeamTrouble> {
        match &self.file {
            TeamFile::None => Err(TeamTrouble::Missing),
            TeamFile::Remains => Err(TeamTrouble::Broken("it has signatures and is not there")),
            TeamFile::Broken(why) => Err(TeamTrouble::Broken(why)),
            TeamFile::Signed(signed) if Some(&signed.roster.space_id) != self.space_id.as_ref() => {
                Err(TeamTrouble::OtherSpace)
            }
            TeamFile::Signed(signed) => Ok(signed),
        }
    }

    /// The roster that a person may join: whole, for this space, and no other than the one that was
    /// seen unless it is newer.
    pub(crate) fn joinable(&self) -> Result<&SignedRoster, TeamTrouble> {
        if self.is_damaged() {
            return Err(TeamTrouble::Damaged);
        }
        let signed = self.signed()?;
        let known = self.joined().filter(|joined| !self.is_moved(joined));
        let stale = known.and_then(|joined| stale(&signed.roster, joined));
        stale.or_else(|| incomplete(signed)).map_or(Ok(signed), Err)
    }

    /// The roster that lies there, if these admins signed it.
    pub(crate) fn by_admins(
        &self,
        admins: &[Fingerprint],
        quorum: Quorum,
    ) -> Result<&Roster, TeamTrouble> {
        let signed = self.signed()?;
        if let Some(trouble) = incomplete(signed) {
            return Err(trouble);
        }
        let named = signed.roster.admins.iter().filter(|key| admins.contains(&key.fingerprint()));
        let named = named.cloned().collect::<Vec<PublicKey>>();
        let needed = match quorum {
            Quorum::All => admins.len(),
            Quorum::Threshold => signed.roster.threshold.min(admins.len()),
        };
        if signed.count_signatures_by(&named) < needed.max(1) {
            return Err(TeamTrouble::Strangers);
        }
        Ok(&signed.roster)
    }
}

/// Why a roster does not come after one that was seen; the same one is no trouble.
fn stale(roster: &Roster, seen: &Roster) -> Option<TeamTrouble> {
    match roster.serial {
        _ if roster == seen => None,
        serial if serial < seen.serial => Some(TeamTrouble::Older { serial, seen: seen.serial }),
        serial if serial == seen.serial => Some(TeamTrouble::Fork { serial }),
        _ => None,
    }
}

fn incomplete(signed: &SignedRoster) -> Option<TeamTrouble> {
    let (by, threshold) =
        (signed.count_signatures_by(&signed.roster.admins), signed.roster.threshold);
    (by < threshold).then_some(TeamTrouble::Incomplete { signed: by, threshold })
}

impl TeamFile {
    /// Reads what lies in a space.
    pub(crate) fn read(space: &Dir) -> Self {
        let text = |name| config::read_file(space, name);
        match (text(ROSTER), text(ROSTER_SIDECAR)) {
            (Ok(None), Ok(None)) => Self::None,
            (Ok(Some(roster)), Ok(Some(sidecar))) => {
                match SignedRoster::parse(roster.as_bytes(), sidecar.as_bytes()) {
                    Ok(signed) => Self::Signed(Box::new(signed)),
                    Err(error) => Self::Broken(error.0),
                }
            }
            (Ok(Some(_)), Ok(None)) => Self::Broken("it has no signatures"),
            (Ok(None), Ok(Some(_))) => Self::Remains,
            _ => Self::Broken("it cannot be read"),
        }
    }
}

impl Pinned {
    /// What counts in a folder: what the user pinned for its space, or for the space that it was.
    fn of_folder(surroundings: &Environment, project: &Folder, space_id: Option<&str>) -> Self {
        let pinned = space_id.map_or(Self::None, |space_id| Self::read(surroundings, space_id));
        let Some(folder) = project.canonical_text() else { return pinned };
        let known = homes::space_of(surroundings, folder);
        let known = known.filter(|known| Some(known.as_str()) != space_id);
        match known.map(|known| Self::read(surroundings, &known)) {
            // What was one team's folder is not another's because it says so.
            Some(other @ (Self::Roster(_) | Self::Damaged)) => other,
            Some(Self::None) | None => {
                if let (Self::Roster(_), Some(space_id)) = (&pinned, space_id)
                    && let Err(error) = homes::settle(surroundings, folder, space_id)
                {
                    tracing::error!(%error, "the folder of a team could not be kept");
                }
                pinned
            }
        }
    }

    /// A record that cannot be understood is not the same as none: it would let go of what was seen.
    fn read(surroundings: &Environment, space_id: &str) -> Self {
        let records = match surroundings.read_config(FILE) {
            Ok(None) => return Self::None,
            Ok(Some(bytes)) => records::parse_whole(&bytes),
            Err(_) => None,
        };
        let Some(records) = records else { return Self::Damaged };
        let Some(record) = records.iter().find(|record| record["space_id"] == space_id) else {
            return Self::None;
        };
        match Roster::parse(record["roster"].to_string().as_bytes()) {
            Ok(roster) if roster.space_id == space_id => Self::Roster(Box::new(roster)),
            _ => Self::Damaged,
        }
    }
}

/// Lets a roster count from now on, unless a newer one does.
pub(crate) fn pin(surroundings: &Environment, signed: &SignedRoster) -> Result<(), RecordError> {
    let roster = &signed.roster;
    records::change(surroundings.lock_config(), FILE, |records| {
        let is_newer = |record: &serde_json::Value| {
            record["space_id"] == roster.space_id
                && record["roster"]["serial"].as_u64().is_some_and(|seen| seen > roster.serial)
        };
        if records.iter().any(is_newer) {
            return;
        }
        records.retain(|record| record["space_id"] != roster.space_id);
        records.push(json!({
            "space_id": roster.space_id, "roster": roster.to_json(), "signatures": signed.to_sidecar_text(),
        }));
    })
}

/// The last roster of a space that counted, with its signatures.
pub(crate) fn last_seen(surroundings: &Environment, space_id: &str) -> Option<SignedRoster> {
    let records = records::parse(surroundings.read_config_or_none(FILE));
    let record = records.iter().find(|record| record["space_id"] == space_id)?;
    let (roster, signatures) = (record["roster"].to_string(), record["signatures"].as_str()?);
    SignedRoster::parse(roster.as_bytes(), signatures.as_bytes()).ok()
}

/// Forgets the team of a space, and which of its rosters was seen last.
pub(crate) fn unpin(surroundings: &Environment, space_id: &str) -> Result<(), RecordError> {
    records::change(surroundings.lock_config(), FILE, |records| {
        records.retain(|record| record["space_id"] != space_id);
    })
}
