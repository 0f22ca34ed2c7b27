//! The registry server: what was published, who may publish, and the log of it all.
//!
//! It never links the engine: everything that it believes about an item it has checked itself, with
//! the rules of mere-core. It touches the machine in one module, `storage`.

mod accounts;
mod api;
mod audit;
mod blobs;
mod clock;
mod database;
mod error;
mod hexadecimal;
mod items;
mod pages;
mod registry;
mod storage;
mod transparency;
mod witness_server;
mod witnesses;

pub use accounts::{
    Account, AuditEvent, CreatedToken, NamespaceRow, Privacy, SigningKey, TokenInfo, TokenRequest,
};
pub use api::{RegistryServer, ServeError, ServeOptions};
pub use audit::AuditReport;
pub use blobs::{BlobError, BlobLocation, BlobLocationError, BucketLocation};
pub use database::{DatabaseError, DatabaseLocation, DatabaseLocationError};
pub use error::RegistryError;
pub use items::{SweepMode, SweepReport};
pub use registry::{Registry, RegistryOptions};
pub use storage::KeyFile;
pub use witness_server::{WitnessError, WitnessOptions, WitnessServer};
pub use witnesses::{WitnessAddress, WitnessAddressError};
