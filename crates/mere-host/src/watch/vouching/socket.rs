//! What both sides of a vouching socket share: where it lies, and what goes over it.

use std::io::{self, Read};
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use cap_std::fs::{Dir, MetadataExt};
use rustix::fd::OwnedFd;
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, socket_with, sockopt};
use rustix::process::Pid;

use crate::OpenFolder;

/// The folder of the sockets, in the cache.
pub(super) const FOLDER: &str = "vouching";
/// Begins every question; it changes with what is asked or answered.
pub(super) const MARK: &[u8; 8] = b"mere-v01";
pub(super) const NONCE_BYTES: usize = 16;
pub(super) const DIGEST_BYTES: usize = 32;
pub(super) const QUESTION_BYTES: usize = MARK.len() + NONCE_BYTES + DIGEST_BYTES;
const GENERATION_BYTES: usize = 8;
/// The nonce of the question, and the generation; zero is a refusal.
pub(super) const ANSWER_BYTES: usize = NONCE_BYTES + GENERATION_BYTES;

/// Opens the folder of the sockets, unless anybody but its owner, who is this user, may use it.
pub(super) fn open_socket_folder(cache: &Dir) -> io::Result<Dir> {
    let folder = OpenFolder::open(cache, FOLDER)?.into_dir();
    let metadata = folder.dir_metadata()?;
    if metadata.uid() != rustix::process::geteuid().as_raw() || metadata.mode() & 0o077 != 0 {
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    Ok(folder)
}

pub(super) fn new_socket() -> io::Result<OwnedFd> {
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    Ok(socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?)
}

/// Returns the address of a socket in an open folder. Addresses are short, so it does not
/// contain the folder's path.
pub(super) fn address(folder: &Dir, name: &str) -> io::Result<SocketAddrUnix> {
    let number = folder.as_fd().as_raw_fd();
    Ok(SocketAddrUnix::new(format!("/proc/self/fd/{number}/{name}"))?)
}

/// Returns the other process, and fails if it is not one of this user.
pub(super) fn check_same_user(socket: &OwnedFd) -> io::Result<Pid> {
    let peer = sockopt::socket_peercred(socket)?;
    if peer.uid == rustix::process::geteuid() {
        Ok(peer.pid)
    } else {
        Err(io::ErrorKind::PermissionDenied.into())
    }
}

/// Reads exactly as many bytes as asked for, however slowly they come, until the deadline.
pub(super) fn read_until<const COUNT: usize>(
    stream: &mut UnixStream,
    until: Instant,
) -> io::Result<[u8; COUNT]> {
    let (mut bytes, mut filled) = ([0; COUNT], 0);
    while filled < COUNT {
        stream.set_read_timeout(Some(remaining(until)?))?;
        match stream.read(&mut bytes[filled..]) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(bytes)
}

/// Returns the time that is left, which is never zero.
pub(super) fn remaining(until: Instant) -> io::Result<Duration> {
    let left = until.saturating_duration_since(Instant::now());
    if left.is_zero() { Err(io::ErrorKind::TimedOut.into()) } else { Ok(left) }
}
