//! Whether a checkpoint is trusted.
//!
//! The rule is stated here alone: the pinned key and enough witnesses signed it, it is neither from
//! the future nor too old, and it continues the last one that was seen. [`TrustedCheckpoint`] is the
//! result, and the only thing that says whether an entry is in the log.

use super::checkpoint::SignedCheckpoint;
use super::disclosure::EntryDisclosure;
use super::hash::{TreeHash, TreeHead};
use super::note::NoteError;
use super::proof::{ConsistencyProof, InclusionProof, ProofError};
use super::time::LogTime;
use super::verifier_key::{NoteAlgorithm, VerifierKey};

/// How far ahead the clock of a registry may be, in seconds.
pub const MAX_CLOCK_LEAD_SECONDS: u64 = 300;

/// What is demanded of the checkpoints of one log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckpointPolicy {
    /// The pinned key of the log. Its name is the origin of the log.
    pub log_key: VerifierKey,
    /// The witnesses.
    pub witnesses: WitnessPolicy,
    /// How old a checkpoint may be.
    pub freshness: Freshness,
}

/// How many of which witnesses have to co-sign a checkpoint.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WitnessPolicy {
    threshold: usize,
    keys: Vec<VerifierKey>,
}

/// Witnesses that cannot be demanded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WitnessPolicyError {
    /// A key is not one of a witness.
    #[error("a key is not the verifier key of a witness")]
    NotAWitness,
    /// Two entries have the same key, which would count twice.
    #[error("a witness is listed twice")]
    Duplicate,
    /// The threshold is larger than the number of witnesses.
    #[error("the threshold is larger than the number of witnesses")]
    Threshold,
}

/// How old a checkpoint may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Freshness {
    /// At most so many seconds.
    Within(u64),
    /// As old as it is: a registry in a folder is not signed again.
    Unbounded,
}

/// A checkpoint that somebody offers, and the proof that it continues the last one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfferedCheckpoint {
    /// The checkpoint.
    pub checkpoint: SignedCheckpoint,
    /// The proof that it continues the last one that was seen; empty if there is none, or if it
    /// has the same size.
    pub proof: ConsistencyProof,
}

/// The reason why a checkpoint is not trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CheckpointRefusal {
    /// The pinned key did not sign it, or a signature on it is invalid.
    #[error("the checkpoint is not signed by the pinned key")]
    BadSignature,
    /// It is the checkpoint of another log.
    #[error("the checkpoint belongs to another log")]
    OtherLog,
    /// Too few witnesses co-signed it.
    #[error("{found} of {needed} witnesses have co-signed the checkpoint")]
    TooFewWitnesses {
        /// How many of the listed witnesses did.
        found: usize,
        /// How many have to.
        needed: usize,
    },
    /// It does not say when it was signed.
    #[error("the checkpoint has no time")]
    WithoutTime,
    /// It was signed later than now.
    #[error("the checkpoint is from the future, by {ahead_seconds} seconds")]
    FromTheFuture {
        /// By how many seconds.
        ahead_seconds: u64,
    },
    /// It was signed too long ago.
    #[error("the checkpoint is {age_seconds} seconds old")]
    Stale {
        /// How many seconds ago.
        age_seconds: u64,
        /// How many are allowed.
        max_age_seconds: u64,
    },
    /// It has fewer entries than one that was seen.
    #[error("the log has {offered} entries, and had {seen} before")]
    Older {
        /// How many it has.
        offered: u64,
        /// How many the last one had.
        seen: u64,
    },
    /// The log is another one than the one that was seen: its history was changed.
    #[error("the log has another history than before")]
    Forked,
    /// The proof that it continues the last one is missing or malformed.
    #[error("the log does not prove that it continues what it was before")]
    Unproven,
}

/// A checkpoint that the policy accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrustedCheckpoint {
    signed: SignedCheckpoint,
    time: LogTime,
}

/// An entry that is in the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IncludedEntry {
    disclosure: EntryDisclosure,
    index: u64,
}

impl WitnessPolicy {
    /// Demands cosignatures of `threshold` of these witnesses.
    pub fn new(threshold: usize, keys: Vec<VerifierKey>) -> Result<Self, WitnessPolicyError> {
        if keys.iter().any(|key| key.algorithm() != NoteAlgorithm::CosignatureV1) {
            return Err(WitnessPolicyError::NotAWitness);
        }
        for (at, key) in keys.iter().enumerate() {
            // Whoever has the key of two names is still one witness.
            if keys[..at].iter().any(|other| other.public_key() == key.public_key()) {
                return Err(WitnessPolicyError::Duplicate);
            }
        }
        if threshold > keys.len() {
            return Err(WitnessPolicyError::Threshold);
        }
        Ok(Self { threshold, keys })
    }

    /// Returns how many witnesses have to co-sign.
    pub fn threshold(&self) -> usize {
        self.threshold
    }

    /// Returns the witnesses.
    pub fn keys(&self) -> &[VerifierKey] {
        &self.keys
    }

