//! Keys, signers and teams.

mod exposed;
pub(crate) mod keys;
pub(crate) mod signers;
pub(crate) mod team;
pub(crate) mod team_attacks;
