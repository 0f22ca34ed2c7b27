//! A witness: it co-signs the checkpoints of logs that it knows, as long as each continues what it
//! co-signed before (C2SP `tlog-witness`).
//!
//! What it co-signed last is on the disk before the cosignature leaves, so that it never vouches
//! for two histories, not even after a crash.

mod memory;
mod server;

pub use server::{WitnessError, WitnessOptions, WitnessServer};
