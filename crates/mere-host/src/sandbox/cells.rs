//! A cell that is ready before it is needed.
//!
//! Most of what a cell costs does not depend on the tool: two processes, namespaces, a control group. So it
//! is built while the chain is verified, and a session that lasts has the next one built after each run.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::SandboxError;
#[cfg(target_os = "linux")]
use super::control::Cell;
#[cfg(not(target_os = "linux"))]
use super::nowhere::Cell;

/// How long a cell waits for a tool.
const SPARE_LIFETIME: Duration = Duration::from_mins(5);

/// The cells of a session.
#[derive(Default)]
pub struct CellPool {
    spare: Mutex<Option<SpareCell>>,
    is_long_lived: AtomicBool,
}

/// One that is built, or will be in a moment.
struct SpareCell {
    since: Instant,
    builder: JoinHandle<Result<Cell, SandboxError>>,
}

impl CellPool {
    /// The session lasts: from now on one is kept ready, once a tool has run.
    pub fn keep_ready(&self) {
        self.is_long_lived.store(true, Ordering::Relaxed);
    }

    /// Lets one be built, unless there is one.
    pub fn prepare(&self) {
        self.lock().get_or_insert_with(SpareCell::start);
    }

    /// The one that is ready, or a new one.
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

    /// A tool has run: where the session lasts, there will be more.
    pub(super) fn replenish(&self) {
        if self.is_long_lived.load(Ordering::Relaxed) {
            self.prepare();
        }
    }

    /// Lets one go that nobody needed for long.
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
        // One that is still being built would be built in vain, and left behind.
        drop(self.lock().take().map(|spare| spare.builder.join()));
    }
}
