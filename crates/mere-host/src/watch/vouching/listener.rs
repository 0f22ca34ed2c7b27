//! The side of a vouching socket that answers.

use std::io::{self, Write};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant, SystemTime};

use cap_std::ambient_authority;
use cap_std::fs::{Dir, FileTypeExt, MetadataExt, Permissions, PermissionsExt};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::OwnedFd;
use rustix::net::{SocketFlags, accept_with, bind, connect, listen};
use uuid::Uuid;

use super::socket::{
    DIGEST_BYTES, FOLDER, MARK, NONCE_BYTES, QUESTION_BYTES, address, check_same_user, new_socket,
    open_socket_folder, read_until,
};
use crate::Database;
use crate::write::locked_folder::create_private_folder;

/// How long a server waits for the rest of a question.
const QUESTION_TIMEOUT: Duration = Duration::from_millis(50);
/// How many questions may wait for a server.
const MAX_WAITING: i32 = 16;
/// How long a socket on which nobody listens is left alone: its server may just be starting.
const MAX_STARTING: Duration = Duration::from_secs(10);

/// The socket of this process for one index.
pub struct VouchListener {
    socket: OwnedFd,
    folder: Dir,
    name: String,
    database: Database,
}

/// A question that waits for its answer.
pub struct VouchQuestion {
    stream: UnixStream,
    nonce: [u8; NONCE_BYTES],
    subject: [u8; DIGEST_BYTES],
}

impl VouchListener {
    /// Listens for questions about an index, and removes sockets that dead processes left
    /// behind.
    pub fn open(database: &Database) -> io::Result<Self> {
        let (cache, prefix) = database.socket_location().ok_or(io::ErrorKind::Unsupported)?;
        create_private_folder(&cache.join(FOLDER))?;
        let folder = open_socket_folder(&Dir::open_ambient_dir(cache, ambient_authority())?)?;
        remove_abandoned(&folder);
        let socket = new_socket()?;
        let name = format!("{prefix}-{}", Uuid::new_v4().simple());
        let unfinished = format!(".{name}");
        bind(&socket, &address(&folder, &unfinished)?)?;
        folder.set_permissions(&unfinished, Permissions::from_mode(0o600))?;
        listen(&socket, MAX_WAITING)?;
        folder.rename(&unfinished, &folder, &name)?;
        Ok(Self { socket, folder, name, database: database.clone() })
    }

    /// Checks whether other processes still find the socket.
    pub fn is_in_place(&self) -> bool {
        let found = self.database.socket_location().and_then(|(cache, _)| {
            let cache = Dir::open_ambient_dir(cache, ambient_authority()).ok()?;
            let metadata = open_socket_folder(&cache).ok()?.symlink_metadata(&self.name).ok()?;
            Some((metadata.dev(), metadata.ino()))
        });
        let own = self.folder.symlink_metadata(&self.name);
        found.is_some() && found == own.ok().map(|metadata| (metadata.dev(), metadata.ino()))
    }

    /// Waits for a question of a process of the same user, but no longer than `patience`.
    pub fn wait_for_question(&self, patience: Duration) -> io::Result<Option<VouchQuestion>> {
        let patience = Timespec::try_from(patience).map_err(io::Error::other)?;
        let mut polled = [PollFd::new(&self.socket, PollFlags::IN)];
        match poll(&mut polled, Some(&patience)) {
            Ok(0) | Err(rustix::io::Errno::INTR) => return Ok(None),
            Ok(_) => {}
            Err(error) => return Err(error.into()),
        }
        let stream = match accept_with(&self.socket, SocketFlags::CLOEXEC) {
            Ok(stream) => stream,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        Ok(VouchQuestion::receive(stream).ok())
    }
}

impl Drop for VouchListener {
    fn drop(&mut self) {
        let _ = self.folder.remove_file(&self.name);
    }
}

impl VouchQuestion {
    fn receive(stream: OwnedFd) -> io::Result<Self> {
        check_same_user(&stream)?;
        let mut stream = UnixStream::from(stream);
        let until = Instant::now() + QUESTION_TIMEOUT;
        let question = read_until::<QUESTION_BYTES>(&mut stream, until)?;
        let (mark, rest) = question.split_at(MARK.len());
        let (nonce, subject) = rest.split_at(NONCE_BYTES);
        let parsed = nonce.try_into().ok().zip(<[u8; DIGEST_BYTES]>::try_from(subject).ok());
        let (nonce, subject) = parsed.ok_or(io::ErrorKind::InvalidData)?;
        if mark != MARK {
            return Err(io::ErrorKind::InvalidData.into());
        }
        Ok(Self { stream, nonce, subject })
    }

    /// Returns the digest of what the other process means.
    pub fn subject(&self) -> &[u8; 32] {
        &self.subject
    }

    /// Answers with the generation that is up to date, or refuses. Nobody may be waiting any
    /// more.
    pub fn answer(mut self, generation: Option<i64>) {
        let number = generation.unwrap_or_default().to_le_bytes();
        let _ = self.stream.set_write_timeout(Some(QUESTION_TIMEOUT));
        let _ = self.stream.write_all(&[&self.nonce[..], &number].concat());
    }
}

/// Removes the sockets on which nobody listens.
fn remove_abandoned(folder: &Dir) {
    for entry in folder.entries().into_iter().flatten().flatten() {
        let age = |entry: &cap_std::fs::DirEntry| {
            let made = entry.metadata().ok()?.modified().ok()?.into_std();
            SystemTime::now().duration_since(made).ok()
        };
        let Ok(name) = entry.file_name().into_string() else { continue };
        if !entry.file_type().is_ok_and(|kind| kind.is_socket()) {
            continue;
        }
        let is_abandoned = || {
            let (socket, address) = (new_socket().ok()?, address(folder, &name).ok()?);
            let refused = connect(&socket, &address).err()?;
            Some(refused == rustix::io::Errno::CONNREFUSED)
        };
        if age(&entry).is_some_and(|age| age > MAX_STARTING) && is_abandoned() == Some(true) {
            let _ = folder.remove_file(&name);
        }
    }
}
