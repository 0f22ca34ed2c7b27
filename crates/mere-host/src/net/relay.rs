//! Two connections whose bytes are passed on to each other.
//!
//! Nothing blocks: every wait ends when the relay is stopped, or when nothing has moved for long.

use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::{AddressFamily, SocketFlags, SocketType, connect, socket_with, sockopt};

/// How many bytes are kept between the two connections, in each direction.
const BUFFER_SIZE: usize = 32 * 1024;

/// What ends a wait.
pub(super) struct WaitLimits<'a> {
    /// Becomes readable when everything has to end.
    pub(super) stop: &'a UnixStream,
    /// When the wait ends at the latest.
    pub(super) end_by: Instant,
}

/// Waits until a handle is ready. Returns an error if it has to end before.
pub(super) fn wait_for(
    handle: BorrowedFd<'_>,
    flags: PollFlags,
    limits: &WaitLimits<'_>,
) -> io::Result<()> {
    wait_for_any(&mut [PollFd::from_borrowed_fd(handle, flags)], limits)
}

fn wait_for_any(handles: &mut [PollFd<'_>], limits: &WaitLimits<'_>) -> io::Result<()> {
    let mut polled = vec![PollFd::new(limits.stop, PollFlags::IN)];
    polled.append(&mut handles.to_vec());
    loop {
        let left = limits.end_by.saturating_duration_since(Instant::now());
        let pause = Timespec::try_from(left).map_err(io::Error::other)?;
        match poll(&mut polled, Some(&pause)) {
            Err(rustix::io::Errno::INTR) => continue,
            Err(error) => return Err(error.into()),
            Ok(0) => return Err(io::ErrorKind::TimedOut.into()),
            Ok(_) => {}
        }
        if !polled[0].revents().is_empty() {
            return Err(io::ErrorKind::ConnectionAborted.into());
        }
        return Ok(());
    }
}

/// Connects to one of these addresses.
pub(super) fn connect_to(
    addresses: &[SocketAddr],
    limits: &WaitLimits<'_>,
) -> io::Result<TcpStream> {
    let mut last = io::Error::from(io::ErrorKind::AddrNotAvailable);
    for address in addresses {
        match connect_one(address, limits) {
            Ok(stream) => return Ok(stream),
            Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => return Err(error),
            Err(error) => last = error,
        }
    }
    Err(last)
}

fn connect_one(address: &SocketAddr, limits: &WaitLimits<'_>) -> io::Result<TcpStream> {
    let family = if address.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
    let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
    let socket = socket_with(family, SocketType::STREAM, flags, None)?;
    match connect(&socket, address) {
        Ok(()) => {}
        Err(rustix::io::Errno::INPROGRESS) => {
            wait_for(socket.as_fd(), PollFlags::OUT, limits)?;
            sockopt::socket_error(&socket)??;
        }
        Err(error) => return Err(error.into()),
    }
    Ok(TcpStream::from(socket))
}

/// Writes all bytes to a connection.
pub(super) fn write_all(
    stream: &TcpStream,
    mut bytes: &[u8],
    limits: &WaitLimits<'_>,
) -> io::Result<()> {
    while !bytes.is_empty() {
        match { stream }.write(bytes) {
            Ok(written) => bytes = &bytes[written..],
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                wait_for(stream.as_fd(), PollFlags::OUT, limits)?;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// The bytes that may still be moved, over all connections.
pub(super) struct ByteBudget(AtomicU64);

impl ByteBudget {
    pub(super) fn new(bytes: u64) -> Self {
        Self(AtomicU64::new(bytes))
    }

    /// Returns whether that many bytes were left.
    fn spend(&self, bytes: usize) -> bool {
        let spent = self.0.try_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
            left.checked_sub(bytes as u64)
        });
        spent.is_ok()
    }
}

/// What ends a relay before its connections do.
pub(super) struct RelayLimits<'a> {
    /// Becomes readable when everything has to end.
    pub(super) stop: &'a UnixStream,
    /// How long nothing may move.
    pub(super) idle: Duration,
    /// The bytes that may be moved.
    pub(super) budget: &'a ByteBudget,
}

/// Passes bytes on in both directions until both have ended.
pub(super) fn relay(
    left: &TcpStream,
    right: &TcpStream,
    limits: &RelayLimits<'_>,
) -> io::Result<()> {
    let mut flows = [Flow::new(left, right), Flow::new(right, left)];
    while flows.iter().any(|flow| !flow.is_ended) {
        let mut handles = Vec::with_capacity(2);
        for stream in [left, right] {
            let wanted = flows.iter().map(|flow| flow.wanted(stream));
            let wanted = wanted.fold(PollFlags::empty(), |all, one| all | one);
            if !wanted.is_empty() {
                handles.push(PollFd::new(stream, wanted));
            }
        }
        let end_by = Instant::now() + limits.idle;
        wait_for_any(&mut handles, &WaitLimits { stop: limits.stop, end_by })?;
        for flow in &mut flows {
            flow.advance(limits.budget)?;
        }
    }
    Ok(())
}

/// One direction.
struct Flow<'a> {
    from: &'a TcpStream,
    to: &'a TcpStream,
    buffer: Vec<u8>,
    start: usize,
    is_ended: bool,
}

impl<'a> Flow<'a> {
    fn new(from: &'a TcpStream, to: &'a TcpStream) -> Self {
        Self { from, to, buffer: Vec::new(), start: 0, is_ended: false }
    }

    /// Returns what this direction waits for at a connection.
    fn wanted(&self, stream: &TcpStream) -> PollFlags {
        let is_empty = self.start == self.buffer.len();
        if self.is_ended {
            PollFlags::empty()
        } else if is_empty && std::ptr::eq(stream, self.from) {
            PollFlags::IN
        } else if !is_empty && std::ptr::eq(stream, self.to) {
            PollFlags::OUT
        } else {
            PollFlags::empty()
        }
    }

    /// Moves what can be moved now.
    fn advance(&mut self, budget: &ByteBudget) -> io::Result<()> {
        if self.is_ended {
            return Ok(());
        }
        if self.start == self.buffer.len() {
            self.buffer.resize(BUFFER_SIZE, 0);
            self.start = 0;
            let read = { self.from }.read(&mut self.buffer);
            let size = match read {
                Ok(size) => size,
                Err(error) if is_transient(&error) => {
                    self.buffer.clear();
                    return Ok(());
                }
                Err(error) => return Err(error),
            };
            self.buffer.truncate(size);
            if size == 0 {
                self.is_ended = true;
                // The other direction may go on.
                let _ = self.to.shutdown(Shutdown::Write);
                return Ok(());
            }
            if !budget.spend(size) {
                return Err(io::ErrorKind::QuotaExceeded.into());
            }
        }
        match { self.to }.write(&self.buffer[self.start..]) {
            Ok(written) => self.start += written,
            Err(error) if is_transient(&error) => {}
            Err(error) => return Err(error),
        }
        Ok(())
    }
}

fn is_transient(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
}