    fn check(&self, checkpoint: &SignedCheckpoint) -> Result<(), CheckpointRefusal> {
        let mut found = 0;
        for key in &self.keys {
            match checkpoint.note().check_cosigned_by(key) {
                Ok(_) => found += 1,
                Err(NoteError::NotSigned) => {}
                Err(_) => return Err(CheckpointRefusal::BadSignature),
            }
        }
        let needed = self.threshold;
        if found >= needed {
            Ok(())
        } else {
            Err(CheckpointRefusal::TooFewWitnesses { found, needed })
        }
    }
}

impl CheckpointPolicy {
    /// Decides whether a checkpoint is trusted. `seen` is the head of the last one that was, if
    /// there was one.
    pub fn judge(
        &self,
        offered: OfferedCheckpoint,
        seen: Option<TreeHead>,
        now: LogTime,
    ) -> Result<TrustedCheckpoint, CheckpointRefusal> {
        let OfferedCheckpoint { checkpoint, proof } = offered;
        let time = self.check_signatures(&checkpoint)?;
        if let Some(seen) = seen {
            check_growth(&seen, &checkpoint.checkpoint().head(), &proof)?;
        }
        self.freshness.check(time, now)?;
        Ok(TrustedCheckpoint { signed: checkpoint, time })
    }

    /// Checks that the log and enough witnesses signed a checkpoint, and returns its time. A client
    /// does so before it reads tiles of that size; the checkpoint is not trusted yet.
    pub fn check_signatures(
        &self,
        checkpoint: &SignedCheckpoint,
    ) -> Result<LogTime, CheckpointRefusal> {
        let time = check_log_signature(checkpoint, &self.log_key)?;
        self.witnesses.check(checkpoint)?;
        Ok(time)
    }
}

/// Checks that the key of a log signed a checkpoint of that log, and returns its time.
fn check_log_signature(
    checkpoint: &SignedCheckpoint,
    key: &VerifierKey,
) -> Result<LogTime, CheckpointRefusal> {
    checkpoint.note().check_signed_by(key).map_err(|_| CheckpointRefusal::BadSignature)?;
    if checkpoint.checkpoint().origin() != key.name() {
        return Err(CheckpointRefusal::OtherLog);
    }
    checkpoint.checkpoint().time().ok_or(CheckpointRefusal::WithoutTime)
}

impl Freshness {
    fn check(self, time: LogTime, now: LogTime) -> Result<(), CheckpointRefusal> {
        let ahead_seconds = time.seconds_since(now);
        if ahead_seconds > MAX_CLOCK_LEAD_SECONDS {
            return Err(CheckpointRefusal::FromTheFuture { ahead_seconds });
        }
        let age_seconds = now.seconds_since(time);
        match self {
            Self::Within(max_age_seconds) if age_seconds > max_age_seconds => {
                Err(CheckpointRefusal::Stale { age_seconds, max_age_seconds })
            }
            Self::Within(_) | Self::Unbounded => Ok(()),
        }
    }
}

fn check_growth(
    seen: &TreeHead,
    head: &TreeHead,
    proof: &ConsistencyProof,
) -> Result<(), CheckpointRefusal> {
    if head.size < seen.size {
        return Err(CheckpointRefusal::Older { offered: head.size, seen: seen.size });
    }
    proof.check(seen, head).map_err(|error| match error {
        ProofError::OtherOldRoot => CheckpointRefusal::Forked,
        // Such a proof begins with the old root, so that another history shows only in the end.
        ProofError::OtherRoot if seen.size.is_power_of_two() => CheckpointRefusal::Forked,
        ProofError::OtherRoot | ProofError::Shape => CheckpointRefusal::Unproven,
    })
}

impl TrustedCheckpoint {
    /// Trusts a checkpoint for what a key alone says about it: the log did sign it, at some time.
    pub(super) fn signed_by(
        signed: SignedCheckpoint,
        key: &VerifierKey,
    ) -> Result<Self, CheckpointRefusal> {
        let time = check_log_signature(&signed, key)?;
        Ok(Self { signed, time })
    }

    /// Returns the size and the root of the log.
    pub fn head(&self) -> TreeHead {
        self.signed.checkpoint().head()
    }

    /// Returns when it was signed.
    pub fn time(&self) -> LogTime {
        self.time
    }

    /// Returns the checkpoint with its signatures.
    pub fn signed(&self) -> &SignedCheckpoint {
        &self.signed
    }

    /// Verifies that an entry is in the log.
    pub fn verify_inclusion(
        &self,
        disclosure: EntryDisclosure,
        proof: &InclusionProof,
    ) -> Result<IncludedEntry, ProofError> {
        proof.check(disclosure.leaf().hash(), &self.head())?;
        Ok(IncludedEntry { disclosure, index: proof.index })
    }

    /// Verifies that the log has a leaf, whatever its entry says. The proof of one leaf covers the
    /// hashes of the whole tile that it was computed from.
    pub fn verify_leaf(&self, leaf: TreeHash, proof: &InclusionProof) -> Result<(), ProofError> {
        proof.check(leaf, &self.head())
    }
}

impl IncludedEntry {
    /// Returns the entry, and the nonce if it is sealed.
    pub fn disclosure(&self) -> &EntryDisclosure {
        &self.disclosure
    }

    /// Returns its index in the log.
    pub fn index(&self) -> u64 {
        self.index
    }
}
