//! Witnesses: other machines that co-sign checkpoints, so that nobody is shown a history of their
//! own.

mod address;
mod set;

pub use address::{WitnessAddress, WitnessAddressError};
pub(crate) use set::WitnessSet;
