use mere_core::log::{CosignableCheckpoint, SignedCheckpoint};

fn cosign(signed: SignedCheckpoint) -> CosignableCheckpoint {
    CosignableCheckpoint(signed)
}

fn main() {
    let _ = cosign;
}
