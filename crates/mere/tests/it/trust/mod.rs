//! Keys, signers and teams, whose word counts, and which versions were seen.

mod authority;
mod ci_recipes;
mod exposed;
pub(crate) mod keys;
mod minimum_versions;
mod rollback;
mod rollback_attacks;
pub(crate) mod signers;
pub(crate) mod team;
pub(crate) mod team_attacks;
