use mere_engine::policy::{PublishPermit, RegistryPermit};

fn forge() -> (PublishPermit, RegistryPermit) {
    (PublishPermit(()), RegistryPermit(()))
}

fn main() {
    let _ = forge;
}
