use mere_engine::policy::SigningPermit;

fn twice(permit: &SigningPermit) -> SigningPermit {
    permit.clone()
}

fn main() {}
