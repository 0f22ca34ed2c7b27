//! The proxy of a run: the only way out of a cell whose tool was granted hosts.
//!
//! It listens inside the cell's network and connects from outside of it, to hosts that were granted
//! and to nothing else. Names are resolved here, once for each connection. Threads, connections,
//! time and bytes are limited, and all of it ends with the run.

use std::collections::BTreeSet;
use std::io::{self, Read};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use mere_core::network::{NetworkDenial, NetworkEndpoint, NetworkGrants};
use rustix::event::PollFlags;

use super::proxy_request::{MAX_HEAD, ProxyRequest, head_length};
use super::relay::{ByteBudget, RelayLimits, WaitLimits, connect_to, relay, wait_for, write_all};
use super::resolver::{ResolveError, resolve};
use super::tool_request::RefusedHost;
use crate::SharedWork;

/// How many connections there may be at the same time, each on a thread of its own. Further ones
/// wait.
pub(crate) const MAX_CONNECTIONS: usize = 16;
/// How many bytes may pass in both directions, over all connections of a run.
const MAX_BYTES: u64 = 1024 * 1024 * 1024;
/// How long the header of a request may take to arrive.
const HEAD_TIMEOUT: Duration = Duration::from_secs(30);
/// How long resolving a name and connecting may take together.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(30);
/// How long a connection may be idle.
const IDLE_TIMEOUT: Duration = Duration::from_mins(2);
/// How many refused hosts are remembered.
const MAX_REFUSED: usize = 32;
/// How long, and how much, is read from a tool that was refused.
const REFUSAL_TIMEOUT: Duration = Duration::from_secs(2);
const MAX_UNREAD_PARTS: usize = 256;
/// How long to wait after the system has failed to accept a connection.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// The proxy of one run.
pub(crate) struct Proxy {
    listener: TcpListener,
    grants: NetworkGrants,
    /// Readable once everything has to end.
    stop: UnixStream,
    stopper: UnixStream,
    budget: ByteBudget,
    refused: Mutex<BTreeSet<RefusedHost>>,
}

impl Proxy {
    /// Creates the proxy of a listener in a cell.
    pub(crate) fn new(listener: TcpListener, grants: NetworkGrants) -> io::Result<Self> {
        listener.set_nonblocking(true)?;
        let (stop, stopper) = UnixStream::pair()?;
        let budget = ByteBudget::new(MAX_BYTES);
        Ok(Self { listener, grants, stop, stopper, budget, refused: Mutex::default() })
    }

