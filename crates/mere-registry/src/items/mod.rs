//! The items of a registry: publishing, reading, finding and withdrawing them.

mod blob_sweep;
mod blobs;
mod item_rows;
mod item_table;
mod lists;
mod overview;
mod publish;
mod read;
mod record_check;
mod relationships;
mod search_rows;
mod skills_index;
mod submission;
mod yank;

pub use blob_sweep::{SweepMode, SweepReport};
pub(crate) use blobs::StoredBlob;
pub(crate) use item_table::ItemTable;
pub(crate) use overview::{ItemCounts, StatedLink};
pub(crate) use read::{read_logged_event, read_version_info};
pub(crate) use submission::{SignedStatement, check_signatures};
