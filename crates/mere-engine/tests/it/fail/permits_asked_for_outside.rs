use mere_engine::policy::{permit_category, permit_install, permit_lockfile, permit_run, permit_signing, permit_use};

fn ask() {
    let _ = (permit_category, permit_install, permit_lockfile);
    let _ = (permit_run, permit_signing, permit_use);
}

fn main() {}
