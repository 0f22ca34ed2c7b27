//! The witnesses of a registry, and the cosignatures that they gave.
//!
//! After a change the new checkpoint is sent to every witness before the change is acknowledged.
//! Until they have answered, the last checkpoint that they all co-signed is served.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use mere_core::log::{
    ADD_CHECKPOINT_PATH, NoteSignature, SignedCheckpoint, TileTree, WitnessRequest, WitnessedSize,
    parse_signatures,
};
use ureq::Agent;

use super::WitnessAddress;
use crate::clock;
use crate::database::{Connection, Value};
use crate::error::RegistryError;
use crate::registry::Registry;
use crate::transparency::read_tile;

/// How long a witness may take to answer.
const TIMEOUT: Duration = Duration::from_secs(3);
/// How long an older checkpoint with more cosignatures is preferred to the newest.
const MAX_WAIT_SECONDS: u64 = 30;
/// The largest answer of a witness.
const MAX_REPLY_BYTES: u64 = 64 * 1024;

/// The witnesses of a registry.
pub(crate) struct WitnessSet {
    witnesses: Vec<WitnessAddress>,
    agent: Agent,
    /// One checkpoint is sent at a time.
    sending: Mutex<()>,
}

/// The last cosignature of a witness.
struct StoredCosignature {
    size: u64,
    checkpoint: String,
    line: String,
}

