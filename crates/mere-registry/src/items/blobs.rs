//! The files of items, sent and read by their digests.
//!
//! A file can be read by whoever may read an item that has it. One that was sent and belongs to no
//! published version is read by nobody, and a [sweep](super::blob_sweep) may remove it.

use mere_core::digest::Sha256;
use mere_core::registry::Namespace;

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

/// How a namespace knows a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum KnownBlob {
    /// It was never sent.
    Missing,
    /// It was sent.
    Sent,
    /// It belongs to a version.
    Published,
}

impl Registry {
    /// Stores a file for a namespace.
    pub(crate) fn put_blob(
        &self,
        access: &Access,
        namespace: &Namespace,
        bytes: &[u8],
    ) -> Result<StoredBlob, RegistryError> {
        let digest = Sha256::digest(bytes);
        let known = self.database.read(|connection| {
            access.permit_upload(connection, namespace)?;
            Ok::<_, RegistryError>(find_blob(connection, namespace, &digest)?)
        })?;
        match known {
            KnownBlob::Published => return Ok(StoredBlob::Known),
            KnownBlob::Sent if self.renew_blob(namespace, &digest)? => {
                return Ok(StoredBlob::Known);
            }
            KnownBlob::Sent | KnownBlob::Missing => {}
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
            Ok::<_, RegistryError>(StoredBlob::New)
        })
    }

    /// Keeps a file that was sent before from being swept before it is published. Reports whether it
    /// is still there.
    fn renew_blob(&self, namespace: &Namespace, digest: &Sha256) -> Result<bool, RegistryError> {
        let sql = "UPDATE namespace_blobs SET created_at = $1 WHERE namespace = $2 AND sha256 = $3";
        let now = clock::format(clock::now());
        let values = [now.into(), namespace.as_str().into(), digest.to_string().into()];
        self.database.write(|connection| Ok(connection.execute(sql, &values)? > 0))
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

fn find_blob(
    connection: &mut Connection,
    namespace: &Namespace,
    digest: &Sha256,
) -> Result<KnownBlob, DatabaseError> {
    let values = [Value::from(namespace.as_str()), digest.to_string().into()];
    let sent = "SELECT 1 FROM namespace_blobs WHERE namespace = $1 AND sha256 = $2";
    if connection.query_one(sent, &values)?.is_none() {
        return Ok(KnownBlob::Missing);
    }
    let published = "SELECT 1 FROM published_blobs WHERE namespace = $1 AND sha256 = $2 LIMIT 1";
    let is_published = connection.query_one(published, &values)?.is_some();
    Ok(if is_published { KnownBlob::Published } else { KnownBlob::Sent })
}
