use mere_engine::Typed;

fn read(typed: &Typed) {
    let _ = typed.below(panic!());
}

fn main() {}
