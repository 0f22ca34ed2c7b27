//! The rosters that the user has pinned, one for each space: the last one of each that counted.
//!
//! They lie in the user's own folder. Which one counts in a folder depends on the space that the
//! folder had when its team was last seen.

use mere_core::trust::{Roster, SignedRoster};
use serde_json::json;

use super::approvals::records::{self, RecordError};
use super::{former_members, team_folders};
use mere_host::{Environment, Folder};

/// The file in the user's config folder that holds the pinned rosters.
pub(crate) const FILE: &str = "teams.json";

/// The last roster that counted for the user.
#[derive(Clone, Default)]
pub(super) enum PinnedRoster {
    /// The user has not joined.
    #[default]
    None,
    Roster(Box<Roster>),
    /// It can no longer be read whether the user joined, and which roster.
    Damaged,
}

impl PinnedRoster {
    /// Reads the roster that counts in a folder: the one pinned for its space, or for the space
    /// that it was before.
    pub(super) fn read_for_folder(
        environment: &Environment,
        project: Option<&Folder>,
        space_id: Option<&str>,
    ) -> Self {
        let pinned = space_id.map_or(Self::None, |space_id| Self::read(environment, space_id));
        let Some(folder) = project.and_then(Folder::canonical_text) else { return pinned };
        let known = team_folders::last_space_id(environment, folder);
        let known = known.filter(|known| Some(known.as_str()) != space_id);
        match known.map(|known| Self::read(environment, &known)) {
            // A team's folder does not become another team's because its space says so.
            Some(other @ (Self::Roster(_) | Self::Damaged)) => other,
            Some(Self::None) | None => {
                if let (Self::Roster(_), Some(space_id)) = (&pinned, space_id)
                    && let Err(error) =
                        team_folders::remember_if_changed(environment, folder, space_id)
                {
                    tracing::error!(%error, "the folder of a team could not be recorded");
                }
                pinned
            }
        }
    }

    /// Reads the roster pinned for a space. A record that cannot be understood is not the same as
    /// none, because that would discard what was seen.
    fn read(environment: &Environment, space_id: &str) -> Self {
        let records = match environment.read_config(FILE) {
            Ok(None) => return Self::None,
            Ok(Some(bytes)) => records::parse_strict(&bytes),
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
pub(crate) fn pin(environment: &Environment, signed: &SignedRoster) -> Result<(), RecordError> {
    let roster = &signed.roster;
    records::update(environment.lock_config(), FILE, |records| {
        let is_newer = |record: &serde_json::Value| {
            record["space_id"] == roster.space_id
                && record["roster"]["serial"].as_u64().is_some_and(|seen| seen > roster.serial)
        };
        if records.iter().any(is_newer) {
            return;
        }
        let before = records.iter().find(|record| record["space_id"] == roster.space_id);
        let former = former_members::after_change(before, roster);
        records.retain(|record| record["space_id"] != roster.space_id);
        records.push(json!({
            "space_id": roster.space_id, "roster": roster.to_json(), "former": former,
            "signatures": signed.to_sidecar_text(),
        }));
    })
}

/// Returns the last roster of a space that counted, with its signatures.
pub(crate) fn last_pinned(environment: &Environment, space_id: &str) -> Option<SignedRoster> {
    let records = records::parse_or_empty(environment.read_config_or_none(FILE));
    let record = records.iter().find(|record| record["space_id"] == space_id)?;
    let (roster, signatures) = (record["roster"].to_string(), record["signatures"].as_str()?);
    SignedRoster::parse(roster.as_bytes(), signatures.as_bytes()).ok()
}

/// Removes the pinned roster of a space, and with it the record of which one was last seen.
pub(crate) fn unpin(environment: &Environment, space_id: &str) -> Result<(), RecordError> {
    records::update(environment.lock_config(), FILE, |records| {
        records.retain(|record| record["space_id"] != space_id);
    })
}
