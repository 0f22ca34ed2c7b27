//! The turn of an MCP client: cancellation, deadline and progress of one call.
//!
//! A client that does not read its progress notes gets no more of them; its call goes on.

use std::time::{Duration, Instant};

use mere_core::gate::Seal;
use mere_core::turn::{Progress, Turn};
use rmcp::RoleServer;
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::{Peer, RequestContext};
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;

/// How long a progress note may stay unread before the call goes on without sending more.
const PROGRESS_TIMEOUT: Duration = Duration::from_millis(250);

/// What the MCP server lends to one call.
pub(super) struct ClientTurn {
    cancelled: CancellationToken,
    deadline: Instant,
    notes: Option<ProgressNotes>,
}

/// Where progress notes go, if the client asked for them.
struct ProgressNotes {
    peer: Peer<RoleServer>,
    token: ProgressToken,
    seal: Seal,
    runtime: Handle,
}

impl ClientTurn {
    /// Creates the turn of a call that has its own thread and may wait for a note to be written.
    pub(super) fn new(
        context: &RequestContext<RoleServer>,
        deadline: Instant,
        seal: &Seal,
    ) -> Self {
        let notes = context.meta.get_progress_token().map(|token| ProgressNotes {
            peer: context.peer.clone(),
            token,
            seal: seal.clone(),
            runtime: Handle::current(),
        });
        Self { cancelled: context.ct.clone(), deadline, notes }
    }

    /// Creates the turn of a call that ends before there is any progress to report.
    pub(super) fn without_progress(
        context: &RequestContext<RoleServer>,
        deadline: Instant,
    ) -> Self {
        Self { cancelled: context.ct.clone(), deadline, notes: None }
    }
}

impl Turn for ClientTurn {
    fn progress(&mut self, note: &Progress) {
        let Some(notes) = &self.notes else { return };
        let mut param = ProgressNotificationParam::new(notes.token.clone(), to_float(note.done))
            .with_message(notes.seal.seal_text(&note.message));
        param.total = note.total.map(to_float);
        let sent = tokio::time::timeout(PROGRESS_TIMEOUT, notes.peer.notify_progress(param));
        let sent = notes.runtime.block_on(sent);
        if !matches!(sent, Ok(Ok(()))) {
            self.notes = None;
        }
    }

    fn is_cancelled(&self) -> bool {
        self.cancelled.is_cancelled()
    }

    fn deadline(&self) -> Option<Instant> {
        Some(self.deadline)
    }
}

/// Converts a count to a float, which is what the protocol uses for progress.
#[expect(clippy::cast_precision_loss, reason = "nobody counts progress beyond 2^53")]
fn to_float(count: u64) -> f64 {
    count as f64
}
