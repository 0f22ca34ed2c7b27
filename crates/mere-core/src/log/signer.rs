//! The private keys of a log and of a witness.
//!
//! They are made of 32 random bytes, are cleared from memory when they are dropped, and are never
//! printed. A key of a log cannot make a cosignature, and a key of a witness signs nothing else.

use std::fmt;

use ed25519_dalek::{Signer, SigningKey};

use super::cosignature::Cosignature;
use super::note::{NoteSignature, SignedNote};
use super::time::LogTime;
use super::verifier_key::{NoteAlgorithm, NoteKeyName, VerifierKey, VerifierKeyError};
use crate::trust::PublicKey;

/// The private key of a log.
#[derive(Clone)]
pub struct LogSigner(NamedSigningKey);

/// The private key of a witness.
#[derive(Clone)]
pub struct WitnessSigner(NamedSigningKey);

#[derive(Clone)]
struct NamedSigningKey {
    key: VerifierKey,
    secret: SigningKey,
}

impl NamedSigningKey {
    fn new(
        name: NoteKeyName,
        algorithm: NoteAlgorithm,
        seed: &[u8; 32],
    ) -> Result<Self, VerifierKeyError> {
        let secret = SigningKey::from_bytes(seed);
        let public = PublicKey::from_bytes(secret.verifying_key().as_bytes());
        let public = public.map_err(|_| VerifierKeyError::Weak)?;
        Ok(Self { key: VerifierKey::new(name, algorithm, public), secret })
    }
}

impl LogSigner {
    /// Makes the key of a log, whose name is the origin of the log, from 32 random bytes.
    pub fn new(name: NoteKeyName, seed: &[u8; 32]) -> Result<Self, VerifierKeyError> {
        NamedSigningKey::new(name, NoteAlgorithm::Ed25519, seed).map(Self)
    }

    /// Returns the public key.
    pub fn key(&self) -> &VerifierKey {
        &self.0.key
    }

    /// Signs a note.
    pub fn sign(&self, note: &SignedNote) -> NoteSignature {
        let signature = self.0.secret.sign(note.body().as_bytes());
        NoteSignature::new(&self.0.key, signature.to_bytes().to_vec())
    }
}

impl WitnessSigner {
    /// Makes the key of a witness from 32 random bytes.
    pub fn new(name: NoteKeyName, seed: &[u8; 32]) -> Result<Self, VerifierKeyError> {
        NamedSigningKey::new(name, NoteAlgorithm::CosignatureV1, seed).map(Self)
    }

    /// Returns the public key.
    pub fn key(&self) -> &VerifierKey {
        &self.0.key
    }

    /// Co-signs a note at this time.
    pub(super) fn cosign(&self, note: &SignedNote, time: LogTime) -> NoteSignature {
        let signature = self.0.secret.sign(&Cosignature::message(note.body(), time)).to_bytes();
        NoteSignature::new(&self.0.key, Cosignature { time, signature }.to_bytes())
    }
}

impl fmt::Debug for LogSigner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LogSigner")
    }
}

impl fmt::Debug for WitnessSigner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WitnessSigner")
    }
}

#[cfg(test)]
mod tests {
    use base64::Engine;
    use base64::prelude::BASE64_STANDARD;

    use super::*;
    use crate::log::NoteError;

    /// The private key and the signature are those of the documentation of Go's package `note`.
    #[test]
    fn signs_as_others_do() {
        let bytes = BASE64_STANDARD.decode("AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz");
        let seed = bytes.expect("base64")[1..].try_into().expect("32 bytes");
        let name = "PeterNeumann".parse().expect("a name");
        let signer = LogSigner::new(name, &seed).expect("a key");
        let expected = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW";
        assert_eq!(signer.key().to_string(), expected);
        let text = "If you think cryptography is the answer to your problem,\n\
                    then you don't know what your problem is.\n";
        let note = SignedNote::new(text.to_owned()).expect("a note");
        let expected = "— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2p\
                        ZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=";
        assert_eq!(signer.sign(&note).to_string(), expected);
        assert_eq!(format!("{signer:?}"), "LogSigner");
    }

    #[test]
    fn a_cosignature_is_bound_to_its_time_text_and_key() {
        let name = || "witness.example/w1".parse().expect("a name");
        let signer = WitnessSigner::new(name(), &[3; 32]).expect("a key");
        let other = WitnessSigner::new(name(), &[4; 32]).expect("a key");
        let time = LogTime::from_seconds(1_679_315_147).expect("a time");
        let mut note = SignedNote::new("a log\n".to_owned()).expect("a note");
        let message = Cosignature::message(note.body(), time);
        assert_eq!(message, b"cosignature/v1\ntime 1679315147\na log\n");
        note.add_signature(signer.cosign(&note, time));
        assert_eq!(note.check_cosigned_by(signer.key()), Ok(time));
        assert_eq!(note.check_cosigned_by(other.key()), Err(NoteError::NotSigned));
        let mut changed = SignedNote::new("another log\n".to_owned()).expect("a note");
        changed.add_signature(note.signatures()[0].clone());
        assert_eq!(changed.check_cosigned_by(signer.key()), Err(NoteError::BadSignature));
        let bytes = Cosignature { time, signature: [0; 64] }.to_bytes();
        for at in 0..bytes.len() {
            assert_eq!(Cosignature::from_bytes(&bytes[..at]), Err(NoteError::BadSignature));
        }
        // The key of a witness is not one of a log, even if the message is the same.
        let message = SignedNote::new(String::from_utf8_lossy(&message).into_owned());
        let log = LogSigner::new(name(), &[3; 32]).expect("a key");
        let mut message = message.expect("a note");
        message.add_signature(log.sign(&message));
        assert_eq!(message.check_signed_by(log.key()), Ok(()));
        assert_eq!(message.check_signed_by(signer.key()), Err(NoteError::NotSigned));
    }
}
