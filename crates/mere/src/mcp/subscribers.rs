//! The clients that are notified of changes, in both versions of the protocol.
//!
//! A client of 2025-11-25 is notified of everything after its handshake; one of 2026-07-28 opens a
//! `subscriptions/listen` and is notified of what it asked for. Notifying never waits for a client
//! that does not read.

use std::collections::{HashMap, VecDeque};
use std::future::Future;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use rmcp::RoleServer;
use rmcp::model::Extensions;
use rmcp::service::{NotificationContext, Peer, SubscriptionContext, SubscriptionSink};

use super::resource_watches::{ResourceWatches, WatchingClient};

/// How many clients of each version are notified.
const MAX_CLIENTS: usize = 512;
/// How long notifying one client may take.
const NOTIFY_TIMEOUT: Duration = Duration::from_secs(5);

/// The list that changed.
#[derive(Clone, Copy, Debug)]
pub(super) enum ListChange {
    /// The list of tools.
    Tools,
    /// The list of prompts.
    Prompts,
    /// The list of resources.
    Resources,
}

/// The clients to notify.
#[derive(Default)]
pub(super) struct Subscribers {
    /// The peers by session id. Over stdio there is one, with an empty id.
    peers: Mutex<HashMap<String, Peer<RoleServer>>>,
    sinks: Mutex<HashMap<u64, SubscriptionSink>>,
    next_number: AtomicU64,
    /// When the subscriptions were accepted whose serving has not begun yet, the oldest first.
    accepted_at: Mutex<VecDeque<SystemTime>>,
    /// The resources that are watched for these clients.
    pub(super) watches: ResourceWatches,
}

impl Subscribers {
    /// Adds a client that has completed its handshake. Each session counts once, and open sessions
    /// are never evicted to make room.
    pub(super) fn add_peer(&self, context: NotificationContext<RoleServer>) {
        let session = session_id(&context.extensions);
        let mut peers = lock(&self.peers);
        peers.retain(|_, peer| !peer.is_transport_closed());
        if peers.len() < MAX_CLIENTS {
            peers.insert(session, context.peer);
        }
    }

    /// Checks whether another subscription can be served, and remembers when it was accepted: the
    /// client is told so before its serving begins, and may change something at once.
    pub(super) fn accept(&self) -> bool {
        let has_room = lock(&self.sinks).len() < MAX_CLIENTS;
        if has_room {
            let mut accepted = lock(&self.accepted_at);
            accepted.push_back(SystemTime::now());
            // One that was never served is forgotten.
            if accepted.len() > MAX_CLIENTS {
                accepted.pop_front();
            }
        }
        has_room
    }

    /// Serves one subscription until it is cancelled or its stream is closed. `watch` is called with
    /// the client to tell about changed resources.
    pub(super) async fn serve_subscription(
        &self,
        context: SubscriptionContext,
        watch: impl FnOnce(WatchingClient, SystemTime),
    ) {
        let number = self.next_number.fetch_add(1, Ordering::Relaxed);
        lock(&self.sinks).insert(number, context.sink().clone());
        let _leave = SubscriptionGuard { subscribers: self, number };
        // The oldest may be another one's, but then this one was accepted later.
        let accepted_at = lock(&self.accepted_at).pop_front().unwrap_or_else(SystemTime::now);
        watch(WatchingClient::Sink(number, context.sink().clone()), accepted_at);
        context.cancelled().await;
    }

    /// Notifies every client, each in a task of its own.
    pub(super) fn notify(&self, change: ListChange) {
        let peers = lock(&self.peers).values().cloned().collect::<Vec<_>>();
        for peer in peers {
            spawn_notification(async move {
                let _ = match change {
                    ListChange::Tools => peer.notify_tool_list_changed().await,
                    ListChange::Prompts => peer.notify_prompt_list_changed().await,
                    ListChange::Resources => peer.notify_resource_list_changed().await,
                };
            });
        }
        let sinks = lock(&self.sinks).values().cloned().collect::<Vec<_>>();
        for sink in sinks {
            spawn_notification(async move {
                // The sink refuses a change that this subscription did not ask for.
                let _ = match change {
                    ListChange::Tools => sink.notify_tool_list_changed().await,
                    ListChange::Prompts => sink.notify_prompt_list_changed().await,
                    ListChange::Resources => sink.notify_resource_list_changed().await,
                };
            });
        }
    }
}

/// Returns the id of the session that a message belongs to. Over stdio it is empty.
pub(super) fn session_id(extensions: &Extensions) -> String {
    let parts = extensions.get::<http::request::Parts>();
    let session = parts.and_then(|parts| parts.headers.get("mcp-session-id"));
    session.and_then(|id| id.to_str().ok()).unwrap_or_default().to_owned()
}

/// Removes a subscription when its future ends, even if it is dropped.
struct SubscriptionGuard<'a> {
    subscribers: &'a Subscribers,
    number: u64,
}

impl Drop for SubscriptionGuard<'_> {
    fn drop(&mut self) {
        lock(&self.subscribers.sinks).remove(&self.number);
        self.subscribers.watches.remove_sink(self.number);
    }
}

pub(super) fn spawn_notification(notification: impl Future<Output = ()> + Send + 'static) {
    tokio::spawn(tokio::time::timeout(NOTIFY_TIMEOUT, notification));
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
