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
