//! Resolving the names of hosts, each once for a connection.
//!
//! The system's resolver can neither be interrupted nor be given less time, so it runs on a thread
//! of its own that nobody waits for longer than there is time. There is a limit on such threads.

use std::net::{IpAddr, ToSocketAddrs};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use mere_core::address::HostName;
use mere_core::network::{NetworkDenial, PermittedAddresses, PermittedEndpoint};

/// How many names may be resolved at the same time.
const MAX_PENDING: usize = 64;
/// How many addresses of a name are looked at. A name with more is not used at all, because each of
/// its addresses has to be judged.
const MAX_ADDRESSES: usize = 64;
/// How long to wait at a time.
const WAIT_INTERVAL: Duration = Duration::from_millis(20);

/// The names that are being resolved.
static PENDING: AtomicUsize = AtomicUsize::new(0);

/// The reasons why there are no addresses to connect to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ResolveError {
    /// Connecting to them is not permitted.
    Denied(NetworkDenial),
    /// They were not known in time.
    Timeout,
    /// Nobody waits for them any more.
    Stopped,
}

/// A place among the names that are being resolved.
struct PendingName;

impl PendingName {
    fn take() -> Option<Self> {
        let taken = PENDING.try_update(Ordering::AcqRel, Ordering::Acquire, |count| {
            (count < MAX_PENDING).then_some(count + 1)
        });
        taken.is_ok().then_some(Self)
    }
}

impl Drop for PendingName {
    fn drop(&mut self) {
        PENDING.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Returns the addresses of an endpoint, if all of them may be connected to.
pub(super) fn resolve(
    endpoint: &PermittedEndpoint,
    end_by: Instant,
    is_stopped: &dyn Fn() -> bool,
) -> Result<PermittedAddresses, ResolveError> {
    let resolved = match &endpoint.endpoint().host {
        HostName::Address(_) => Vec::new(),
        HostName::Name(name) => resolve_name(name.clone(), end_by, is_stopped)?,
    };
    endpoint.permit_addresses(&resolved).map_err(ResolveError::Denied)
}

fn resolve_name(
    name: String,
    end_by: Instant,
    is_stopped: &dyn Fn() -> bool,
) -> Result<Vec<IpAddr>, ResolveError> {
    let pending = PendingName::take().ok_or(ResolveError::Timeout)?;
    let (answer, waiting) = sync_channel(1);
    let asking = move || {
        let found = (name.as_str(), 0).to_socket_addrs();
        let found = found.map(|all| all.map(|one| one.ip()).take(MAX_ADDRESSES + 1));
        drop(pending);
        // Nobody may be waiting any more.
        let _ = answer.send(found.map(Iterator::collect::<Vec<_>>).unwrap_or_default());
    };
    thread::Builder::new().spawn(asking).map_err(|_| ResolveError::Timeout)?;
    loop {
        match waiting.recv_timeout(WAIT_INTERVAL) {
            Ok(found) if found.len() <= MAX_ADDRESSES => return Ok(found),
            Ok(_) | Err(RecvTimeoutError::Disconnected) => {
                return Err(ResolveError::Denied(NetworkDenial::NoAddress));
            }
            Err(RecvTimeoutError::Timeout) if is_stopped() => return Err(ResolveError::Stopped),
            Err(RecvTimeoutError::Timeout) if Instant::now() >= end_by => {
                return Err(ResolveError::Timeout);
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
}
