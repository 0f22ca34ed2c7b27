use mere_engine::policy::SigningPermit;

fn forge() -> SigningPermit {
    SigningPermit(())
}

fn main() {}
