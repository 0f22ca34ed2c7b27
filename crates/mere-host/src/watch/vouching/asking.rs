//! The side of a vouching socket that asks.

use std::io::{self, Write};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use rustix::net::connect;
use rustix::process::{Pid, getpid};
use uuid::Uuid;

use super::socket::{
    ANSWER_BYTES, MARK, NONCE_BYTES, address, check_same_user, new_socket, open_socket_folder,
    read_until, remaining,
};
use crate::Database;

/// The most servers that one process asks.
const MAX_ASKED: usize = 8;

/// Asks the other processes that watch an index for the generation that is up to date now, but no
/// longer than `patience`. Returns none where no server vouches for exactly this subject.
pub fn ask_for_vouch(database: &Database, subject: &[u8; 32], patience: Duration) -> Option<i64> {
    ask_servers(
        database,
        subject,
        Question { asker: Some(getpid()), until: Instant::now() + patience },
    )
}

/// Who asks, and how long.
#[derive(Clone, Copy)]
struct Question {
    /// The process that asks and is not asked, because it cannot answer while it waits.
    asker: Option<Pid>,
    until: Instant,
}

fn ask_servers(database: &Database, subject: &[u8; 32], question: Question) -> Option<i64> {
    let (cache, prefix) = database.socket_location()?;
    let cache = Dir::open_ambient_dir(cache, ambient_authority()).ok()?;
    let folder = open_socket_folder(&cache).ok()?;
    let names =
        folder.entries().ok()?.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let names =
        names.filter(|name| name.strip_prefix(&prefix).is_some_and(|rest| rest.starts_with('-')));
    // Dead servers leave their sockets behind; only the living are counted.
    let servers = names.filter_map(|name| connect_to_server(&folder, &name, question.asker).ok());
    servers.take(MAX_ASKED).find_map(|server| {
        // A server that was stopped leaves the next one half of the time.
        let left = remaining(question.until).ok()?;
        ask_server(server, subject, Instant::now() + left / 2).ok().flatten()
    })
}

