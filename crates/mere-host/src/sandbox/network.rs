//! The network of a cell whose tool was granted hosts.
//!
//! A cell's network namespace has nothing but a loopback interface. The cell brings it up, listens
//! on one port of it, and hands the listener to its supervisor, whose proxy serves it from outside
//! ([`Proxy`]). The tool can connect to that port, and to nothing else.

use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::net::{Ipv4Addr, SocketAddrV4, TcpListener};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;

use mere_core::network::NetworkGrants;
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, SocketFlags, SocketType, bind, listen, recv, recvmsg, send,
    sendmsg, socket_with, sockopt,
};

use super::run_plan::FinishedRun;
use crate::net::proxy::{MAX_CONNECTIONS, Proxy};
use crate::net::tool_request::RefusedHost;
use crate::share_work;

/// The port of the proxy inside of a cell.
pub(super) const PROXY_PORT: u16 = 3128;
/// How many connections may wait for the proxy.
const BACKLOG: i32 = 16;
/// How many bytes of a connection may wait for the proxy.
const RECEIVE_BUFFER: usize = 64 * 1024;

/// The certificates of authorities, which a tool needs to check those of hosts.
pub(super) const CERTIFICATE_PATHS: [&str; 5] = [
    "etc/ssl/certs",
    "etc/ssl/cert.pem",
    "etc/pki/tls/certs",
    "etc/pki/ca-trust/extracted",
    "etc/ca-certificates/extracted",
];

/// The variables that lead programs to the proxy.
pub(super) fn proxy_environment() -> impl Iterator<Item = (String, String)> {
    let url = format!("http://127.0.0.1:{PROXY_PORT}");
    let names = ["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"];
    let proxies = names.map(|name| (name.to_owned(), url.clone()));
    proxies.into_iter().chain([("NODE_USE_ENV_PROXY".to_owned(), "1".to_owned())])
}

/// Reports whether a variable says which proxy programs use, or for which hosts they use none.
pub(super) fn is_proxy_variable(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    name.ends_with("_PROXY") || name == "NODE_USE_ENV_PROXY"
}

/// Brings up the loopback interface of this network namespace, and listens on the proxy's port.
pub(super) fn open_listener() -> io::Result<OwnedFd> {
    bring_up_loopback()?;
    let listener =
        socket_with(AddressFamily::INET, SocketType::STREAM, SocketFlags::CLOEXEC, None)?;
    sockopt::set_socket_recv_buffer_size(&listener, RECEIVE_BUFFER)?;
    bind(&listener, &SocketAddrV4::new(Ipv4Addr::LOCALHOST, PROXY_PORT))?;
    listen(&listener, BACKLOG)?;
    Ok(listener)
}

/// Sets the flag `IFF_UP` of the interface with index 1, by one message to the kernel.
fn bring_up_loopback() -> io::Result<()> {
    const RTM_NEWLINK: u16 = 16;
    const REQUEST_WITH_ANSWER: u16 = 0x1 | 0x4;
    const IFF_UP: u32 = 1;
    const LOOPBACK_INDEX: u32 = 1;
    let mut message = Vec::with_capacity(32);
    message.extend(32_u32.to_ne_bytes());
    message.extend(RTM_NEWLINK.to_ne_bytes());
    message.extend(REQUEST_WITH_ANSWER.to_ne_bytes());
    // The sequence number and the port of the sender, then the family and type of the interface.
    message.extend([0; 12]);
    for field in [LOOPBACK_INDEX, IFF_UP, IFF_UP] {
        message.extend(field.to_ne_bytes());
    }
    // The usual protocol of such a socket is the one for interfaces.
    let kernel = socket_with(AddressFamily::NETLINK, SocketType::RAW, SocketFlags::CLOEXEC, None)?;
    send(&kernel, &message, SendFlags::empty())?;
    let mut answer = [0; 256];
    let (size, _) = recv(&kernel, &mut answer[..], RecvFlags::empty())?;
    // The header has 16 bytes; the error code of the answer follows, 0 if there is none.
    match answer[..size].get(16..20).and_then(|code| <[u8; 4]>::try_from(code).ok()) {
        Some([0, 0, 0, 0]) => Ok(()),
        Some(code) => Err(io::Error::from_raw_os_error(-i32::from_ne_bytes(code))),
        None => Err(io::ErrorKind::InvalidData.into()),
    }
}

/// Sends a handle to the supervisor.
pub(super) fn send_handle(supervisor: &UnixStream, handle: &OwnedFd) -> io::Result<()> {
    let handles = [handle.as_fd()];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    control.push(SendAncillaryMessage::ScmRights(&handles));
    sendmsg(supervisor, &[IoSlice::new(&[0])], &mut control, SendFlags::empty())?;
    Ok(())
}

/// Receives a handle from a cell.
pub(super) fn receive_handle(cell: &UnixStream) -> io::Result<OwnedFd> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let mut byte = [0];
    recvmsg(cell, &mut [IoSliceMut::new(&mut byte)], &mut control, RecvFlags::CMSG_CLOEXEC)?;
    let mut handles = control.drain().filter_map(|message| match message {
        RecvAncillaryMessage::ScmRights(handles) => Some(handles),
        _ => None,
    });
    let handle = handles.next().and_then(|mut handles| handles.next());
    handle.ok_or_else(|| io::ErrorKind::InvalidData.into())
}

/// Supervises a run while the proxy serves its tool, and returns the hosts that were refused.
pub(super) fn with_proxy<E: From<io::Error>>(
    listener: TcpListener,
    grants: &NetworkGrants,
    supervise: impl FnOnce() -> Result<FinishedRun, E>,
) -> Result<FinishedRun, E> {
    use crate::SharedWork as _;
    let proxy = Proxy::new(listener, grants.clone())?;
    let (finished, _) = share_work(&proxy, |threads| {
        threads.start(MAX_CONNECTIONS);
        let finished = supervise();
        proxy.stop();
        finished
    });
    let refused: Vec<RefusedHost> = proxy.take_refused();
    finished.map(|finished| FinishedRun { refused_hosts: refused, ..finished })
}
