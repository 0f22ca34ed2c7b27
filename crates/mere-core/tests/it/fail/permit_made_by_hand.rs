//! A permit for a store comes from its rules, and is one change.

use mere_core::category::{Change, Permit};

fn forge(change: Change) -> Permit {
    Permit { change }
}

fn spend_twice(permit: Permit) {
    let _ = permit.spend();
    let _ = permit.spend();
}

fn main() {}
