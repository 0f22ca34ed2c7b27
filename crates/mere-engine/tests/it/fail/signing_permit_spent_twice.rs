use mere_engine::policy::SigningPermit;

fn twice(permit: SigningPermit) -> (SigningPermit, SigningPermit) {
    (permit, permit)
}

fn main() {}
