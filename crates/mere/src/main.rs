//! The program `mere`.
//!
//! It is only the way into the library, which the tests can build with more features than a
//! release has.

use std::process::ExitCode;

fn main() -> ExitCode {
    mere::run()
}
