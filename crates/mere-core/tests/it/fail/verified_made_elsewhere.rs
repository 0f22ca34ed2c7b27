use mere_core::trust::{ItemSigners, Verified};

fn forge(item: String, signers: ItemSigners) -> Verified<String> {
    Verified::new(item, signers)
}

fn main() {
    let _ = forge;
}