/// Connects to a server of this user, other than the process that asks.
fn connect_to_server(folder: &Dir, name: &str, asker: Option<Pid>) -> io::Result<UnixStream> {
    let socket = new_socket()?;
    // It does not wait: if too many questions are waiting already, it fails.
    connect(&socket, &address(folder, name)?)?;
    if Some(check_same_user(&socket)?) == asker {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    Ok(UnixStream::from(socket))
}

fn ask_server(
    mut stream: UnixStream,
    subject: &[u8; 32],
    until: Instant,
) -> io::Result<Option<i64>> {
    stream.set_nonblocking(false)?;
    let nonce = *Uuid::new_v4().as_bytes();
    stream.set_write_timeout(Some(remaining(until)?))?;
    stream.write_all(&[&MARK[..], &nonce, subject].concat())?;
    let answer = read_until::<ANSWER_BYTES>(&mut stream, until)?;
    let (echo, number) = answer.split_at(NONCE_BYTES);
    if echo != nonce {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let number = number.try_into().map_err(|_| io::ErrorKind::InvalidData)?;
    Ok(Some(i64::from_le_bytes(number)).filter(|generation| *generation > 0))
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::net::UnixListener;
    use std::path::{Path, PathBuf};

    use mere_core::digest::Sha256;

    use super::super::VouchListener;
    use super::*;

    const PATIENCE: Duration = Duration::from_millis(500);

    struct Scene {
        base: tempfile::TempDir,
    }

    impl Scene {
        fn new() -> Self {
            Self { base: tempfile::tempdir().expect("a folder") }
        }

        fn cache(&self) -> PathBuf {
            self.base.path().join("cache")
        }

        fn database(&self) -> Database {
            Database::InCache(self.cache().join("search-0123"))
        }

        fn ask(&self, subject: &str) -> Option<i64> {
            // The listener is in this process, too.
            let question = Question { asker: None, until: Instant::now() + PATIENCE };
            let subject = Sha256::digest(subject.as_bytes());
            ask_servers(&self.database(), subject.as_bytes(), question)
        }

        /// Asks while a listener answers one question.
        fn ask_listener(&self, listener: &VouchListener, answer: Option<i64>) -> Option<i64> {
            std::thread::scope(|scope| {
                let asking = scope.spawn(|| self.ask("a"));
                let question = listener.wait_for_question(PATIENCE).expect("waited");
                question.expect("a question").answer(answer);
                asking.join().expect("asked")
            })
        }

        fn socket(&self) -> PathBuf {
            let folder = std::fs::read_dir(self.cache().join("vouching")).expect("a folder");
            folder.map(|entry| entry.expect("one").path()).next().expect("a socket")
        }
    }

    fn set_mode(path: &Path, mode: u32) {
        let mode = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(path, mode).expect("changed");
    }

    #[test]
    fn an_answer_arrives_and_a_refusal_is_none() {
        let scene = Scene::new();
        assert_eq!(scene.ask("a"), None, "nobody listens");
        let listener = VouchListener::open(&scene.database()).expect("listening");
        assert_eq!(scene.ask_listener(&listener, Some(7)), Some(7));
        assert_eq!(scene.ask_listener(&listener, None), None);
        let mode = std::fs::metadata(scene.socket()).expect("there").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn a_server_that_does_not_answer_is_not_waited_for() {
        let scene = Scene::new();
        let listener = VouchListener::open(&scene.database()).expect("listening");
        let began = std::time::Instant::now();
        assert_eq!(scene.ask("a"), None);
        assert!(began.elapsed() >= PATIENCE / 2);
        drop(listener);
        assert_eq!(scene.ask("a"), None, "it is gone");
    }

    #[test]
    fn a_process_does_not_ask_itself() {
        let scene = Scene::new();
        let listener = VouchListener::open(&scene.database()).expect("listening");
        let began = Instant::now();
        assert_eq!(ask_for_vouch(&scene.database(), &[7; 32], PATIENCE * 20), None);
        assert!(began.elapsed() < PATIENCE * 5, "nobody was waited for");
        drop(listener);
    }

    #[test]
    fn a_server_answers_beside_dead_and_stopped_ones() {
        let scene = Scene::new();
        drop(VouchListener::open(&scene.database()).expect("listening"));
        let (_, name) = scene.database().socket_location().expect("in the cache");
        for number in 0..2 * MAX_ASKED {
            let path = scene.cache().join("vouching").join(format!("{name}-dead-{number}"));
            drop(UnixListener::bind(path).expect("bound"));
        }
        let stopped = scene.cache().join("vouching").join(format!("{name}-stopped"));
        let stopped = UnixListener::bind(stopped).expect("bound");
        let listener = VouchListener::open(&scene.database()).expect("listening");
        assert_eq!(scene.ask_listener(&listener, Some(7)), Some(7));
        drop(stopped);
    }

    #[test]
    fn a_folder_that_others_may_open_is_not_used() {
        let scene = Scene::new();
        let listener = VouchListener::open(&scene.database()).expect("listening");
        set_mode(&scene.cache().join("vouching"), 0o755);
        assert_eq!(scene.ask("a"), None);
        assert!(VouchListener::open(&scene.database()).is_err());
        set_mode(&scene.cache().join("vouching"), 0o700);
        assert_eq!(scene.ask_listener(&listener, Some(7)), Some(7));
    }

    #[test]
    fn a_linked_folder_is_not_used() {
        let scene = Scene::new();
        let listener = VouchListener::open(&scene.database()).expect("listening");
        let (folder, other) = (scene.cache().join("vouching"), scene.base.path().join("other"));
        std::fs::rename(&folder, &other).expect("moved");
        std::os::unix::fs::symlink(&other, &folder).expect("a link");
        assert_eq!(scene.ask("a"), None);
        drop(listener);
    }

    #[test]
    fn an_answer_to_another_question_is_not_believed() {
        let scene = Scene::new();
        drop(VouchListener::open(&scene.database()).expect("listening"));
        std::fs::create_dir_all(scene.cache().join("vouching")).expect("a folder");
        for forged in [&[1; 24][..], &[0; 3], b"mere-v01mere-v01mere-v01"] {
            let (_, name) = scene.database().socket_location().expect("in the cache");
            let path = scene.cache().join("vouching").join(format!("{name}-forged"));
            let _ = std::fs::remove_file(&path);
            let socket = UnixListener::bind(&path).expect("bound");
            let answer = std::thread::scope(|scope| {
                let asking = scope.spawn(|| scene.ask("a"));
                let (mut stream, _) = socket.accept().expect("a question");
                let _ = stream.read(&mut [0; 64]);
                let _ = stream.write_all(forged);
                drop(stream);
                asking.join().expect("asked")
            });
            assert_eq!(answer, None, "{forged:?}");
        }
    }

    #[test]
    fn what_is_no_question_is_dropped() {
        let scene = Scene::new();
        let listener = VouchListener::open(&scene.database()).expect("listening");
        for bytes in [&[][..], &[1; 8], &[0; 200]] {
            let mut stream = UnixStream::connect(scene.socket()).expect("connected");
            let _ = stream.write_all(bytes);
            assert!(listener.wait_for_question(PATIENCE).expect("waited").is_none());
        }
        assert_eq!(scene.ask_listener(&listener, Some(7)), Some(7));
    }

    #[test]
    fn the_socket_of_a_dead_server_is_removed_when_it_is_old() {
        let scene = Scene::new();
        drop(VouchListener::open(&scene.database()).expect("listening"));
        let (old, new) = (scene.cache().join("vouching/old"), scene.cache().join("vouching/new"));
        for path in [&old, &new] {
            drop(UnixListener::bind(path).expect("bound"));
        }
        let long_ago = rustix::fs::Timespec { tv_sec: 1_000_000, tv_nsec: 0 };
        let times = rustix::fs::Timestamps { last_access: long_ago, last_modification: long_ago };
        let flags = rustix::fs::AtFlags::SYMLINK_NOFOLLOW;
        rustix::fs::utimensat(rustix::fs::CWD, &old, &times, flags).expect("set");
        let listener = VouchListener::open(&scene.database()).expect("listening");
        assert_eq!((old.exists(), new.exists()), (false, true));
        drop(listener);
    }
}
