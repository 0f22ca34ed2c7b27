use mere_core::gate::ClearedMessage;

fn main() {
    let _ = ClearedMessage("leak".into());
}
