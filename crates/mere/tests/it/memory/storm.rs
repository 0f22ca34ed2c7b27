//! Eight servers change one store at once, and somebody kills them: what was acknowledged is there,
//! whole, once.
//!
//! Each driver keeps a server busy with calls that it does not wait for. What only one driver
//! touches it knows exactly, and after a kill it looks which of two lawful states is there. What
//! all of them touch is judged at the end, by when each call began and when it was answered.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Child;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use mere_core::digest::Sha256;
use serde_json::{Value, json};

use crate::support::harness::{Mcp, Stage};
use crate::support::memory_driver::Driver;

pub(crate) const DRIVERS: usize = 8;
pub(crate) const STORE: &str = "project/.ai/memory";
/// Memories that all drivers change and move between two categories, and never make.
pub(crate) const POOL: usize = 12;
pub(crate) const HOMES: [&str; 2] = ["pool-a", "pool-b"];

/// A memory that must be there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Kept {
    pub(crate) token: String,
    pub(crate) sha256: String,
}

/// A change of a memory of the pool.
pub(crate) struct Change {
    pub(crate) object: usize,
    pub(crate) token: String,
    pub(crate) expected: Option<String>,
    pub(crate) is_acknowledged: bool,
    pub(crate) began: Instant,
    /// When it was answered, or its server was gone.
    pub(crate) ended: Instant,
}

/// What may lie at a path that all drivers want, and its digest if that was acknowledged; nothing
/// and none for whoever was refused.
pub(crate) type Claim = (String, Option<String>);

/// What all drivers share.
pub(crate) struct Storm {
    pub(crate) stage: Stage,
    pub(crate) servers: [Mutex<Option<Child>>; DRIVERS],
    /// How many creates, updates and moves each driver asks for.
    pub(crate) each: usize,
    pub(crate) requested: AtomicUsize,
    pub(crate) acknowledged: AtomicUsize,
    pub(crate) refused: AtomicUsize,
    pub(crate) unanswered: AtomicUsize,
    /// Paths that all drivers want.
    pub(crate) races: Mutex<BTreeMap<String, Vec<Claim>>>,
    pub(crate) changes: Mutex<Vec<Change>>,
}

/// What a memory says; its first line tells all the others, so that a torn one shows.
pub(crate) fn body(token: &str) -> String {
    let lines = token.bytes().fold(7, |sum, byte| (sum * 31 + usize::from(byte)) % 9973) % 120;
    format!("{token}\n{}end of {token}\n", format!("a line of {token}\n").repeat(lines))
}

/// A number below `limit`.
pub(crate) fn below(limit: usize) -> usize {
    usize::try_from(uuid::Uuid::new_v4().as_u128() % limit as u128).expect("small")
}

pub(crate) fn count(of: &AtomicUsize) {
    of.fetch_add(1, Ordering::Relaxed);
}

