//! A permit for a store is one change.

use mere_core::category::Permit;

fn spend_twice(permit: Permit) {
    let _ = permit.spend();
    let _ = permit.spend();
}

fn main() {}
