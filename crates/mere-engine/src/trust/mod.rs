//! Whose signatures count, and what a person has approved.
//!
//! [`TrustPolicy`] is the answer for one reading of the configuration; [`keys`] are the user's own
//! keys, [`signers`] the keys of others that they trust, [`team`] the roster that they joined. Only
//! people's commands change any of it.

pub(crate) mod approvals;
pub(crate) mod digest_key;
pub(crate) mod drafts;
mod former_members;
pub(crate) mod keys;
mod machine_key;
mod pinned_rosters;
pub(crate) mod policy;
pub(crate) mod project_key;
pub(crate) mod secret_store;
mod seen_versions;
pub(crate) mod signers;
pub(crate) mod team;
pub(crate) mod team_folders;
mod team_refusal;
pub(crate) mod tokens;

pub(crate) use drafts::{FILE as DRAFTS_FILE, forget_drafts, start_draft};
pub(crate) use former_members::{SignerStanding, count_teams_needing, remember_former_members};
pub(crate) use machine_key::{MachineKey, machine_folder};
pub(crate) use pinned_rosters::{FILE as TEAMS_FILE, PinError, last_pinned, pin, unpin};
pub(crate) use policy::{ProjectFolders, TrustPolicy, now};
pub(crate) use team::{
    DEFAULT_SIGNED_TYPES, Membership, Quorum, ROSTER_FILE, ROSTER_SIDECAR, RosterFile,
    RosterTrouble, roster_address,
};
pub(crate) use team_folders::{
    FILE as HOMES_FILE, forget as forget_folder, remember as remember_folder,
};
pub(crate) use team_refusal::TeamRefusal;
