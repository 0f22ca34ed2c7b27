//! The engine from inside the process: proofs, races, faults.
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
