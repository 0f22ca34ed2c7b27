//! Tests of the engine from inside the process: proofs, races and faults.
//!
//! They need the engine's own types; everything a user sees is tested through the real binary.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::expect_used,
    reason = "tests build the trees that the engine looks at"
)]

mod faults;
mod proofs;
mod races;
mod scene;
