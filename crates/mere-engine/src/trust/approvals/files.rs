//! The records of sensitive files that a person shows to the agents of a project.
//!
//! They live in the user's state folder, which no root shows.

use mere_core::address::Address;

use crate::trust::approvals::records;
use crate::trust::project_key::ProjectKey;
use mere_host::Environment;

/// The file in the state folder that holds the records.
pub(crate) const FILE: &str = "allowed.json";

/// Returns the addresses that are allowed in a project. A record that does not parse allows
/// nothing.
pub(crate) fn allowed_addresses(environment: &Environment, key: &ProjectKey) -> Vec<Address> {
    let records = records::parse_or_empty(environment.read_state_or_none(FILE));
    let own = records.iter().filter(|record| key.matches(record));
    own.filter_map(|record| record["address"].as_str()?.parse().ok()).collect()
}