/// The reasons why a witness did not co-sign.
#[derive(Debug, thiserror::Error)]
enum CosignError {
    #[error("it cannot be reached: {0}")]
    Unreachable(#[from] ureq::Error),
    #[error("it answered with status {0}")]
    Refused(u16),
    #[error("its answer is not a cosignature of the checkpoint")]
    Invalid,
    #[error(transparent)]
    Registry(#[from] RegistryError),
}

impl WitnessSet {
    /// Names the witnesses.
    pub(crate) fn new(witnesses: &[WitnessAddress]) -> Self {
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(Some(TIMEOUT))
            .max_redirects(0)
            .build();
        Self { witnesses: witnesses.to_vec(), agent: config.into(), sending: Mutex::new(()) }
    }

    /// Reports whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.witnesses.is_empty()
    }

    /// Asks every witness to co-sign the newest checkpoint. One that does not is asked again later.
    pub(crate) fn cosign_newest(&self, registry: &Registry) {
        if self.is_empty() {
            return;
        }
        let _sending = self.sending.lock().unwrap_or_else(PoisonError::into_inner);
        for witness in &self.witnesses {
            if let Err(error) = self.cosign(registry, witness) {
                tracing::warn!(witness = witness.url, %error, "a witness did not co-sign");
            }
        }
    }

    fn cosign(&self, registry: &Registry, witness: &WitnessAddress) -> Result<(), CosignError> {
        let newest = registry.checkpoint()?;
        let last = registry.database.read(|connection| read_stored(connection, witness))?;
        if last.as_ref().is_some_and(|last| last.checkpoint == newest) {
            return Ok(());
        }
        let signed =
            SignedCheckpoint::parse(newest.as_bytes()).map_err(|_| CosignError::Invalid)?;
        let old_size = last.map_or(0, |last| last.size);
        let signature = match self.send(registry, witness, &signed, old_size)? {
            WitnessReply::Cosigned(signature) => signature,
            WitnessReply::OtherSize(size) => match self.send(registry, witness, &signed, size)? {
                WitnessReply::Cosigned(signature) => signature,
                WitnessReply::OtherSize(_) => return Err(CosignError::Refused(409)),
            },
        };
        let stored = StoredCosignature {
            size: signed.checkpoint().head().size,
            checkpoint: newest,
            line: signature.to_string(),
        };
        registry.database.write(|connection| store(connection, witness, &stored))?;
        Ok(())
    }

    /// Sends a checkpoint to a witness that has seen a tree of this size.
    fn send(
        &self,
        registry: &Registry,
        witness: &WitnessAddress,
        signed: &SignedCheckpoint,
        old_size: u64,
    ) -> Result<WitnessReply, CosignError> {
        let size = signed.checkpoint().head().size;
        let mut tree = TileTree::new(size, |id| {
            let tile = registry.database.read(|connection| read_tile(connection, id))?;
            tile.ok_or(RegistryError::Log("a tile is missing"))
        });
        let proof = tree.consistency_proof(old_size);
        let proof = proof.map_err(|_| RegistryError::Log("there is no proof for the witness"))?;
        let request = WitnessRequest { old_size, proof, checkpoint: signed.clone() };
        let url = format!("{}{ADD_CHECKPOINT_PATH}", witness.url);
        let mut response = self.agent.post(&url).send(request.to_string())?;
        let status = response.status().as_u16();
        let body = response.body_mut().with_config().limit(MAX_REPLY_BYTES).read_to_string()?;
        match status {
            200 => check_cosignature(signed, witness, &body).map(WitnessReply::Cosigned),
            409 => {
                let size = body.parse::<WitnessedSize>().map_err(|_| CosignError::Refused(409))?;
                Ok(WitnessReply::OtherSize(size.0))
            }
            status => Err(CosignError::Refused(status)),
        }
    }

    /// Returns the checkpoint that is served, with its cosignatures.
    pub(crate) fn checkpoint(&self, registry: &Registry) -> Result<String, RegistryError> {
        let newest = registry.checkpoint()?;
        if self.is_empty() {
            return Ok(newest);
        }
        let stored = registry.database.read(|connection| {
            let rows = self.witnesses.iter().map(|witness| read_stored(connection, witness));
            rows.collect::<Result<Vec<_>, _>>()
        })?;
        let stored = stored.into_iter().flatten().collect::<Vec<_>>();
        let count = |text: &str| stored.iter().filter(|one| one.checkpoint == text).count();
        let older = stored.iter().max_by_key(|one| (count(&one.checkpoint), one.size));
        let is_better = |one: &&StoredCosignature| count(&one.checkpoint) > count(&newest);
        let older = older.filter(|one| is_fresh(&newest) && is_better(one));
        let text = older.map_or(newest.as_str(), |one| one.checkpoint.as_str());
        let mut signed = SignedCheckpoint::parse(text.as_bytes())
            .map_err(|_| RegistryError::Log("its checkpoint is malformed"))?;
        for one in stored.iter().filter(|one| one.checkpoint == text) {
            if let Ok(signature) = one.line.parse::<NoteSignature>() {
                signed.add_signature(signature);
            }
        }
        Ok(signed.to_string())
    }
}

/// What a witness answered.
enum WitnessReply {
    Cosigned(NoteSignature),
    /// It has seen a tree of another size.
    OtherSize(u64),
}

/// Reports whether witnesses may still be about to answer.
fn is_fresh(checkpoint: &str) -> bool {
    let signed = SignedCheckpoint::parse(checkpoint.as_bytes()).ok();
    let time = signed.and_then(|signed| signed.checkpoint().time());
    let now = u64::try_from(clock::now().as_second()).unwrap_or_default();
    time.is_some_and(|time| now.saturating_sub(time.seconds()) < MAX_WAIT_SECONDS)
}

/// Takes the signature of the witness out of its answer, and checks it.
fn check_cosignature(
    signed: &SignedCheckpoint,
    witness: &WitnessAddress,
    body: &str,
) -> Result<NoteSignature, CosignError> {
    let signatures = parse_signatures(body).map_err(|_| CosignError::Invalid)?;
    let own = signatures.into_iter().find(|signature| signature.is_named_after(&witness.key));
    let own = own.ok_or(CosignError::Invalid)?;
    let mut cosigned = signed.clone();
    cosigned.add_signature(own.clone());
    let checked = cosigned.note().check_cosigned_by(&witness.key);
    checked.map(|_| own).map_err(|_| CosignError::Invalid)
}

fn read_stored(
    connection: &mut Connection,
    witness: &WitnessAddress,
) -> Result<Option<StoredCosignature>, RegistryError> {
    let sql = "SELECT size, checkpoint, line FROM cosignatures WHERE witness = $1";
    let row = connection.query_one(sql, &[witness.key.to_string().into()])?;
    row.map(|row| {
        Ok(StoredCosignature { size: row.number(0)?, checkpoint: row.text(1)?, line: row.text(2)? })
    })
    .transpose()
}

fn store(
    connection: &mut Connection,
    witness: &WitnessAddress,
    cosignature: &StoredCosignature,
) -> Result<(), RegistryError> {
    // Another server may have stored a newer one meanwhile.
    let sql = "INSERT INTO cosignatures (witness, size, checkpoint, line) VALUES ($1, $2, $3, $4) \
               ON CONFLICT (witness) DO UPDATE SET size = EXCLUDED.size, \
               checkpoint = EXCLUDED.checkpoint, line = EXCLUDED.line \
               WHERE cosignatures.size <= EXCLUDED.size";
    let values = [
        Value::from(witness.key.to_string()),
        cosignature.size.into(),
        (&cosignature.checkpoint).into(),
        (&cosignature.line).into(),
    ];
    connection.execute(sql, &values)?;
    Ok(())
}
