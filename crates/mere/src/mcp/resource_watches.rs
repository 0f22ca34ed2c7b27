//! The resources that clients watch: each is looked at again and again, and its client is notified
//! when it has changed.
//!
//! Only the stamp of the file is compared, so that a watched resource costs nothing to read.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use mere_core::address::AgentName;
use mere_core::request::ResourceUri;
use mere_engine::{ResourceStamp, Session};
use rmcp::RoleServer;
use rmcp::model::ResourceUpdatedNotificationParam;
use rmcp::service::{Peer, SubscriptionSink};

use super::subscribers::spawn_notification;

/// How many resources are watched for all clients together, and for one of them.
const MAX_WATCHES: usize = 1_024;
const MAX_WATCHES_PER_CLIENT: usize = 128;

/// Who is told about a change.
#[derive(Clone)]
pub(super) enum WatchingClient {
    /// A client of 2025-11-25, with the id of its session.
    Peer(String, Peer<RoleServer>),
    /// A subscription of 2026-07-28, with its number.
    Sink(u64, SubscriptionSink),
}

impl WatchingClient {
    fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Peer(one, _), Self::Peer(other, _)) => one == other,
            (Self::Sink(one, _), Self::Sink(other, _)) => one == other,
            _ => false,
        }
    }

    fn is_closed(&self) -> bool {
        matches!(self, Self::Peer(_, peer) if peer.is_transport_closed())
    }
}

/// Who watches: a client, as which agent it sees resources, and since when it may count on being
/// told.
#[derive(Clone)]
pub(super) struct WatchRequest {
    pub(super) client: WatchingClient,
    pub(super) agent: AgentName,
    pub(super) since: SystemTime,
}

/// One watched resource of one client.
#[derive(Clone)]
struct ResourceWatch {
    client: WatchingClient,
    agent: AgentName,
    uri: ResourceUri,
    stamp: Option<ResourceStamp>,
}

/// No more resources can be watched.
#[derive(Clone, Copy, Debug)]
pub(super) struct TooManyWatches;

/// All watched resources.
#[derive(Default)]
pub(super) struct ResourceWatches {
    watches: Mutex<HashMap<u64, ResourceWatch>>,
    next_number: AtomicU64,
}

impl ResourceWatches {
    /// Watches a resource for a client, which is told at once if it has changed since it may count
    /// on that. A client watches each resource once.
    pub(super) fn add(
        &self,
        session: &Session,
        request: WatchRequest,
        uri: ResourceUri,
    ) -> Result<(), TooManyWatches> {
        let WatchRequest { client, agent, since } = request;
        let stamp = session.resource_stamp(&agent, &uri);
        let has_changed = stamp.as_ref().is_some_and(|stamp| stamp.is_newer_than(since));
        let mut watches = self.lock();
        watches.retain(|_, watch| !watch.client.is_closed());
        let own = watches.values().filter(|watch| watch.client.is_same(&client));
        if own.clone().any(|watch| watch.uri == uri) {
            return Ok(());
        }
        if watches.len() >= MAX_WATCHES || own.count() >= MAX_WATCHES_PER_CLIENT {
            return Err(TooManyWatches);
        }
        let number = self.next_number.fetch_add(1, Ordering::Relaxed);
        if has_changed {
            notify_updated(client.clone(), uri.to_string());
        }
        watches.insert(number, ResourceWatch { client, agent, uri, stamp });
        Ok(())
    }

    /// Stops watching a resource for the client of a session.
    pub(super) fn remove(&self, session_id: &str, uri: &ResourceUri) {
        self.lock().retain(|_, watch| {
            let is_own = matches!(&watch.client, WatchingClient::Peer(id, _) if id == session_id);
            !(is_own && watch.uri == *uri)
        });
    }

    /// Stops watching everything for a subscription.
    pub(super) fn remove_sink(&self, number: u64) {
        self.lock().retain(
            |_, watch| !matches!(&watch.client, WatchingClient::Sink(own, _) if *own == number),
        );
    }

    /// Looks at every watched resource, and returns those that changed with who is to be told.
    pub(super) fn find_changed(&self, session: &Session) -> Vec<(WatchingClient, String)> {
        let watches = self.lock().iter().map(|(n, watch)| (*n, watch.clone())).collect::<Vec<_>>();
        let mut changed = Vec::new();
        for (number, watch) in watches {
            let stamp = session.resource_stamp(&watch.agent, &watch.uri);
            if stamp == watch.stamp {
                continue;
            }
            if let Some(kept) = self.lock().get_mut(&number) {
                kept.stamp = stamp;
                changed.push((watch.client, watch.uri.to_string()));
            }
        }
        changed
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<u64, ResourceWatch>> {
        self.watches.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Tells a client that a resource has changed, without waiting for it.
pub(super) fn notify_updated(client: WatchingClient, uri: String) {
    let param = ResourceUpdatedNotificationParam::new(uri);
    spawn_notification(async move {
        match client {
            WatchingClient::Peer(_, peer) => drop(peer.notify_resource_updated(param).await),
            WatchingClient::Sink(_, sink) => drop(sink.notify_resource_updated(param.uri).await),
        }
    });
}
