//! The log of a registry as it is now: a checkpoint that is trusted, and proofs about it.
//!
//! Proofs are computed from tiles, which whoever serves them may have made up: a proof is what its
//! verification against the checkpoint says.

use std::cell::Cell;

use mere_core::log::{
    BundleId, CheckpointPolicy, CheckpointRefusal, ConsistencyProof, EntryBundle, EntryDisclosure,
    Freshness, InclusionProof, LogTime, MAX_NOTE_BYTES, OfferedCheckpoint, OfflineProof,
    SignedCheckpoint, TileId, TrustedCheckpoint,
};
use mere_core::registry::ApiPath;

use super::connection::Connection;
use super::logins::KnownRegistry;
use super::memory::{Evidence, RegistryMemory};
use super::tile_reader::TileReader;
use super::{LogFault, RegistryError};
use crate::config::RegistryConfig;
use crate::trust::now;

/// The path of the checkpoint.
pub(super) const CHECKPOINT_PATH: &str = "/log/checkpoint";

/// A function that copies a part of the log.
pub(super) type CopyPart<'a> = dyn FnMut(&ApiPath, &[u8]) -> Result<(), RegistryError> + 'a;

/// The log of a registry, with a checkpoint that is trusted.
pub(crate) struct LogReader<'a> {
    tiles: TileReader<'a>,
    memory: &'a RegistryMemory,
    trusted: TrustedCheckpoint,
}

impl<'a> LogReader<'a> {
    /// Reads the checkpoint and judges it. If it is trusted, it is remembered.
    pub(crate) fn open(
        connection: &'a Connection,
        memory: &'a RegistryMemory,
        (registry, config): (&KnownRegistry, &RegistryConfig),
    ) -> Result<Self, RegistryError> {
        let bytes = connection.get_bytes(CHECKPOINT_PATH, MAX_NOTE_BYTES as u64)?;
        let bytes = bytes.ok_or(RegistryError::Answer("it has no log"))?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let evidence = Evidence { checkpoint: Some(text), ..Evidence::default() };
        let Ok(checkpoint) = SignedCheckpoint::parse(&bytes) else {
            return Err(memory.distrust(LogFault::Signature, &evidence));
        };
        let seen = memory.last_checkpoint()?.map(|seen| seen.checkpoint().head());
        let policy = checkpoint_policy(registry, config, connection);
        let tiles = TileReader::new(connection, memory);
        let refuse = |refusal| memory.distrust(LogFault::from(refusal), &evidence);
        // Whoever did not sign the checkpoint is not asked for a proof.
        let alone = OfferedCheckpoint {
            checkpoint: checkpoint.clone(),
            proof: ConsistencyProof::default(),
        };
        let moment = LogTime::from_timestamp(now());
        policy.judge(alone, None, moment).map_err(refuse)?;
        let head = checkpoint.checkpoint().head();
        let refusal = Cell::new(CheckpointRefusal::Unproven);
        let trusted = tiles.retry_without_cache(|| {
            let proof = match seen.filter(|seen| seen.size > 0 && seen.size < head.size) {
                None => Some(ConsistencyProof::default()),
                Some(seen) => tiles.compute(head.size, |tree| tree.consistency_proof(seen.size))?,
            };
            let Some(proof) = proof else { return Ok(None) };
            let offered = OfferedCheckpoint { checkpoint: checkpoint.clone(), proof };
            let judged = policy.judge(offered, seen, moment);
            Ok(judged.inspect_err(|why| refusal.set(*why)).ok())
        })?;
        let trusted = trusted.ok_or_else(|| refuse(refusal.get()))?;
        memory.keep_checkpoint(&trusted)?;
        Ok(Self { tiles, memory, trusted })
    }

    /// Returns the checkpoint.
    pub(crate) fn checkpoint(&self) -> &TrustedCheckpoint {
        &self.trusted
    }

    /// Returns how many entries the log has.
    pub(crate) fn size(&self) -> u64 {
        self.trusted.head().size
    }

    /// Verifies that an event is in the log at an index, and returns the proof that verifies without
    /// the registry. Returns `None` if the log has something else there.
    pub(crate) fn prove_entry(
        &self,
        disclosure: &EntryDisclosure,
        index: u64,
    ) -> Result<Option<OfflineProof>, RegistryError> {
        if index >= self.size() {
            return Ok(None);
        }
        let head = self.trusted.head();
        let is_computed = Cell::new(false);
        let proof = self.tiles.retry_without_cache(|| {
            let proof = self.tiles.compute(head.size, |tree| tree.inclusion_proof(index))?;
            is_computed.set(proof.is_some());
            let verify = |proof: &InclusionProof| {
                self.trusted.verify_inclusion(disclosure.clone(), proof).is_ok()
            };
            Ok(proof.filter(verify))
        })?;
        if !is_computed.get() {
            return Err(self.distrust(LogFault::Proof));
        }
        Ok(proof.map(|inclusion| OfflineProof {
            disclosure: disclosure.clone(),
            inclusion,
            checkpoint: self.trusted.signed().clone(),
        }))
    }

