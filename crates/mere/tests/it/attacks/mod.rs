//! The attack suite: named cases on fixtures with canaries, with the same checks after each case.
//!
//! `docs/security.md` lists every case; [`document`] keeps the two equal.

mod case;
mod checks;
mod config;
mod document;
mod environment;
mod http;
mod index;
mod json_rpc;
mod keys;
mod links;
mod locations;
mod lockfiles;
mod parsers;
mod paths;
mod policies;
mod rosters;
mod runner;
mod sandbox;
mod self_check;
mod server;
mod signatures;
mod tampering;
mod world;

use std::collections::BTreeSet;

use case::AttackCase;

/// Every case, in the order of the document.
fn all_cases() -> Vec<AttackCase> {
    let areas: [fn() -> Vec<AttackCase>; 15] = [
        paths::cases,
        links::cases,
        locations::cases,
        signatures::cases,
        keys::cases,
        rosters::cases,
        lockfiles::cases,
        index::cases,
        parsers::cases,
        json_rpc::cases,
        http::cases,
        sandbox::cases,
        environment::cases,
        policies::cases,
        config::cases,
    ];
    areas.into_iter().flat_map(|cases| cases()).collect()
}

#[test]
fn there_are_at_least_three_hundred_cases() {
    let count = all_cases().len();
    assert!(count >= 300, "{count} cases");
}

#[test]
fn every_case_has_a_name_of_its_own() {
    let cases = all_cases();
    let mut names = BTreeSet::new();
    for case in &cases {
        assert!(names.insert(&case.name), "two cases are called {:?}", case.name);
    }
}
