//! Cosignatures: what a witness signs about a checkpoint, with the time (C2SP `tlog-cosignature`).
//!
//! A cosignature says that the tree was the largest one that the witness had seen of this log at
//! that time, and that it continued all earlier ones.

use super::note::NoteError;
use super::time::LogTime;
use super::verifier_key::VerifierKey;

/// How many bytes the time takes.
const TIME_BYTES: usize = 8;

/// A time and a signature over it and a checkpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cosignature {
    pub(super) time: LogTime,
    pub(super) signature: [u8; 64],
}

impl Cosignature {
    /// Returns the bytes that a witness signs.
    pub(super) fn message(body: &str, time: LogTime) -> Vec<u8> {
        format!("cosignature/v1\ntime {time}\n{body}").into_bytes()
    }

    pub(super) fn from_bytes(bytes: &[u8]) -> Result<Self, NoteError> {
        let (time, signature) =
            bytes.split_first_chunk::<TIME_BYTES>().ok_or(NoteError::BadSignature)?;
        let time = LogTime::from_seconds(u64::from_be_bytes(*time));
        let signature = signature.try_into().map_err(|_| NoteError::BadSignature)?;
        Ok(Self { time: time.map_err(|_| NoteError::BadSignature)?, signature })
    }

    pub(super) fn to_bytes(self) -> Vec<u8> {
        [self.time.seconds().to_be_bytes().as_slice(), &self.signature].concat()
    }

    /// Checks that a witness made it about this text, and returns its time.
    pub(super) fn check(&self, body: &str, key: &VerifierKey) -> Result<LogTime, NoteError> {
        let message = Self::message(body, self.time);
        if key.public_key().is_signature_valid(&self.signature, &message) {
            Ok(self.time)
        } else {
            Err(NoteError::BadSignature)
        }
    }
}
