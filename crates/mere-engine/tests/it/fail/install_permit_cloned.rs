use mere_engine::policy::InstallPermit;

fn twice(permit: &InstallPermit) -> InstallPermit {
    permit.clone()
}

fn main() {}
