use mere_core::address::Address;
use mere_core::request::FileChange;
use mere_engine::policy::Permit;

fn forge(address: Address, change: &FileChange) -> Permit<'_> {
    Permit { address, change }
}

fn main() {}