    /// Returns the hosts that were asked for and refused.
    pub(crate) fn take_refused(&self) -> Vec<RefusedHost> {
        let mut refused = self.refused.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *refused).into_iter().collect()
    }

    fn note_refused(&self, endpoint: &NetworkEndpoint, denial: NetworkDenial) {
        let mut refused = self.refused.lock().unwrap_or_else(PoisonError::into_inner);
        if refused.len() < MAX_REFUSED {
            refused.insert(RefusedHost { endpoint: endpoint.clone(), denial });
        }
    }

    fn limits(&self, timeout: Duration) -> WaitLimits<'_> {
        WaitLimits { stop: &self.stop, end_by: Instant::now() + timeout }
    }

    /// Waits for a connection of the tool.
    fn accept(&self) -> io::Result<TcpStream> {
        loop {
            wait_for(self.listener.as_fd(), PollFlags::IN, &self.limits(IDLE_TIMEOUT))?;
            match self.listener.accept() {
                Ok((stream, _)) => {
                    stream.set_nonblocking(true)?;
                    return Ok(stream);
                }
                // Another thread was faster, or the tool has given up.
                Err(error) if is_passing(&error) => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Serves one connection of the tool.
    fn serve(&self, tool: &TcpStream) -> io::Result<()> {
        let Some((head, rest)) = self.read_head(tool)? else {
            return self.refuse(tool, Answer::Malformed);
        };
        let Some(request) = ProxyRequest::parse(&head) else {
            return self.refuse(tool, Answer::Malformed);
        };
        let host = match self.connect(request.endpoint()) {
            Ok(host) => host,
            Err(answer) => return self.refuse(tool, answer),
        };
        let limits = self.limits(IDLE_TIMEOUT);
        match &request {
            ProxyRequest::Connect(_) => self.answer(tool, Answer::Connected)?,
            ProxyRequest::Forward { head, .. } => write_all(&host, head, &limits)?,
        }
        write_all(&host, &rest, &limits)?;
        let (stop, idle) = (&self.stop, IDLE_TIMEOUT);
        relay(tool, &host, &RelayLimits { stop, idle, budget: &self.budget })
    }

    /// Reads the header of the first request, and what has arrived after it.
    fn read_head(&self, mut tool: &TcpStream) -> io::Result<Option<(Vec<u8>, Vec<u8>)>> {
        let limits = self.limits(HEAD_TIMEOUT);
        let mut bytes = Vec::new();
        let mut buffer = [0; 4096];
        while bytes.len() <= MAX_HEAD {
            if let Some(length) = head_length(&bytes) {
                let rest = bytes.split_off(length);
                return Ok(Some((bytes, rest)));
            }
            match tool.read(&mut buffer) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(size) => bytes.extend_from_slice(&buffer[..size]),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    wait_for(tool.as_fd(), PollFlags::IN, &limits)?;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(None)
    }

    /// Connects to a host that was granted.
    fn connect(&self, endpoint: &NetworkEndpoint) -> Result<TcpStream, Answer> {
        let limits = self.limits(CONNECT_TIMEOUT);
        let denied = |denial| {
            if denial == NetworkDenial::NoAddress {
                return Answer::Unreachable;
            }
            self.note_refused(endpoint, denial);
            Answer::Denied(denial)
        };
        let permitted = self.grants.permit(endpoint.clone()).map_err(denied)?;
        let is_stopped = || {
            let now = WaitLimits { stop: &self.stop, end_by: Instant::now() };
            wait_for(self.stop.as_fd(), PollFlags::IN, &now)
                .is_err_and(|error| error.kind() != io::ErrorKind::TimedOut)
        };
        let addresses =
            resolve(&permitted, limits.end_by, &is_stopped).map_err(|error| match error {
                ResolveError::Denied(denial) => denied(denial),
                ResolveError::Timeout | ResolveError::Stopped => Answer::Unreachable,
            })?;
        connect_to(addresses.as_slice(), &limits).map_err(|_| Answer::Unreachable)
    }

    /// Answers a request that is not served. What the tool still sends is read for a moment:
    /// otherwise it would get an error instead of the answer.
    fn refuse(&self, mut tool: &TcpStream, answer: Answer) -> io::Result<()> {
        self.answer(tool, answer)?;
        tool.shutdown(Shutdown::Write)?;
        let limits = self.limits(REFUSAL_TIMEOUT);
        let mut buffer = [0; 4096];
        for _ in 0..MAX_UNREAD_PARTS {
            match tool.read(&mut buffer) {
                Ok(0) => break,
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    wait_for(tool.as_fd(), PollFlags::IN, &limits)?;
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn answer(&self, tool: &TcpStream, answer: Answer) -> io::Result<()> {
        write_all(tool, answer.render().as_bytes(), &self.limits(IDLE_TIMEOUT))
    }
}

impl SharedWork for Proxy {
    type Output = ();

    /// Serves connections, one after the other, until the run has ended.
    fn work(&self) {
        loop {
            match self.accept() {
                Ok(tool) => {
                    // What goes wrong with one connection concerns nobody else.
                    if let Err(error) = self.serve(&tool) {
                        tracing::debug!(kind = ?error.kind(), "a connection of a tool ended");
                    }
                    let _ = tool.shutdown(Shutdown::Both);
                }
                Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => return,
                Err(error) if error.kind() == io::ErrorKind::TimedOut => {}
                Err(_) => std::thread::sleep(ACCEPT_PAUSE),
            }
        }
    }

    fn stop(&self) {
        let _ = self.stopper.shutdown(Shutdown::Both);
    }
}

fn is_passing(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, Interrupted, WouldBlock};
    matches!(error.kind(), ConnectionAborted | Interrupted | WouldBlock)
}

/// What the proxy itself answers.
#[derive(Clone, Copy, Debug)]
enum Answer {
    Connected,
    Malformed,
    Denied(NetworkDenial),
    Unreachable,
}

impl Answer {
    fn render(self) -> String {
        let (status, sentence) = match self {
            Self::Connected => return "HTTP/1.1 200 Connection established\r\n\r\n".to_owned(),
            Self::Malformed => (
                "400 Bad Request",
                "The proxy of the sandbox takes CONNECT, and requests for http URLs.",
            ),
            Self::Denied(NetworkDenial::PrivateAddress) => (
                "403 Forbidden",
                "This host leads to a private address. A person has to grant it to the tool with \
                 --net-private.",
            ),
            Self::Denied(_) => (
                "403 Forbidden",
                "This host was not granted to the tool. Its manifest has to ask for it, and a \
                 person has to grant it.",
            ),
            Self::Unreachable => ("502 Bad Gateway", "The host cannot be reached."),
        };
        format!(
            "HTTP/1.1 {status}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {}\r\n\
             Connection: close\r\n\r\n{sentence}\n",
            sentence.len() + 1
        )
    }
}
