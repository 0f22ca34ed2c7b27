//! How much of a client's asking is unanswered.
//!
//! The SDK starts a task for every request it is given, so whoever gives it requests must stop when
//! too many are unanswered: else a client that floods, or never reads, fills the memory. A request
//! counts until its answer is written, or until it is cancelled and gets none.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rmcp::model::RequestId;
use tokio::sync::Notify;

/// The most bytes of unanswered requests before reading stops.
const MAX_BYTES: usize = 16 * 1024 * 1024;
/// The most unanswered requests before reading stops.
const MAX_REQUESTS: usize = 128;

/// The unanswered requests of one client.
#[derive(Default)]
pub(super) struct InFlight {
    requests: Mutex<HashMap<RequestId, usize>>,
    left: Notify,
}

impl InFlight {
    /// Waits until another request may be taken.
    pub(super) async fn room(&self) {
        loop {
            let left = self.left.notified();
            if self.has_room() {
                return;
            }
            left.await;
        }
    }

    /// A request was taken.
    pub(super) fn enter(&self, id: RequestId, bytes: usize) {
        self.requests().insert(id, bytes);
    }

    /// A request was answered, or will not be.
    pub(super) fn leave(&self, id: &RequestId) {
        self.requests().remove(id);
        self.left.notify_one();
    }

    fn has_room(&self) -> bool {
        let requests = self.requests();
        requests.len() < MAX_REQUESTS && requests.values().sum::<usize>() < MAX_BYTES
    }

    fn requests(&self) -> MutexGuard<'_, HashMap<RequestId, usize>> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
