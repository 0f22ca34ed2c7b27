use mere_core::gate::ClearedMessage;

fn main() {
    let _ = ClearedMessage { value: "leak".into(), cleared: Vec::new() };
}