    /// Passes every entry from an index on to `visit`, with its index. Each was checked against the
    /// checkpoint.
    pub(crate) fn for_each_entry(
        &self,
        first: u64,
        visit: &mut dyn FnMut(u64, &[u8]),
    ) -> Result<(), RegistryError> {
        let size = self.size();
        let mut at = first;
        while let Some(id) = BundleId::containing(at, size) {
            let bundle = self.read_bundle(id)?;
            for (index, entry) in (id.first_entry()..).zip(bundle.entries()) {
                if index >= first {
                    visit(index, entry);
                }
            }
            at = id.first_entry() + u64::from(id.width());
        }
        Ok(())
    }

    /// Reads the entries of a bundle. The proof for one of them covers the hashes of all.
    fn read_bundle(&self, id: BundleId) -> Result<EntryBundle, RegistryError> {
        let (size, first) = (self.size(), id.first_entry());
        let bundle = self.tiles.retry_without_cache(|| {
            let Some(bytes) = self.tiles.read_bundle(id)? else { return Ok(None) };
            let Ok(bundle) = EntryBundle::parse(id, &bytes) else { return Ok(None) };
            let leaves = bundle.leaf_hashes().collect::<Vec<_>>();
            let computed = self.tiles.compute(size, |tree| {
                let proof = tree.inclusion_proof(first)?;
                let hashes = (first..).take(leaves.len()).map(|index| tree.leaf_hash(index));
                Ok((proof, hashes.collect::<Result<Vec<_>, _>>()?))
            })?;
            let is_logged = computed.is_some_and(|(proof, hashes)| {
                let leaf = leaves.first().copied();
                hashes == leaves
                    && leaf.is_some_and(|leaf| self.trusted.verify_leaf(leaf, &proof).is_ok())
            });
            Ok(is_logged.then_some(bundle))
        })?;
        bundle.ok_or_else(|| self.distrust(LogFault::Proof))
    }

    /// Passes every part of the log to `copy`. Entries were checked against the checkpoint.
    pub(crate) fn for_each_part(&self, copy: &mut CopyPart<'_>) -> Result<(), RegistryError> {
        for id in TileId::all(self.size()) {
            copy(&ApiPath::Tile(id), &self.tiles.read_tile(id)?)?;
        }
        for id in BundleId::all(self.size()) {
            copy(&ApiPath::Bundle(id), &self.read_bundle(id)?.to_bytes())?;
        }
        Ok(())
    }

    /// Keeps the evidence of a fault of the log itself.
    pub(crate) fn distrust(&self, fault: LogFault) -> RegistryError {
        self.distrust_answer(fault, Evidence::default())
    }

    /// Keeps the evidence of an answer that contradicts the log.
    pub(crate) fn distrust_answer(&self, fault: LogFault, evidence: Evidence) -> RegistryError {
        let checkpoint = Some(self.trusted.signed().to_string());
        self.memory.distrust(fault, &Evidence { checkpoint, ..evidence })
    }
}

/// Returns what is demanded of the checkpoints of a registry.
fn checkpoint_policy(
    registry: &KnownRegistry,
    config: &RegistryConfig,
    connection: &Connection,
) -> CheckpointPolicy {
    let freshness = if connection.is_folder() {
        Freshness::Unbounded
    } else {
        Freshness::Within(config.max_age.as_secs())
    };
    CheckpointPolicy {
        log_key: registry.log_key.clone(),
        witnesses: config.witnesses.clone(),
        freshness,
    }
}

impl From<CheckpointRefusal> for LogFault {
    fn from(refusal: CheckpointRefusal) -> Self {
        match refusal {
            CheckpointRefusal::BadSignature
            | CheckpointRefusal::OtherLog
            | CheckpointRefusal::WithoutTime => Self::Signature,
            CheckpointRefusal::TooFewWitnesses { found, needed } => {
                Self::Witnesses { found, needed }
            }
            CheckpointRefusal::FromTheFuture { .. } => Self::Future,
            CheckpointRefusal::Stale { age_seconds, .. } => Self::Stale { age_seconds },
            CheckpointRefusal::Older { offered, seen } => Self::Rollback { seen, shown: offered },
            CheckpointRefusal::Forked => Self::Fork,
            CheckpointRefusal::Unproven => Self::Proof,
        }
    }
}
