//! Any bytes are refused, or are a sidecar, a roster, a rotation or a key that is written and read
//! as itself; none of them is ever verified.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mere_core::trust::{
    Fingerprint, Placement, PublicKey, Roster, Rotation, Sidecar, SignedRoster, Statement,
};

fuzz_target!(|bytes: &[u8]| {
    if let Ok(sidecar) = Sidecar::parse(bytes) {
        assert_eq!(Sidecar::parse(sidecar.to_text().as_bytes()), Ok(sidecar));
    }
    // A payload has one spelling.
    if let Ok(statement) = Statement::parse(bytes) {
        assert_eq!(statement.payload(), bytes);
    }
    if let Ok(placement) = Placement::parse(bytes) {
        assert_eq!(placement.payload(), bytes);
    }
    if let Ok(roster) = Roster::parse(bytes) {
        assert_eq!(Roster::parse(roster.to_json().to_string().as_bytes()), Ok(roster));
    }
    // Nobody finds the signatures of two keys by chance.
    assert!(Rotation::parse(bytes).is_err());
    let at = bytes.iter().position(|byte| *byte == b'\n').unwrap_or(bytes.len());
    let (roster, sidecar) = bytes.split_at(at);
    if let Ok(signed) = SignedRoster::parse(roster, sidecar) {
        assert!(!signed.is_complete());
    }
    if let Ok(key) = PublicKey::from_wire(bytes) {
        assert_eq!(key.to_wire(), bytes);
    }
    let Ok(text) = str::from_utf8(bytes) else { return };
    if let Ok(key) = text.parse::<PublicKey>() {
        assert_eq!(key.to_string().parse(), Ok(key));
    }
    if let Ok(name) = text.parse::<Fingerprint>() {
        assert_eq!(name.to_string(), text);
    }
});
