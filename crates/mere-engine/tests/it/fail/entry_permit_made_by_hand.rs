use mere_engine::policy::EntryPermit;

fn forge(permit: EntryPermit) -> EntryPermit {
    EntryPermit { ..permit }
}

fn main() {}
