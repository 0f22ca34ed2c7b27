//! Any bytes are refused, or are a note, a checkpoint or a request to a witness that is written as
//! it was read; none of them is ever signed by a key that did not sign it.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mere_core::log::{
    LogSigner, NoteError, SignedCheckpoint, SignedNote, TileId, VerifierKey, WitnessRequest,
    WitnessSigner,
};

fuzz_target!(|bytes: &[u8]| {
    let name = || "log.example".parse().expect("a name");
    let log = LogSigner::new(name(), &[1; 32]).expect("a key");
    let witness = WitnessSigner::new(name(), &[2; 32]).expect("a key");
    if let Ok(note) = SignedNote::parse(bytes) {
        assert_eq!(note.to_string().as_bytes(), bytes);
        assert!(note.check_signed_by(log.key()).is_err());
        assert!(note.check_cosigned_by(witness.key()).is_err());
        let mut signed = note.clone();
        signed.retain_signatures_of(log.key());
        signed.add_signature(log.sign(&note));
        assert_eq!(signed.check_signed_by(log.key()), Ok(()));
        assert_eq!(signed.check_cosigned_by(witness.key()), Err(NoteError::NotSigned));
    }
    if let Ok(checkpoint) = SignedCheckpoint::parse(bytes) {
        assert_eq!(checkpoint.to_string().as_bytes(), bytes);
        assert_eq!(checkpoint.checkpoint().to_string(), checkpoint.note().body());
    }
    if let Ok(request) = WitnessRequest::parse(bytes) {
        assert_eq!(request.to_string().as_bytes(), bytes);
        assert!(request.check(log.key(), None).is_err());
    }
    let Ok(text) = str::from_utf8(bytes) else { return };
    if let Ok(key) = text.parse::<VerifierKey>() {
        assert_eq!(key.to_string(), text);
    }
    if let Ok(tile) = text.parse::<TileId>() {
        assert_eq!(tile.to_string(), text);
    }
});
