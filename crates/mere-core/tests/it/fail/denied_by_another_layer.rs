use mere_core::reply::{Denied, MayAnswer, World};

fn may_deny<L: MayAnswer<Denied>>() {}

fn main() {
    may_deny::<World>();
}
