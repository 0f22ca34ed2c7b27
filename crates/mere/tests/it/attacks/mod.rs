//! The attack suite: named cases on fixtures with canaries, with the same checks after each case.

mod case;
mod checks;
mod json_rpc;
mod links;
mod locations;
mod lockfiles;
mod paths;
mod runner;
mod self_check;
mod server;
mod signatures;
mod tampering;
mod world;

use std::collections::BTreeSet;

use case::AttackCase;

/// Every case, in the order of the document.
fn all_cases() -> Vec<AttackCase> {
    let areas: [fn() -> Vec<AttackCase>; 6] = [
        paths::cases,
        links::cases,
        locations::cases,
        signatures::cases,
        lockfiles::cases,
        json_rpc::cases,
    ];
    areas.into_iter().flat_map(|cases| cases()).collect()
}

#[test]
fn every_case_has_a_name_of_its_own() {
    let cases = all_cases();
    let mut names = BTreeSet::new();
    for case in &cases {
        assert!(names.insert(&case.name), "two cases are called {:?}", case.name);
    }
}
