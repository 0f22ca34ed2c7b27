//! The machine under the registry: the folder of blobs, key files, and the environment.
//!
//! This is the only module of the crate that names files, paths and variables.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "the registry's files and environment are reached here and nowhere else"
)]

mod blob_folder;
mod environment;
mod key_file;
mod private_file;
mod witness_file;

pub(crate) use blob_folder::BlobFolder;
pub(crate) use environment::{BucketCredentials, bucket_credentials, data_folder, setting};
pub use key_file::KeyFile;
pub(crate) use private_file::{create_private_file, is_there};
pub(crate) use witness_file::WitnessFile;
