//! The team of a space: the roster that lies there, and the one that was pinned by a person.
//!
//! A roster counts because a person joined it once, or because it follows one that counts. The last
//! one that counted is kept in the user's own folder and holds on every branch, whatever lies in the
//! space now.

use mere_core::trust::{Fingerprint, PublicKey, Roster, SignedRoster};
use serde_json::json;

use crate::config;
use crate::host::{Folder, Surroundings};
use crate::records::{self, RecordError};

/// The roster, in the space.
pub(crate) const ROSTER: &str = "signers.json";
/// Its signatures, beside it.
pub(crate) const ROSTER_SIDECAR: &str = "signers.json.sig";
/// The rosters that count, in the user's config folder.
pub(crate) const FILE: &str = "teams.json";

/// A space's team.
#[derive(Clone, Default)]
pub(crate) struct Team {
    file: TeamFile,
    /// The last roster that counted.
    joined: Option<Roster>,
    space_id: Option<String>,
}

/// The roster that lies in a space.
#[derive(Clone, Default)]
pub(crate) enum TeamFile {
    #[default]
    None,
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
    #[error("the roster is not signed by enough of its admins")]
    Incomplete { signed: usize, threshold: usize },
    #[error("the roster is not signed by enough of the admins that were pinned")]
    Strangers,
}

impl Team {
    /// Reads the roster of a space. One that follows the pinned one is pinned in its place.
    pub(super) fn read(
        surroundings: &Surroundings,
        space: Option<&Folder>,
        space_id: Option<&str>,
    ) -> Self {
        let file = space.map_or(TeamFile::None, TeamFile::read);
        let joined = space_id.and_then(|space_id| pinned(surroundings, space_id));
        let mut team = Self { file, joined, space_id: space_id.map(str::to_owned) };
        if let (TeamFile::Signed(signed), Some(joined)) = (&team.file, &team.joined)
            && signed.follows(joined)
        {
            let roster = signed.roster.clone();
            if let Err(error) = pin(surroundings, &roster) {
                tracing::error!(%error, "a newer roster could not be kept");
            }
            team.joined = Some(roster);
        }
        team
    }

    /// The roster that lies there.
    pub(crate) fn file(&self) -> &TeamFile {
        &self.file
    }

    /// The roster that counts.
    pub(crate) fn joined(&self) -> Option<&Roster> {
        self.joined.as_ref()
    }

    /// What a roster asks to be signed. That narrows, so the one that lies there counts too.
    pub(super) fn required(&self) -> &[mere_core::item::ItemType] {
        match (&self.joined, &self.file) {
            (Some(joined), _) => &joined.require_signed,
            (None, TeamFile::Signed(signed)) => &signed.roster.require_signed,
            (None, _) => &[],
        }
    }

    /// What is wrong with the roster that lies there, if it is not the one that counts.
    pub(crate) fn trouble(&self) -> Option<TeamTrouble> {
        let signed = match self.signed() {
            Ok(signed) => signed,
            Err(TeamTrouble::Missing) if self.joined.is_none() => return None,
            Err(trouble) => return Some(trouble),
        };
        let Some(joined) = &self.joined else { return incomplete(signed) };
        match signed.roster.serial {
            _ if signed.roster == *joined => None,
            serial if serial <= joined.serial => {
                Some(TeamTrouble::Older { serial, seen: joined.serial })
            }
            _ => Some(incomplete(signed).unwrap_or(TeamTrouble::Strangers)),
        }
    }

    /// The roster that lies there and speaks for this space.
    pub(crate) fn signed(&self) -> Result<&SignedRoster, TeamTrouble> {
        match &self.file {
            TeamFile::None => Err(TeamTrouble::Missing),
            TeamFile::Broken(why) => Err(TeamTrouble::Broken(why)),
            TeamFile::Signed(signed) if Some(&signed.roster.space_id) != self.space_id.as_ref() => {
                Err(TeamTrouble::OtherSpace)
            }
            TeamFile::Signed(signed) => Ok(signed),
        }
    }

    /// The roster that a person may join: whole, for this space, and none older than was seen.
    pub(crate) fn joinable(&self) -> Result<&SignedRoster, TeamTrouble> {
        let signed = self.signed()?;
        let seen = self.joined.as_ref().map_or(0, |joined| joined.serial);
        if signed.roster.serial < seen {
            let serial = signed.roster.serial;
            return Err(TeamTrouble::Older { serial, seen });
        }
        incomplete(signed).map_or(Ok(signed), Err)
    }

    /// The roster that lies there, if these admins signed it: as many of them as it asks for, or
    /// all that are named.
    pub(super) fn by_admins(
        &self,
        admins: &[Fingerprint],
        space_id: Option<&str>,
    ) -> Result<&Roster, TeamTrouble> {
        let signed = self.signed()?;
        if space_id != Some(signed.roster.space_id.as_str()) {
            return Err(TeamTrouble::OtherSpace);
        }
        if let Some(trouble) = incomplete(signed) {
            return Err(trouble);
        }
        let named = signed.roster.admins.iter().filter(|key| admins.contains(&key.fingerprint()));
        let named = named.cloned().collect::<Vec<PublicKey>>();
        let needed = signed.roster.threshold.min(admins.len()).max(1);
        if signed.signed_by(&named) < needed {
            return Err(TeamTrouble::Strangers);
        }
        Ok(&signed.roster)
    }
}

fn incomplete(signed: &SignedRoster) -> Option<TeamTrouble> {
    let (by, threshold) = (signed.signed_by(&signed.roster.admins), signed.roster.threshold);
    (by < threshold).then_some(TeamTrouble::Incomplete { signed: by, threshold })
}

impl TeamFile {
    fn read(space: &Folder) -> Self {
        let text = |name| config::read_file(space.dir(), name);
        match (text(ROSTER), text(ROSTER_SIDECAR)) {
            (Ok(None), Ok(None)) => Self::None,
            (Ok(Some(roster)), Ok(Some(sidecar))) => {
                match SignedRoster::parse(roster.as_bytes(), sidecar.as_bytes()) {
                    Ok(signed) => Self::Signed(Box::new(signed)),
                    Err(error) => Self::Broken(error.0),
                }
            }
            (Ok(Some(_)), Ok(None)) => Self::Broken("it has no signatures"),
            (Ok(None), Ok(Some(_))) => Self::Broken("it has signatures and is not there"),
            _ => Self::Broken("it cannot be read"),
        }
    }
}

/// The last roster of a space that counted.
fn pinned(surroundings: &Surroundings, space_id: &str) -> Option<Roster> {
    let records = records::parse(surroundings.peek_config(FILE));
    let record = records.iter().find(|record| record["space_id"] == space_id)?;
    Roster::parse(record["roster"].to_string().as_bytes()).ok()
}

/// Lets a roster count from now on, unless a newer one does.
pub(crate) fn pin(surroundings: &Surroundings, roster: &Roster) -> Result<(), RecordError> {
    records::change(surroundings.lock_config(), FILE, |records| {
        let is_newer = |record: &serde_json::Value| {
            record["space_id"] == roster.space_id
                && record["roster"]["serial"].as_u64().is_some_and(|seen| seen > roster.serial)
        };
        if records.iter().any(is_newer) {
            return;
        }
        records.retain(|record| record["space_id"] != roster.space_id);
        records.push(json!({ "space_id": roster.space_id, "roster": roster.value() }));
    })
}
