//! The files of items, sent and read by their digests.
//!
//! A file can be read by whoever may read an item that has it. One that was sent and belongs to no
//! published version is read by nobody, and a [sweep](super::blob_sweep) may remove it.
//!
//! It is recorded which token sent a file. A version may have a file only if the token that publishes
//! it sent the bytes, or if the item had the file before: whoever knows a digest alone cannot make
//! the file of another item readable through an item of their own.

use mere_core::digest::Sha256;
use mere_core::item::integrity::FileDigest;
use mere_core::registry::{Namespace, RegistryItemName};

use crate::accounts::Access;
use crate::clock;
use crate::database::{Connection, DatabaseError, Value};
use crate::error::RegistryError;
use crate::registry::Registry;

/// Whether a namespace had a file already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StoredBlob {
    New,
    Known,
}

/// A file that a token sends to a namespace.
struct SentFile<'a> {
    access: &'a Access,
    namespace: &'a Namespace,
    digest: Sha256,
}

impl Registry {
    /// Stores a file for a namespace, and records who sent it.
    pub(crate) fn put_blob(
        &self,
        access: &Access,
        namespace: &Namespace,
        bytes: &[u8],
    ) -> Result<StoredBlob, RegistryError> {
        let digest = Sha256::digest(bytes);
        let sent = SentFile { access, namespace, digest };
        let known = self.database.read(|connection| {
            access.permit_upload(connection, namespace)?;
            Ok::<_, RegistryError>(sent.is_known(connection)?)
        })?;
        if known && self.database.write(|connection| sent.renew(connection))? {
            return Ok(StoredBlob::Known);
        }
        // The bytes come first: a row without its bytes would be a file that cannot be read.
        self.blobs.put(&digest, bytes)?;
        self.database.write(|connection| {
            let forget = "DELETE FROM swept_blobs WHERE sha256 = $1";
            if connection.execute(forget, &[digest.to_string().into()])? > 0 {
                // A sweep may have removed the bytes after they were put. None removes them now.
                self.blobs.put(&digest, bytes)?;
            }
            let sql = "INSERT INTO namespace_blobs (namespace, sha256, size, created_at) \
                       VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING";
            let values = [
                namespace.as_str().into(),
                digest.to_string().into(),
                bytes.len().into(),
                clock::format(clock::now()).into(),
            ];
            connection.execute(sql, &values)?;
            sent.record_sender(connection)?;
            Ok::<_, RegistryError>(StoredBlob::New)
        })
    }

    /// Reads a file of an item that may be read.
    pub(crate) fn get_blob(
        &self,
        access: &Access,
        namespace: &Namespace,
        digest: &Sha256,
    ) -> Result<Vec<u8>, RegistryError> {
        let (condition, readable) = access.readable_condition("b", 3);
        let sql = format!(
            "SELECT 1 FROM namespaces n JOIN published_blobs b ON b.namespace = n.name \
             WHERE n.name_key = $1 AND b.sha256 = $2 AND {condition} LIMIT 1"
        );
        let mut values = vec![namespace.key().as_str().into(), digest.to_string().into()];
        values.extend(readable);
        let found = self.database.read(|connection| connection.query_one(&sql, &values))?;
        found.ok_or(RegistryError::NotFound)?;
        self.blobs.get(digest)?.ok_or(RegistryError::NotFound)
    }
}

impl SentFile<'_> {
    /// Reports whether the file was sent to the namespace before, by anybody.
    fn is_known(&self, connection: &mut Connection) -> Result<bool, DatabaseError> {
        let values = [Value::from(self.namespace.as_str()), self.digest.to_string().into()];
        let sql = "SELECT 1 FROM namespace_blobs WHERE namespace = $1 AND sha256 = $2";
        Ok(connection.query_one(sql, &values)?.is_some())
    }

    /// Keeps a file that was sent before from being swept before it is published. Reports whether it
    /// is still there.
    fn renew(&self, connection: &mut Connection) -> Result<bool, RegistryError> {
        let sql = "UPDATE namespace_blobs SET created_at = $1 WHERE namespace = $2 AND sha256 = $3";
        let now = clock::format(clock::now());
        let values = [now.into(), self.namespace.as_str().into(), self.digest.to_string().into()];
        if connection.execute(sql, &values)? == 0 {
            return Ok(false);
        }
        self.record_sender(connection)?;
        Ok(true)
    }

    fn record_sender(&self, connection: &mut Connection) -> Result<(), RegistryError> {
        let token = self.access.token_id().ok_or(RegistryError::TokenRequired)?;
        let sql = "INSERT INTO blob_senders (namespace, sha256, token_id, sent_at) \
                   VALUES ($1, $2, $3, $4) ON CONFLICT (namespace, sha256, token_id) \
                   DO UPDATE SET sent_at = EXCLUDED.sent_at";
        let values = [
            self.namespace.as_str().into(),
            self.digest.to_string().into(),
            token.into(),
            clock::format(clock::now()).into(),
        ];
        connection.execute(sql, &values)?;
        Ok(())
    }
}

/// Checks that an item may have these files: each is in the namespace with the size that was signed,
/// and the token that publishes sent its bytes, or a version of the same item has it.
pub(super) fn check_blobs(
    connection: &mut Connection,
    access: &Access,
    item: &RegistryItemName,
    files: &[FileDigest],
) -> Result<(), RegistryError> {
    let sql = "SELECT b.size FROM namespace_blobs b WHERE b.namespace = $1 AND b.sha256 = $2 AND \
               (EXISTS (SELECT 1 FROM blob_senders s WHERE s.namespace = b.namespace AND \
               s.sha256 = b.sha256 AND s.token_id = $3) OR EXISTS (SELECT 1 FROM published_blobs p \
               WHERE p.namespace = b.namespace AND p.sha256 = b.sha256 AND p.item_type = $4 AND \
               p.item_id = $5))";
    let token = access.token_id().ok_or(RegistryError::TokenRequired)?;
    for file in files {
        let values = [
            item.namespace.as_str().into(),
            file.sha256.to_string().into(),
            token.into(),
            item.kind.name().into(),
            item.id.as_str().into(),
        ];
        let size = connection.query_one(sql, &values)?.map(|row| row.number(0)).transpose()?;
        // A file of another item is answered like one that was never sent.
        if size != Some(file.size) {
            return Err(RegistryError::MissingBlob(file.path.clone()));
        }
    }
    Ok(())
}
