//! What a log asks a witness for: to co-sign a checkpoint (C2SP `tlog-witness`, `add-checkpoint`).
//!
//! [`WitnessRequest::check`] is the whole rule by which a witness signs. It makes the only value
//! that can be co-signed, and the witness has to store its tree head first.

use std::fmt;
use std::str::FromStr;

use super::checkpoint::SignedCheckpoint;
use super::hash::{MAX_TREE_SIZE, TreeHead};
use super::note::{MAX_NOTE_BYTES, NoteError, NoteSignature};
use super::proof::{ConsistencyProof, MAX_PROOF_HASHES, ProofError};
use super::signer::WitnessSigner;
use super::time::{LogTime, parse_decimal};
use super::verifier_key::VerifierKey;

/// The size of the largest request in bytes.
pub const MAX_WITNESS_REQUEST_BYTES: usize = MAX_NOTE_BYTES + 64 * (MAX_PROOF_HASHES + 1);
/// The last part of the path that requests are sent to.
pub const ADD_CHECKPOINT_PATH: &str = "/add-checkpoint";
/// The media type of an answer that says which size the witness knows.
pub const TREE_SIZE_MEDIA_TYPE: &str = "text/x.tlog.size";

/// A request to co-sign a checkpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WitnessRequest {
    /// The size of the tree that the witness co-signed last.
    pub old_size: u64,
    /// The proof that the checkpoint continues that tree.
    pub proof: ConsistencyProof,
    /// The checkpoint.
    pub checkpoint: SignedCheckpoint,
}

/// A checkpoint that a witness may co-sign, because it continues all that it co-signed before.
#[derive(Clone, Debug)]
pub struct CosignableCheckpoint(SignedCheckpoint);

/// The reason why a witness does not co-sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WitnessRefusal {
    /// The log's key did not sign the checkpoint.
    #[error("the checkpoint is not signed by the log")]
    BadSignature,
    /// The old size is larger than that of the checkpoint.
    #[error("the old size is larger than the checkpoint")]
    OldSize,
    /// The witness has co-signed another size, which is given.
    #[error("the witness has co-signed a tree of {0} entries")]
    OtherSize(u64),
    /// The witness has co-signed a tree of this size with another root.
    #[error("the witness has co-signed another tree of {0} entries")]
    OtherRoot(u64),
    /// The proof does not hold.
    #[error("the checkpoint does not continue what the witness has co-signed")]
    BadProof,
}

impl WitnessRefusal {
    /// Returns the HTTP status that the protocol demands.
    pub fn status(self) -> u16 {
        match self {
            Self::BadSignature => 403,
            Self::OldSize => 400,
            Self::OtherSize(_) | Self::OtherRoot(_) => 409,
            Self::BadProof => 422,
        }
    }
}

impl WitnessRequest {
    /// Parses the body of a request.
    pub fn parse(bytes: &[u8]) -> Result<Self, NoteError> {
        if bytes.len() > MAX_WITNESS_REQUEST_BYTES {
            return Err(NoteError::TooLong);
        }
        let text = str::from_utf8(bytes).map_err(|_| NoteError::Form)?;
        let (head, checkpoint) = text.split_once("\n\n").ok_or(NoteError::Form)?;
        let mut lines = head.split('\n');
        let old_size = lines.next().and_then(|line| parse_decimal(line.strip_prefix("old ")?));
        let old_size = old_size.filter(|size| *size <= MAX_TREE_SIZE).ok_or(NoteError::Form)?;
        let hashes = lines.map(|line| line.parse().map_err(|_| NoteError::Form));
        let hashes = hashes.collect::<Result<Vec<_>, _>>()?;
        if hashes.len() > MAX_PROOF_HASHES {
            return Err(NoteError::TooLong);
        }
        let checkpoint = SignedCheckpoint::parse(checkpoint.as_bytes())?;
        Ok(Self { old_size, proof: ConsistencyProof { hashes }, checkpoint })
    }

    /// Decides whether a witness may co-sign. `key` is that of the log with the checkpoint's origin,
    /// and `last` what the witness co-signed last of this log.
    pub fn check(
        self,
        key: &VerifierKey,
        last: Option<TreeHead>,
    ) -> Result<CosignableCheckpoint, WitnessRefusal> {
        let note = self.checkpoint.note();
        note.check_signed_by(key).map_err(|_| WitnessRefusal::BadSignature)?;
        let head = self.checkpoint.checkpoint().head();
        if self.checkpoint.checkpoint().origin() != key.name() {
            return Err(WitnessRefusal::BadSignature);
        }
        if self.old_size > head.size {
            return Err(WitnessRefusal::OldSize);
        }
        let last = last.unwrap_or_else(TreeHead::empty);
        if self.old_size != last.size {
            return Err(WitnessRefusal::OtherSize(last.size));
        }
        match self.proof.check(&last, &head) {
            Ok(()) => Ok(CosignableCheckpoint(self.checkpoint)),
            Err(ProofError::OtherOldRoot) if last.size == head.size => {
                Err(WitnessRefusal::OtherRoot(last.size))
            }
            Err(_) => Err(WitnessRefusal::BadProof),
        }
    }
}

impl fmt::Display for WitnessRequest {
    /// Writes the body of the request.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "old {}", self.old_size)?;
        self.proof.hashes.iter().try_for_each(|hash| writeln!(f, "{hash}"))?;
        write!(f, "\n{}", self.checkpoint)
    }
}

impl CosignableCheckpoint {
    /// Returns the tree head that the witness has to store before it co-signs.
    pub fn head(&self) -> TreeHead {
        self.0.checkpoint().head()
    }

    /// Returns the checkpoint.
    pub fn checkpoint(&self) -> &SignedCheckpoint {
        &self.0
    }

    /// Co-signs the checkpoint.
    pub fn cosign(&self, signer: &WitnessSigner, time: LogTime) -> NoteSignature {
        signer.cosign(self.0.note(), time)
    }
}

/// The size that a witness answers when it knows another one than the log thought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WitnessedSize(pub u64);

impl FromStr for WitnessedSize {
    type Err = NoteError;

    fn from_str(text: &str) -> Result<Self, NoteError> {
        let size = text.strip_suffix('\n').and_then(parse_decimal);
        size.filter(|size| *size <= MAX_TREE_SIZE).map(Self).ok_or(NoteError::Form)
    }
}

impl fmt::Display for WitnessedSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.0)
    }
}
