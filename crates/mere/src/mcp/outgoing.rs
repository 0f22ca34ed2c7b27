//! How much of replies may wait to be written: a client that asks faster than it reads waits.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rmcp::model::RequestId;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// How many KiB of replies may wait.
const MAX_KIB: usize = 16 * 1024;
/// After how long a reply is taken for one that will never be written: its call was cancelled.
const FORGOTTEN: Duration = Duration::from_secs(30);

/// The replies that wait.
pub(super) struct Outgoing {
    room: Arc<Semaphore>,
    waiting: Mutex<HashMap<RequestId, (Instant, OwnedSemaphorePermit)>>,
}

impl Default for Outgoing {
    fn default() -> Self {
        Self { room: Arc::new(Semaphore::new(MAX_KIB)), waiting: Mutex::default() }
    }
}

impl Outgoing {
    /// Waits until there is room for a reply of so many bytes.
    pub(super) async fn make_room(&self, id: &RequestId, bytes: usize) {
        let kib = u32::try_from((bytes / 1024 + 1).min(MAX_KIB)).unwrap_or(u32::MAX);
        loop {
            let room = Arc::clone(&self.room).acquire_many_owned(kib);
            match tokio::time::timeout(FORGOTTEN, room).await {
                Ok(Ok(permit)) => {
                    self.waiting().insert(id.clone(), (Instant::now(), permit));
                    return;
                }
                Ok(Err(_)) => return,
                Err(_) => self.waiting().retain(|_, (since, _)| since.elapsed() < FORGOTTEN),
            }
        }
    }

    /// A reply was written, or will not be.
    pub(super) fn gone(&self, id: &RequestId) {
        self.waiting().remove(id);
    }

    fn waiting(
        &self,
    ) -> std::sync::MutexGuard<'_, HashMap<RequestId, (Instant, OwnedSemaphorePermit)>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
