use mere_core::gate::ClearedMessage;

fn main() {
    let _ = ClearedMessage { value: "leak".into(), sealed_parts: Vec::new() };
}
