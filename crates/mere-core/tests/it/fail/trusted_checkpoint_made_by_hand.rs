use mere_core::log::{
    CosignableCheckpoint, EntryDisclosure, IncludedEntry, LogTime, SignedCheckpoint,
    TrustedCheckpoint,
};

fn trust(signed: SignedCheckpoint, time: LogTime) -> TrustedCheckpoint {
    TrustedCheckpoint { signed, time }
}

fn include(disclosure: EntryDisclosure, index: u64) -> IncludedEntry {
    IncludedEntry { disclosure, index }
}

fn cosign(signed: SignedCheckpoint) -> CosignableCheckpoint {
    CosignableCheckpoint(signed)
}

fn main() {
    let _ = (trust, include, cosign);
}
