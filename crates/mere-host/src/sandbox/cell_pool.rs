//! A pool with one cell that is ready before it is needed.
//!
//! Most of the cost of a cell does not depend on the tool: two processes, namespaces, a control
//! group. So the cell is built while the chain is verified, and a long-lived session has the next
//! one built after each run, once the run is recorded.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::SandboxError;
#[cfg(target_os = "linux")]
use super::cell_process::Cell;
#[cfg(not(target_os = "linux"))]
use super::unsupported::Cell;

/// How long a spare cell waits for a tool.
const SPARE_LIFETIME: Duration = Duration::from_mins(5);

/// The cells of a session.
#[derive(Debug, Default)]
pub struct CellPool {
    spare: Mutex<Option<SpareCell>>,
    is_long_lived: AtomicBool,
}

/// A cell that is built, or is being built.
#[derive(Debug)]
struct SpareCell {
    since: Instant,
    builder: JoinHandle<Result<Cell, SandboxError>>,
}

impl CellPool {
    /// Declares the session long-lived: from now on, a cell is kept ready once a tool has run.
    pub fn keep_ready(&self) {
        self.is_long_lived.store(true, Ordering::Relaxed);
    }

    /// Starts building a cell, unless there is one.
    pub fn prepare(&self) {
        self.lock().get_or_insert_with(SpareCell::start);
    }

    /// Returns the spare cell, or builds a new one.
    pub(super) fn take(&self) -> Result<Cell, SandboxError> {
        let spare = self.lock().take();
        let ready = spare.and_then(|spare| spare.builder.join().ok()?.ok());
        if let Some(mut cell) = ready
            && cell.is_alive()
        {
            return Ok(cell);
        }
        Cell::build()
    }

    /// Prepares the next cell after a run, if the session is long-lived.
    pub fn replenish(&self) {
        if self.is_long_lived.load(Ordering::Relaxed) {
            self.prepare();
        }
    }

    /// Releases the spare cell if nobody has needed it for long.
    pub fn release_unused(&self) {
        let mut spare = self.lock();
        if spare.as_ref().is_some_and(|spare| spare.since.elapsed() > SPARE_LIFETIME) {
            drop(spare.take().map(|spare| spare.builder.join()));
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<SpareCell>> {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SpareCell {
    fn start() -> Self {
        Self { since: Instant::now(), builder: thread::spawn(Cell::build) }
    }
}

impl Drop for CellPool {
    fn drop(&mut self) {
        // A cell that is still being built has to be waited for, or it would be left behind.
        drop(self.lock().take().map(|spare| spare.builder.join()));
    }
}
