use mere_engine::run::{Linked, Locked};

fn forge(linked: Linked) -> Locked {
    Locked { linked, lockfile: None }
}

fn main() {}
