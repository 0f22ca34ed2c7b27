//! The rosters that the user has pinned, one for each space: the last one of each that counted.
//!
//! They lie in the user's own folder. Which one counts in a folder depends on the space that the
//! folder had when its team was last seen.

use mere_core::trust::{Roster, SignedRoster};
use serde_json::{Value, json};

use super::approvals::records::{self, RecordError};
use super::team::{RosterTrouble, staleness};
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
    /// Returns the roster that counts in a folder: `pinned`, which is that of its space, or the one
    /// of the space that it was before.
    pub(super) fn read_for_folder(
        environment: &Environment,
        project: Option<&Folder>,
        (space_id, pinned): (Option<&str>, Self),
    ) -> Self {
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
    pub(super) fn read(environment: &Environment, space_id: &str) -> Self {
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

/// Why a roster was not pinned.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PinError {
    #[error(transparent)]
    Record(#[from] RecordError),
    /// The roster that was seen before still counts.
    #[error(transparent)]
    Stale(#[from] RosterTrouble),
}

/// Lets a roster count from now on, unless a newer one of its space does.
pub(crate) fn pin(environment: &Environment, signed: &SignedRoster) -> Result<(), PinError> {
    records::try_update(environment.lock_config(), FILE, |_, records| put_roster(records, signed))
}

/// Puts a roster in the place of the one that was seen before.
fn put_roster(records: &mut Vec<Value>, signed: &SignedRoster) -> Result<(), PinError> {
    let roster = &signed.roster;
    let before = records.iter().find(|record| record["space_id"] == roster.space_id);
    if let Some(before) = before {
        let seen = Roster::parse(before["roster"].to_string().as_bytes());
        let seen = seen.map_err(|_| RosterTrouble::Damaged)?;
        staleness(roster, &seen).map_or(Ok(()), Err)?;
    }
    let former = former_members::after_change(before, roster);
    records.retain(|record| record["space_id"] != roster.space_id);
    records.push(json!({
        "space_id": roster.space_id, "roster": roster.to_json(), "former": former,
        "signatures": signed.to_sidecar_text(),
    }));
    Ok(())
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

#[cfg(test)]
mod tests {
    use mere_core::item::ItemType;

    use super::*;

    const KEY: &str =
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIIH2aiIz7QAjKiD9IhMsrNd0i1r0Y7/g1ZpeS2JrguIi";

    fn signed(space_id: &str, serial: u64, required: ItemType) -> SignedRoster {
        let roster = Roster {
            space_id: space_id.to_owned(),
            serial,
            threshold: 1,
            admins: vec![KEY.parse().expect("a key")],
            members: Vec::new(),
            require_signed: vec![required],
        };
        SignedRoster { envelope: roster.envelope(), roster }
    }

    #[test]
    fn each_space_keeps_the_newest_roster_that_was_seen() {
        let (tool, note) = (ItemType::Tool, ItemType::Knowledge);
        let mut records = Vec::new();
        let mut put = |space_id, serial, required| {
            let result = put_roster(&mut records, &signed(space_id, serial, required));
            let serials = records.iter().map(|record| {
                let serial = record["roster"]["serial"].as_u64().expect("a serial");
                (record["space_id"].as_str().expect("an id").to_owned(), serial)
            });
            (result.is_ok(), serials.collect::<Vec<_>>())
        };
        let both = |a, b| vec![("b".to_owned(), b), ("a".to_owned(), a)];
        assert_eq!(put("b", 9, tool), (true, vec![("b".to_owned(), 9)]));
        assert_eq!(put("a", 3, tool), (true, both(3, 9)), "another space is another team");
        assert_eq!(put("a", 3, tool), (true, both(3, 9)), "the same one may be pinned again");
        assert_eq!(put("a", 2, tool), (false, both(3, 9)), "an older one");
        assert_eq!(put("a", 3, note), (false, both(3, 9)), "another one of the same serial");
        assert_eq!(put("a", 4, note), (true, both(4, 9)));
    }

    #[test]
    fn a_record_that_cannot_be_read_is_not_written_over() {
        let damaged = json!({ "space_id": "a", "roster": { "serial": 1 } });
        let mut records = vec![damaged.clone()];
        let result = put_roster(&mut records, &signed("a", 2, ItemType::Tool));
        assert!(matches!(result, Err(PinError::Stale(RosterTrouble::Damaged))));
        assert_eq!(records, [damaged]);
    }
}
