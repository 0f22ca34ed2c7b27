//! Limits how many bytes of replies may wait to be written, so that a client that asks faster than
//! it reads has to wait.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rmcp::model::RequestId;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// How many KiB of replies may wait.
const MAX_KIB: usize = 16 * 1024;
/// After this long a waiting reply is assumed never to be written, because its call was cancelled.
const RESERVATION_TIMEOUT: Duration = Duration::from_secs(30);

/// The replies that wait to be written.
pub(super) struct OutgoingReplies {
    capacity: Arc<Semaphore>,
    waiting: Mutex<HashMap<RequestId, (Instant, OwnedSemaphorePermit)>>,
}

impl Default for OutgoingReplies {
    fn default() -> Self {
        Self { capacity: Arc::new(Semaphore::new(MAX_KIB)), waiting: Mutex::default() }
    }
}

impl OutgoingReplies {
    /// Waits until there is room for a reply of this many bytes, and reserves it.
    pub(super) async fn reserve(&self, id: &RequestId, bytes: usize) {
        let kib = u32::try_from((bytes / 1024 + 1).min(MAX_KIB)).unwrap_or(u32::MAX);
        loop {
            let permit = Arc::clone(&self.capacity).acquire_many_owned(kib);
            match tokio::time::timeout(RESERVATION_TIMEOUT, permit).await {
                Ok(Ok(permit)) => {
                    self.lock_waiting().insert(id.clone(), (Instant::now(), permit));
                    return;
                }
                Ok(Err(_)) => return,
                Err(_) => self
                    .lock_waiting()
                    .retain(|_, (since, _)| since.elapsed() < RESERVATION_TIMEOUT),
            }
        }
    }

    /// Releases the room of a reply that was written, or never will be.
    pub(super) fn release(&self, id: &RequestId) {
        self.lock_waiting().remove(id);
    }

    fn lock_waiting(
        &self,
    ) -> std::sync::MutexGuard<'_, HashMap<RequestId, (Instant, OwnedSemaphorePermit)>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
