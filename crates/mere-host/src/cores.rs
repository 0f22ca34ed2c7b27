//! How many hands the machine has.

use std::sync::LazyLock;
use std::thread;

/// The system is asked once: it reads files to know.
static CORES: LazyLock<usize> =
    LazyLock::new(|| thread::available_parallelism().map_or(1, usize::from));

/// How many threads can work at a time, but no more than `most`.
pub fn available_parallelism(most: usize) -> usize {
    (*CORES).min(most)
}
