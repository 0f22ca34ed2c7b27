//! Properties and proofs of the core.
#![expect(clippy::expect_used, reason = "a test that cannot go on should stop")]

mod address;
mod gate;
mod hostile;
mod proofs;
mod vectors;
