//! The open connections of a server, and which of them is closed when there is no room for another.
//!
//! A connection *waits* until a request of it is complete, and again after that request is
//! answered. Whoever only waits can be replaced: when all places are taken, the connection that has
//! waited longest makes room for the next one, those of the peer with the most connections first.
//! So slow clients cost each other their places, and never keep an honest one waiting.

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::Body;
use crate::rate_limiter::ClientKey;

/// How many connections are open at once.
const MAX_CONNECTIONS: usize = 512;
/// How many requests of one client are answered at once. The other places are left for clients
/// that have yet to say who they are.
const MAX_ANSWERS_PER_CLIENT: usize = 384;
/// How long a connection may wait undisturbed, even if others want its place.
const MIN_WAIT: Duration = Duration::from_millis(250);
/// How many bytes of incomplete requests are held at once.
const MAX_BODY_BYTES: usize = 64 * 1024 * 1024;

/// The open connections.
#[derive(Default)]
pub struct Connections {
    table: Mutex<ConnectionTable>,
    /// Told when a connection ends, or begins to wait.
    changed: Notify,
}

#[derive(Default)]
struct ConnectionTable {
    open: HashMap<u64, OpenConnection>,
    next_id: u64,
    /// The sum over all connections.
    body_bytes: usize,
}

struct OpenConnection {
    peer: IpAddr,
    activity: Activity,
    /// How many bytes of an incomplete request it has sent.
    body_bytes: usize,
    /// Ends the connection.
    close: CancellationToken,
}

enum Activity {
    /// No request is complete since then.
    Waiting(Instant),
    /// A request of this client is being answered.
    Answering(ClientKey),
}

/// A place among the open connections, given up when it is dropped.
pub struct Connection {
    id: u64,
    address: SocketAddr,
    close: CancellationToken,
    all: Arc<Connections>,
}

/// The error for a client with too many requests at once.
pub struct TooManyAnswers;

/// The error for bytes that find no room, not even by closing slower connections.
pub struct NoBodyRoom;

impl Connections {
    /// Waits for a place, and closes the connection that has waited longest if there is none.
    pub async fn admit(self: &Arc<Self>, address: SocketAddr) -> Connection {
        loop {
            let changed = self.changed.notified();
            let busy_until = match self.try_admit(address) {
                Ok(connection) => return connection,
                Err(busy_until) => busy_until,
            };
            match busy_until {
                Some(moment) => {
                    let _ = tokio::time::timeout_at(moment.into(), changed).await;
                }
                None => changed.await,
            }
        }
    }

    /// Takes a place, or returns when the first one can be taken from another connection. There is
    /// no such moment while every connection is being answered.
    fn try_admit(self: &Arc<Self>, address: SocketAddr) -> Result<Connection, Option<Instant>> {
        let mut table = self.lock();
        let now = Instant::now();
        if table.open.len() >= MAX_CONNECTIONS {
            match table.slowest(now, |_| true) {
                Some(id) => table.close(id),
                None => return Err(table.next_expiry()),
            }
        }
        table.next_id += 1;
        let (id, close) = (table.next_id, CancellationToken::new());
        let connection = OpenConnection {
            peer: address.ip(),
            activity: Activity::Waiting(now),
            body_bytes: 0,
            close: close.clone(),
        };
        table.open.insert(id, connection);
        Ok(Connection { id, address, close, all: Arc::clone(self) })
    }

    fn lock(&self) -> MutexGuard<'_, ConnectionTable> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ConnectionTable {
    /// Returns the connection whose place is taken first, among those that have waited long enough.
    fn slowest(&self, now: Instant, may_close: impl Fn(&OpenConnection) -> bool) -> Option<u64> {
        let mut by_peer = HashMap::<IpAddr, usize>::new();
        for connection in self.open.values() {
            *by_peer.entry(connection.peer).or_default() += 1;
        }
        let waiting = self.open.iter().filter_map(|(id, connection)| {
            let since = connection.waiting_since()?;
            let waited = now.saturating_duration_since(since);
            let is_candidate = waited >= MIN_WAIT && may_close(connection);
            is_candidate.then_some((by_peer[&connection.peer], waited, *id))
        });
        waiting.max_by_key(|(peers, waited, _)| (*peers, *waited)).map(|(_, _, id)| id)
    }

    /// Returns when the first connection has waited long enough to lose its place.
    fn next_expiry(&self) -> Option<Instant> {
        let since = self.open.values().filter_map(OpenConnection::waiting_since).min();
        since.map(|since| since + MIN_WAIT)
    }

    fn close(&mut self, id: u64) {
        if let Some(connection) = self.open.remove(&id) {
            self.body_bytes -= connection.body_bytes;
            connection.close.cancel();
        }
    }
}

impl OpenConnection {
    fn waiting_since(&self) -> Option<Instant> {
        match self.activity {
            Activity::Waiting(since) => Some(since),
            Activity::Answering(_) => None,
        }
    }
}

impl Connection {
    /// Returns the address of the peer.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns when the connection has lost its place.
    pub fn closed(&self) -> CancellationToken {
        self.close.clone()
    }

    /// Takes room for more bytes of an incomplete request, if need be from a slower connection.
    pub fn hold_bytes(&self, bytes: usize) -> Result<(), NoBodyRoom> {
        let mut table = self.all.lock();
        let now = Instant::now();
        while table.body_bytes + bytes > MAX_BODY_BYTES {
            let own = &self.close;
            let slowest = table.slowest(now, |other| other.body_bytes > 0 && other.close != *own);
            table.close(slowest.ok_or(NoBodyRoom)?);
        }
        let connection = table.open.get_mut(&self.id).ok_or(NoBodyRoom)?;
        connection.body_bytes += bytes;
        table.body_bytes += bytes;
        Ok(())
    }

    /// Gives the bytes of the request back, because it is complete or was refused.
    pub fn release_bytes(&self) {
        let mut table = self.all.lock();
        if let Some(connection) = table.open.get_mut(&self.id) {
            let held = std::mem::take(&mut connection.body_bytes);
            table.body_bytes -= held;
        }
    }

    /// Records that a complete request of this client is being answered, until the value is
    /// dropped.
    pub fn begin_answer(self: &Arc<Self>, client: ClientKey) -> Result<Answering, TooManyAnswers> {
        let mut table = self.all.lock();
        let is_own = |other: &&OpenConnection| matches!(&other.activity, Activity::Answering(key) if *key == client);
        if table.open.values().filter(is_own).count() >= MAX_ANSWERS_PER_CLIENT {
            return Err(TooManyAnswers);
        }
        if let Some(connection) = table.open.get_mut(&self.id) {
            connection.activity = Activity::Answering(client);
        }
        Ok(Answering(Arc::clone(self)))
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.all.lock().close(self.id);
        self.all.changed.notify_one();
    }
}

/// A request that is being answered. When it is dropped, its connection waits again.
pub struct Answering(Arc<Connection>);

impl Answering {
    /// Keeps the request counted until the whole body is sent.
    pub fn until_sent(self, body: Body) -> Body {
        CountedBody { body, _answering: self }.boxed()
    }
}

impl Drop for Answering {
    fn drop(&mut self) {
        let Connection { id, all, .. } = &*self.0;
        if let Some(connection) = all.lock().open.get_mut(id) {
            connection.activity = Activity::Waiting(Instant::now());
        }
        all.changed.notify_one();
    }
}

/// The body of an answer that is being sent.
struct CountedBody {
    body: Body,
    _answering: Answering,
}

impl HttpBody for CountedBody {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
