use mere_engine::run::{Locked, Ready};

fn forge(locked: Locked, other: Ready) -> Ready {
    Ready { locked, ..other }
}

fn main() {}
