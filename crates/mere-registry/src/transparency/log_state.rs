//! The state of the log: its size, the edge of its tree, and the newest checkpoint.

use jiff::Timestamp;
use mere_core::log::{
    Checkpoint, EntryDisclosure, Frontier, LogSigner, LogTime, MAX_ENTRY_BYTES, SignedCheckpoint,
    TreeHash,
};

use crate::database::{Connection, Value};
use crate::error::RegistryError;

/// How old a checkpoint may be before it is signed again.
pub(crate) const MAX_CHECKPOINT_AGE_SECONDS: u64 = 60 * 60;

/// The state of the log.
pub(crate) struct LogState {
    /// The id of the registry.
    pub(crate) registry_id: String,
    /// The public key, as a verifier key.
    pub(crate) verifier_key: String,
    /// The private key, unless it is in a file.
    pub(crate) signing_key: Option<String>,
    /// The edge of the tree.
    pub(crate) frontier: Frontier,
    /// The newest checkpoint, without cosignatures.
    pub(crate) checkpoint: String,
    /// When it was signed, in seconds since 1970.
    pub(crate) signed_at: u64,
}

impl LogState {
    /// Reads the state; `None` if the log was not begun.
    pub(crate) fn read(connection: &mut Connection) -> Result<Option<Self>, RegistryError> {
        const SQL: &str = "SELECT registry_id, verifier_key, signing_key, size, frontier, \
                           checkpoint, signed_at FROM log_state WHERE id = 1";
        let Some(row) = connection.query_one(SQL, &[])? else { return Ok(None) };
        let frontier = Frontier::from_bytes(row.number(3)?, &row.bytes(4)?);
        Ok(Some(Self {
            registry_id: row.text(0)?,
            verifier_key: row.text(1)?,
            signing_key: row.optional_text(2)?,
            frontier: frontier.map_err(|_| RegistryError::Log("its stored edge is damaged"))?,
            checkpoint: row.text(5)?,
            signed_at: row.number(6)?,
        }))
    }

    /// Reads the state of a log that was begun.
    pub(crate) fn require(connection: &mut Connection) -> Result<Self, RegistryError> {
        Self::read(connection)?.ok_or(RegistryError::Log("it was not begun"))
    }

    /// Writes the first state of a log.
    pub(crate) fn insert(self, connection: &mut Connection) -> Result<(), RegistryError> {
        const SQL: &str = "INSERT INTO log_state (id, registry_id, verifier_key, signing_key, size, \
                           frontier, checkpoint, signed_at) VALUES (1, $1, $2, $3, $4, $5, $6, $7)";
        let values = [
            self.registry_id.into(),
            self.verifier_key.into(),
            self.signing_key.into(),
            self.frontier.size().into(),
            self.frontier.to_bytes().into(),
            self.checkpoint.into(),
            self.signed_at.into(),
        ];
        connection.execute(SQL, &values)?;
        Ok(())
    }

    /// Appends an entry and signs the new checkpoint. Returns the index of the entry. The caller is
    /// in a transaction.
    pub(crate) fn append(
        connection: &mut Connection,
        signer: &LogSigner,
        disclosure: &EntryDisclosure,
        now: Timestamp,
    ) -> Result<u64, RegistryError> {
        let mut state = Self::require(connection)?;
        let entry = disclosure.leaf().payload();
        if entry.len() > MAX_ENTRY_BYTES {
            return Err(RegistryError::Log("an entry is too long"));
        }
        let index = state.frontier.size();
        let hash = TreeHash::leaf(&entry);
        let values = [index.into(), hash.as_bytes().as_slice().into(), entry.into()];
        let sql = "INSERT INTO log_entries (leaf_index, hash, entry) VALUES ($1, $2, $3)";
        connection.execute(sql, &values)?;
        // Hashes of the lowest level are those of the entries.
        for node in state.frontier.append(hash).iter().filter(|node| node.level > 0) {
            let sql = "INSERT INTO log_nodes (level, node_index, hash) VALUES ($1, $2, $3)";
            let level = u64::from(node.level).into();
            let values = [level, node.index.into(), node.hash.as_bytes().as_slice().into()];
            connection.execute(sql, &values)?;
        }
        if let Some(nonce) = &disclosure.nonce {
            let sql = "INSERT INTO sealed_entries (leaf_index, namespace, entry, nonce) \
                       VALUES ($1, $2, $3, $4)";
            let namespace = Value::from(disclosure.event.namespace().as_str());
            let nonce = nonce.as_bytes().as_slice().into();
            connection.execute(
                sql,
                &[index.into(), namespace, disclosure.event.payload().into(), nonce],
            )?;
        }
        state.sign(connection, signer, now)?;
        Ok(index)
    }

    /// Signs a checkpoint of the current tree and stores it with the tree's edge.
    pub(crate) fn sign(
        &mut self,
        connection: &mut Connection,
        signer: &LogSigner,
        now: Timestamp,
    ) -> Result<(), RegistryError> {
        const SQL: &str = "UPDATE log_state SET size = $1, frontier = $2, checkpoint = $3, \
                           signed_at = $4 WHERE id = 1";
        let time = LogTime::from_timestamp(now);
        self.checkpoint = sign_checkpoint(&self.frontier, signer, time)?;
        self.signed_at = time.seconds();
        let values = [
            self.frontier.size().into(),
            self.frontier.to_bytes().into(),
            Value::from(&self.checkpoint),
            self.signed_at.into(),
        ];
        connection.execute(SQL, &values)?;
        Ok(())
    }
}

/// Signs a checkpoint of a tree.
pub(crate) fn sign_checkpoint(
    frontier: &Frontier,
    signer: &LogSigner,
    time: LogTime,
) -> Result<String, RegistryError> {
    let checkpoint = Checkpoint::new(signer.key().name().clone(), frontier.head(), time);
    let signed = SignedCheckpoint::sign(checkpoint, signer);
    signed.map(|signed| signed.to_string()).map_err(|_| RegistryError::Log("it cannot be signed"))
}
