use mere_engine::TypedPath;

fn read(typed: &TypedPath) {
    let _ = typed.resolve_from(panic!());
}

fn main() {}
