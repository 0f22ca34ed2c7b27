//! The transparency log of a registry: a Merkle tree of everything that happened in it.
//!
//! The formats are those of C2SP: `tlog-tiles`, `signed-note`, `tlog-checkpoint`,
//! `tlog-cosignature` and `tlog-witness`. A server appends to a [`Frontier`] and serves tiles; a
//! client computes proofs from tiles ([`TileTree`]). [`CheckpointPolicy::judge`] is the one place
//! that decides whether a checkpoint is trusted, and only a [`TrustedCheckpoint`] says that an entry
//! is in the log (ADR 23). Nothing here asks a clock or opens a file.

mod checkpoint;
mod checkpoint_policy;
mod cosignature;
mod disclosure;
mod entry;
mod entry_bundle;
mod frontier;
mod hash;
mod hash_tile;
mod note;
mod offline_proof;
mod proof;
mod signer;
#[cfg(test)]
mod tests;
mod tile;
mod tile_tree;
mod time;
mod verifier_key;
mod witness_request;

pub use checkpoint::{Checkpoint, SignedCheckpoint};
pub use checkpoint_policy::{
    CheckpointPolicy, CheckpointRefusal, Freshness, IncludedEntry, MAX_CLOCK_LEAD_SECONDS,
    OfferedCheckpoint, TrustedCheckpoint, WitnessPolicy, WitnessPolicyError,
};
pub use disclosure::{EntryDisclosure, LoggedEvent};
pub use entry::{
    EntryCommitment, EntryNonce, LogEntry, MAX_ENTRY_BYTES, NamespaceKeyEvent, PublishEvent,
    RegistryEvent, YankEvent,
};
pub use entry_bundle::{BundleError, EntryBundle, MAX_BUNDLE_BYTES};
pub use frontier::{Frontier, FrontierError, TileNode};
pub use hash::{HASH_BYTES, MAX_TREE_SIZE, TreeHash, TreeHashError, TreeHead};
pub use hash_tile::{HashTile, TileLengthError};
pub use note::{
    MAX_NOTE_BYTES, MAX_NOTE_SIGNATURES, NoteError, NoteSignature, SignedNote, format_signatures,
    parse_signatures,
};
pub use offline_proof::{MAX_OFFLINE_PROOF_BYTES, OfflineProof, OfflineProofError};
pub use proof::{ConsistencyProof, InclusionProof, MAX_PROOF_HASHES, ProofError};
pub use signer::{LogSigner, WitnessSigner};
pub use tile::{BundleId, TILE_HEIGHT, TILE_WIDTH, TileId, TileIdError};
pub use tile_tree::{TileTree, TileTreeError};
pub use time::{LogTime, LogTimeError};
pub use verifier_key::{
    LogFingerprint, LogFingerprintError, NoteAlgorithm, NoteKeyId, NoteKeyName, VerifierKey,
    VerifierKeyError,
};
pub use witness_request::{
    ADD_CHECKPOINT_PATH, CosignableCheckpoint, MAX_WITNESS_REQUEST_BYTES, TREE_SIZE_MEDIA_TYPE,
    WitnessRefusal, WitnessRequest, WitnessedSize,
};