/// Looks at a lock whether or not somebody broke down with it.
pub(crate) fn open<T>(lock: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Storm {
    fn new(each: usize) -> Self {
        let storm = Self {
            stage: Stage::new(),
            servers: Default::default(),
            each,
            requested: AtomicUsize::default(),
            acknowledged: AtomicUsize::default(),
            refused: AtomicUsize::default(),
            unanswered: AtomicUsize::default(),
            races: Mutex::default(),
            changes: Mutex::default(),
        };
        let mut mcp = Mcp::greeted(&storm.stage, &[]);
        for category in [HOMES[0], HOMES[1], "race", "common"] {
            let made = mcp.call("create_category", &json!({ "path": category }));
            assert_eq!(made["reply_type"], "S", "{made}");
        }
        for object in 0..POOL {
            let (path, content) = (format!("{}/o{object}", HOMES[0]), body(&format!("o{object}")));
            let made = mcp.call("create_memory", &json!({ "path": path, "content": content }));
            assert_eq!(made["reply_type"], "S", "{made}");
        }
        drop(mcp);
        storm
    }

    /// Kills servers at random moments of the work, every other time the one that holds the lock of
    /// the store. Returns how many were alive until then.
    fn kill(&self, kills: usize, is_over: impl Fn() -> bool) -> usize {
        let part = DRIVERS * self.each / kills;
        let mut killed = 0;
        for kill in 0..kills {
            let from = kill * part + below(part);
            while self.requested.load(Ordering::Relaxed) < from && !is_over() {
                std::thread::sleep(Duration::from_millis(1));
            }
            std::thread::sleep(Duration::from_micros(below(3000) as u64));
            let any = below(DRIVERS);
            let victim = if kill % 2 == 0 { self.busy().unwrap_or(any) } else { any };
            if let Some(server) = open(&self.servers[victim]).as_mut() {
                let lives = matches!(server.try_wait(), Ok(None));
                killed += usize::from(lives && server.kill().is_ok());
            }
        }
        killed
    }

    /// The server that is seen to hold a lock.
    fn busy(&self) -> Option<usize> {
        for _ in 0..200 {
            let locks = std::fs::read_to_string("/proc/locks").ok()?;
            let holders = locks.lines().filter(|line| line.contains("FLOCK"));
            let holders = holders.filter_map(|line| line.split_whitespace().nth(4)?.parse().ok());
            let holders = holders.collect::<Vec<u32>>();
            let servers = self.servers.iter().map(|server| open(server).as_ref().map(Child::id));
            let mut servers = servers.map(|id| id.is_some_and(|id| holders.contains(&id)));
            if let Some(holder) = servers.position(|holds| holds) {
                return Some(holder);
            }
        }
        None
    }

    /// Every memory of the pool is in one of its homes, and says what the last change says: none
    /// that was acknowledged came after the one that is seen.
    fn check_pool(&self, found: &mut BTreeMap<String, Kept>) {
        let changes = open(&self.changes);
        for object in 0..POOL {
            let homes = HOMES.map(|home| found.remove(&format!("{home}/o{object}")));
            let ([Some(last), None] | [None, Some(last)]) = homes else {
                panic!("object {object} is in {homes:?}");
            };
            let own = changes.iter().filter(|change| change.object == object).collect::<Vec<_>>();
            let seen = own.iter().find(|change| change.token == last.token);
            assert!(seen.is_some() || last.token == format!("o{object}"), "{last:?}");
            for change in own.iter().filter(|change| change.is_acknowledged) {
                let is_lost = seen.is_none_or(|seen| change.began > seen.ended);
                assert!(!is_lost, "{} is acknowledged, {} is there", change.token, last.token);
            }
        }
        // Of two that replace the same text, one would be lost.
        let mut expected = BTreeSet::new();
        for change in changes.iter().filter(|change| change.is_acknowledged) {
            if let Some(before) = &change.expected {
                assert!(expected.insert(before), "{} replaces what is replaced", change.token);
            }
        }
        assert!(!expected.is_empty(), "no change was made on condition");
    }

    /// Whoever was first is there, and no other.
    fn check_races(&self, found: &mut BTreeMap<String, Kept>) {
        let races = open(&self.races);
        let mut won = 0;
        for (path, claims) in races.iter() {
            let mut first = claims.iter().filter(|(_, sha256)| sha256.is_some());
            let winner = first.next();
            assert_eq!(first.next(), None, "two won {path}");
            let Some(there) = found.remove(path) else {
                let none_saw = claims.iter().all(|(token, _)| !token.is_empty());
                assert!(winner.is_none() && none_saw, "nobody won {path}");
                continue;
            };
            match winner {
                Some((token, sha256)) => {
                    assert_eq!((&there.token, Some(&there.sha256)), (token, sha256.as_ref()));
                    won += 1;
                }
                None => assert!(claims.iter().any(|(token, _)| *token == there.token), "{path}"),
            }
        }
        assert!(won > 0, "no race was won");
    }

    /// What lies in the store, by path; every file whole, every folder a category.
    fn found(&self) -> BTreeMap<String, Kept> {
        let mut found = BTreeMap::new();
        gather(&self.stage.path(STORE), "", &mut found);
        let tokens = found.values().map(|kept| &kept.token).collect::<BTreeSet<_>>();
        assert_eq!(tokens.len(), found.len(), "a memory is there twice");
        found
    }

    /// What an agent sees is what lies there, and nothing that is half-done.
    fn check_lists(&self, found: &BTreeMap<String, Kept>) {
        let mut mcp = Mcp::greeted(&self.stage, &[]);
        let (mut listed, mut cursor) = (BTreeSet::new(), Value::Null);
        loop {
            let mut wanted = json!({ "limit": 200 });
            if !cursor.is_null() {
                wanted["cursor"] = cursor;
            }
            let page = mcp.call("list_memories", &wanted);
            for row in page["data"]["memories"].as_array().expect("memories") {
                assert_eq!(row.get("fault"), None, "{row}");
                assert!(listed.insert(row["path"].as_str().expect("a path").to_owned()), "{row}");
            }
            cursor = page["data"]["next"].clone();
            if cursor.is_null() {
                break;
            }
        }
        assert!(listed.iter().eq(found.keys()), "lists tell something else");
        for command in ["list", "tree"] {
            let path = "ROOT_PROJECT:/.ai/memory/";
            let seen = mcp.dir(&json!({ "command": command, "path": path })).to_string();
            assert!(!seen.contains(".new-"), "{seen}");
        }
    }
}

/// Adds the memories of a folder and below.
fn gather(folder: &Path, category: &str, found: &mut BTreeMap<String, Kept>) {
    let is_top = category.is_empty();
    assert!(is_top || folder.join(".category.yaml").is_file(), "{category} is not a category");
    for entry in std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry"))
    {
        let name = entry.file_name().into_string().expect("UTF-8");
        let path = if is_top { name.clone() } else { format!("{category}/{name}") };
        if let Some(path) = path.strip_suffix(".md") {
            let bytes = std::fs::read(entry.path()).expect("a file");
            let sha256 = Sha256::digest(&bytes).to_string();
            let text = String::from_utf8(bytes).expect("UTF-8");
            let (_, content) = text.split_once("\n---\n").expect("frontmatter");
            let token = content.trim_start().lines().next().expect("a line").to_owned();
            assert_eq!(content.trim_start(), body(&token), "{path} is torn");
            assert_eq!(found.insert(path.to_owned(), Kept { token, sha256 }), None);
        } else if entry.file_type().expect("a type").is_dir() {
            if !(is_top && name == ".new-files") {
                gather(&entry.path(), &path, found);
            }
        } else {
            assert_eq!(name, ".category.yaml", "{path}");
        }
    }
}

#[test]
fn eight_servers_that_are_killed_lose_nothing_that_was_acknowledged() {
    let is_long = std::env::var_os("MERE_LONG").is_some();
    let (each, kills) = if is_long { (10_000, 200) } else { (1_000, 24) };
    let storm = Storm::new(each);
    let (kept, killed) = std::thread::scope(|threads| {
        let drivers = (0..DRIVERS).map(|number| {
            let storm = &storm;
            threads.spawn(move || Driver::new(storm, number).run())
        });
        let drivers = drivers.collect::<Vec<_>>();
        let is_over = || drivers.iter().all(std::thread::ScopedJoinHandle::is_finished);
        let killed = storm.kill(kills, is_over);
        let kept = drivers.into_iter().map(|driver| driver.join().expect("a content driver"));
        (kept.flatten().collect::<BTreeMap<_, _>>(), killed)
    });
    for server in &storm.servers {
        let server = open(server).take();
        server.map(|mut server| server.wait().expect("the end of its input is its end"));
    }
    let counts = [&storm.requested, &storm.acknowledged, &storm.refused, &storm.unanswered];
    let [requested, acknowledged, refused, unanswered] =
        counts.map(|of| of.load(Ordering::Relaxed));
    assert_eq!(requested, DRIVERS * each);
    assert_eq!(acknowledged + refused + unanswered, requested);
    assert!(killed >= kills - 4 && killed >= 20, "{killed} of {kills} were alive");
    assert!(unanswered > 0, "nobody was killed at work");
    let mut found = storm.found();
    storm.check_lists(&found);
    let all = found.len();
    storm.check_pool(&mut found);
    storm.check_races(&mut found);
    for (path, kept) in &kept {
        assert_eq!(found.get(path), Some(kept), "{path}");
    }
    assert_eq!(found.len(), kept.len(), "what is there is what was acknowledged");
    eprintln!(
        "{requested} asked, {acknowledged} acknowledged, {refused} refused, \
         {unanswered} unanswered, {killed} kills, {all} memories"
    );
}
