use mere_engine::world::VisibilityRef;

fn twice(seen: &VisibilityRef) -> VisibilityRef {
    seen.clone()
}

fn main() {}
