use mere_engine::run::{Linked, ShownChain};

fn run(shown: ShownChain) -> Linked {
    shown
}

fn main() {}
