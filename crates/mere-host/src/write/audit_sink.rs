//! Where a person has receipts sent besides their own folder: a file, or the system's log.
//!
//! Nothing here blocks: a pipe, a device or a log that nobody reads is an error.

use std::fs::File;
use std::io::{self, Write};
use std::path::PathBuf;

use crate::Environment;

/// The place that every receipt is sent to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AuditSink {
    /// A file, by an absolute path or one that begins with `~/`.
    File(String),
    /// The system's log.
    Syslog,
}

/// The socket of the system's log.
#[cfg(unix)]
const SYSLOG_SOCKET: &str = "/dev/log";
/// What a message begins with: a notice of a user's program.
#[cfg(unix)]
const SYSLOG_PRIORITY: &str = "<13>";

impl AuditSink {
    /// Sends one line, which has no end yet.
    pub fn send(&self, environment: &Environment, line: &str) -> io::Result<()> {
        match self {
            Self::File(path) => {
                let mut file = open_file(&resolve(environment, path)?)?;
                file.write_all(format!("{line}\n").as_bytes())
            }
            Self::Syslog => send_to_syslog(line),
        }
    }

    /// Checks that lines could be sent, without sending one.
    pub fn check(&self, environment: &Environment) -> io::Result<()> {
        match self {
            Self::File(path) => open_file(&resolve(environment, path)?).map(drop),
            Self::Syslog => connect_to_syslog().map(drop),
        }
    }
}

fn resolve(environment: &Environment, path: &str) -> io::Result<PathBuf> {
    match (path.strip_prefix("~/"), environment.home_path()) {
        (Some(below), Some(home)) => Ok(home.join(below)),
        (Some(_), None) => Err(io::Error::new(io::ErrorKind::NotFound, "there is no home folder")),
        (None, _) => Ok(PathBuf::from(path)),
    }
}

/// Opens a file at its end, and creates it for the user alone if needed.
fn open_file(path: &std::path::Path) -> io::Result<File> {
    let mut options = std::fs::OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        // Opening a pipe must not block, and a terminal must not become our controlling terminal.
        let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY;
        options.mode(0o600).custom_flags(flags.bits().cast_signed());
    }
    let file = options.open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"));
    }
    Ok(file)
}

#[cfg(unix)]
fn connect_to_syslog() -> io::Result<std::os::unix::net::UnixDatagram> {
    let socket = std::os::unix::net::UnixDatagram::unbound()?;
    socket.set_nonblocking(true)?;
    socket.connect(SYSLOG_SOCKET)?;
    Ok(socket)
}

#[cfg(unix)]
fn send_to_syslog(line: &str) -> io::Result<()> {
    let message = format!("{SYSLOG_PRIORITY}mere[{}]: {line}", std::process::id());
    connect_to_syslog()?.send(message.as_bytes()).map(drop)
}

#[cfg(not(unix))]
fn connect_to_syslog() -> io::Result<()> {
    Err(io::Error::new(io::ErrorKind::Unsupported, "this system has no syslog"))
}

#[cfg(not(unix))]
fn send_to_syslog(_: &str) -> io::Result<()> {
    connect_to_syslog()
}
