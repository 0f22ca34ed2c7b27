//! The commands that people type, one module for each or for a few that belong together.
//!
//! A command makes a request, sends it through the one door, and prints the reply. It decides
//! nothing.

pub(crate) mod allow;
pub(crate) mod call;
pub(crate) mod categories;
pub(crate) mod content;
pub(crate) mod files;
pub(crate) mod items;
pub(crate) mod keys;
pub(crate) mod locations;
pub(crate) mod memories;
pub(crate) mod models;
pub(crate) mod passphrase;
pub(crate) mod question_loop;
pub(crate) mod run;
pub(crate) mod search;
pub(crate) mod signers;
pub(crate) mod signing;
pub(crate) mod stores;
pub(crate) mod team;
pub(crate) mod trust;
