//! The files of items, sent and read by their digests.

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

impl Registry {
    /// Stores a file for a namespace.
    pub(crate) fn put_blob(
        &self,
        access: &Access,
        namespace: &Namespace,
        bytes: &[u8],
    ) -> Result<StoredBlob, RegistryError> {
        let digest = Sha256::digest(bytes);
        let is_known = self.database.read(|connection| {
            access.permit_upload(connection, namespace)?;
            Ok::<_, RegistryError>(has_blob(connection, namespace, &digest)?)
        })?;
        if is_known {
            return Ok(StoredBlob::Known);
        }
        // The bytes come first: a row without its bytes would be a file that cannot be read.
        self.blobs.put(&digest, bytes)?;
        self.database.write(|connection| {
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

    /// Reads a file of a namespace.
    pub(crate) fn get_blob(
        &self,
        access: &Access,
        namespace: &Namespace,
        digest: &Sha256,
    ) -> Result<Vec<u8>, RegistryError> {
        self.database.read(|connection| {
            let row = access.permit_namespace(connection, namespace)?;
            let is_known = has_blob(connection, &row.name, digest)?;
            if is_known { Ok(()) } else { Err(RegistryError::NotFound) }
        })?;
        self.blobs.get(digest)?.ok_or(RegistryError::NotFound)
    }
}

fn has_blob(
    connection: &mut Connection,
    namespace: &Namespace,
    digest: &Sha256,
) -> Result<bool, DatabaseError> {
    let sql = "SELECT 1 FROM namespace_blobs WHERE namespace = $1 AND sha256 = $2";
    let values = [Value::from(namespace.as_str()), digest.to_string().into()];
    Ok(connection.query_one(sql, &values)?.is_some())
}
