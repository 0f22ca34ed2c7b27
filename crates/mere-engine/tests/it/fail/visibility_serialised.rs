use mere_engine::world::VisibilityRef;

fn text(seen: &VisibilityRef) -> String {
    serde_json::to_string(seen).unwrap()
}

fn main() {}
