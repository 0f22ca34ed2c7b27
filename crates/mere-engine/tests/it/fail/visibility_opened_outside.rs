use mere_engine::world::VisibilityRef;

fn reach(seen: &VisibilityRef) {
    let _ = seen.opened();
    let _ = &seen.place;
}

fn main() {}
