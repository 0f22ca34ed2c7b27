use mere_engine::policy::EntryPermit;

fn twice(permit: EntryPermit) -> (EntryPermit, EntryPermit) {
    (permit, permit)
}

fn main() {}
