use mere_engine::Typed;

fn read(typed: &Typed) {
    let _ = typed.text();
}

fn main() {}
