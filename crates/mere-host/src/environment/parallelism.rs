//! The number of threads that the machine runs at the same time.
//!
//! Parallel work asks here instead of asking the system again.

use std::sync::LazyLock;
use std::thread;

/// Computed once, because the system reads files to find out.
static CORES: LazyLock<usize> =
    LazyLock::new(|| thread::available_parallelism().map_or(1, usize::from));

/// Returns how many threads can run at the same time, but no more than `most`.
pub fn available_parallelism(most: usize) -> usize {
    (*CORES).min(most)
}
