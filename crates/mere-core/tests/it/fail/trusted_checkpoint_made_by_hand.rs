use mere_core::log::{
    EntryDisclosure, IncludedEntry, LogTime, SignedCheckpoint, TrustedCheckpoint,
};

fn trust(signed: SignedCheckpoint, time: LogTime) -> TrustedCheckpoint {
    TrustedCheckpoint { signed, time }
}

fn include(disclosure: EntryDisclosure, index: u64) -> IncludedEntry {
    IncludedEntry { disclosure, index }
}

fn main() {
    let _ = (trust, include);
}
