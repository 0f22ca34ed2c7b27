//! The transparency log in the database.
//!
//! An entry, its hash, the edge of the tree and the signed checkpoint are written in the transaction
//! of what the entry is about. So whatever was acknowledged is in the checkpoint.

mod log_key;
mod log_state;
mod log_tiles;

pub(crate) use log_key::{LogKey, create_seed, parse_seed, random_seed, read_seed};
pub(crate) use log_state::{LogState, MAX_CHECKPOINT_AGE_SECONDS};
pub(crate) use log_tiles::{read_bundle, read_tile};
