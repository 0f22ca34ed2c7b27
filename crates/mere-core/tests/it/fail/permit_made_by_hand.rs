//! A permit for a store comes from its rules.

use mere_core::category::{Permit, StoreChange};

fn forge(change: StoreChange) -> Permit {
    Permit { change }
}

fn main() {}
