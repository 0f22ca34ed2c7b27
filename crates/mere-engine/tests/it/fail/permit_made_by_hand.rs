use mere_core::address::Address;
use mere_core::request::Change;
use mere_engine::enforce::Permit;

fn forge(address: Address, change: &Change) -> Permit<'_> {
    Permit { address, change }
}

fn main() {}
