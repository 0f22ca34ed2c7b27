use mere_engine::policy::{Runnable, Usable};

fn run(read: Usable<String>) -> Runnable<String> {
    read
}

fn main() {}
