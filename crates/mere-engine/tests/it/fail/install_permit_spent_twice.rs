use mere_engine::policy::InstallPermit;

fn twice(permit: InstallPermit) -> (InstallPermit, InstallPermit) {
    (permit, permit)
}

fn main() {}
