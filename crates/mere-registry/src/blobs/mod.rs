//! Blobs: the bytes of items, named by their digests, in a folder or in a bucket.
//!
//! Bytes are checked against their name whenever they come back, so that a damaged store is noticed
//! by the server and not only by those who pull.

mod bucket;
mod bucket_listing;
mod listed_blob;
mod location;
mod request_signature;

use mere_core::digest::Sha256;

use crate::storage::BlobFolder;
use bucket::Bucket;
pub(crate) use listed_blob::{ListedBlob, parse_blob_name};
pub use location::{BlobLocation, BlobLocationError, BucketLocation};

/// A failure of the store.
#[derive(Debug, thiserror::Error)]
pub enum BlobError {
    /// The folder or the bucket cannot be used.
    #[error("the blob store failed: {0}")]
    Failed(String),
    /// The bytes are not those that the name stands for.
    #[error("the blob {0} is damaged")]
    Damaged(Sha256),
}

/// Where the blobs are.
pub(crate) enum BlobStore {
    Folder(BlobFolder),
    Bucket(Bucket),
}

impl BlobStore {
    /// Opens the store.
    pub(crate) fn open(location: &BlobLocation) -> Result<Self, BlobError> {
        match location {
            BlobLocation::Folder(path) => {
                let folder = BlobFolder::open(path);
                folder.map(Self::Folder).map_err(|error| BlobError::Failed(error.to_string()))
            }
            BlobLocation::Bucket(location) => Bucket::open(location.clone()).map(Self::Bucket),
        }
    }

    /// Stores a blob durably, if it is not there yet.
    pub(crate) fn put(&self, digest: &Sha256, bytes: &[u8]) -> Result<(), BlobError> {
        match self {
            Self::Folder(folder) => {
                folder.put(digest, bytes).map_err(|error| BlobError::Failed(error.to_string()))
            }
            Self::Bucket(bucket) => bucket.put(digest, bytes),
        }
    }

    /// Reads a blob and checks it.
    pub(crate) fn get(&self, digest: &Sha256) -> Result<Option<Vec<u8>>, BlobError> {
        let found = match self {
            Self::Folder(folder) => {
                folder.get(digest).map_err(|error| BlobError::Failed(error.to_string()))?
            }
            Self::Bucket(bucket) => bucket.get(digest)?,
        };
        match found {
            Some(bytes) if Sha256::digest(&bytes) != *digest => Err(BlobError::Damaged(*digest)),
            found => Ok(found),
        }
    }

    /// Removes a blob, if it is there.
    pub(crate) fn remove(&self, digest: &Sha256) -> Result<(), BlobError> {
        match self {
            Self::Folder(folder) => {
                folder.remove(digest).map_err(|error| BlobError::Failed(error.to_string()))
            }
            Self::Bucket(bucket) => bucket.remove(digest),
        }
    }

    /// Reads which blobs are there, some at a time.
    pub(crate) fn visit_pages<E: From<BlobError>>(
        &self,
        mut visit: impl FnMut(Vec<ListedBlob>) -> Result<(), E>,
    ) -> Result<(), E> {
        match self {
            Self::Folder(folder) => {
                let failed = |error: std::io::Error| BlobError::Failed(error.to_string());
                for part in folder.list_parts().map_err(failed)? {
                    visit(folder.list(&part).map_err(failed)?)?;
                }
                Ok(())
            }
            Self::Bucket(bucket) => bucket.visit_pages(visit),
        }
    }
}
