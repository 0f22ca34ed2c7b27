//! `mere torture`: servers that write, move and read in a scratch space while they are killed, one
//! after the other and without a warning.
//!
//! Everything that a server acknowledged must be there afterwards, once and as a whole. The servers
//! are this program, and they are asked as agents ask them: nothing here knows how they write.

mod actor;
mod client;
mod ledger;
mod text;

use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use actor::{Actor, Role};
use mere_host::{ScratchFolder, ServerKiller, SharedWork, now_nanoseconds, share_work};

/// How long the killer waits at most before it kills again, in milliseconds.
const LONGEST_PAUSE: u64 = 120;

/// What happened.
#[derive(Clone, Debug, Default)]
pub struct TortureReport {
    /// How many servers were killed.
    pub kills: u64,
    /// How many files, memories and notes were written, and acknowledged.
    pub writes: u64,
    /// How many were moved, and acknowledged.
    pub moves: u64,
    /// How many were read, and were whole.
    pub reads: u64,
    /// What was acknowledged and is gone, is there twice, or is an older version.
    pub losses: Vec<String>,
    /// What was read and was not whole.
    pub torn: Vec<String>,
    /// Replies that nothing explains.
    pub failures: Vec<String>,
}

impl TortureReport {
    /// Reports whether everything held.
    pub fn is_clean(&self) -> bool {
        self.losses.is_empty() && self.torn.is_empty() && self.failures.is_empty()
    }

    fn add(&mut self, other: Self) {
        self.kills += other.kills;
        self.writes += other.writes;
        self.moves += other.moves;
        self.reads += other.reads;
        self.losses.extend(other.losses);
        self.torn.extend(other.torn);
        self.failures.extend(other.failures);
    }
}

/// Runs all actors for a time, and a killer beside them.
pub fn torture(time: Duration) -> io::Result<TortureReport> {
    let torture = Torture::new()?;
    let until = Instant::now() + time;
    let (kills, reports) = share_work(&torture, |threads| {
        threads.start(Role::ALL.len());
        let kills = torture.kill_until(until);
        torture.stop();
        kills
    });
    let mut total = TortureReport { kills, ..TortureReport::default() };
    for report in reports {
        total.add(report?);
    }
    Ok(total)
}

/// What the actors share.
struct Torture {
    folder: ScratchFolder,
    /// The server of each actor, if it has started one.
    servers: Vec<Mutex<Option<ServerKiller>>>,
    next_role: AtomicUsize,
    is_over: AtomicBool,
}

impl Torture {
    fn new() -> io::Result<Self> {
        Ok(Self {
            folder: ScratchFolder::create()?,
            servers: Role::ALL.iter().map(|_| Mutex::default()).collect(),
            next_role: AtomicUsize::new(0),
            is_over: AtomicBool::new(false),
        })
    }

    fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }

    /// Kills one server after the other until the time is over. Returns how many.
    fn kill_until(&self, until: Instant) -> u64 {
        let mut random = Random::new();
        let mut kills = 0;
        while Instant::now() < until && !self.is_over() {
            std::thread::sleep(Duration::from_millis(1 + random.below(LONGEST_PAUSE)));
            let chosen = usize::try_from(random.below(self.servers.len() as u64));
            let server = chosen.ok().and_then(|chosen| self.servers.get(chosen));
            let server = server
                .and_then(|server| server.lock().unwrap_or_else(PoisonError::into_inner).clone());
            kills += u64::from(server.is_some_and(|server| server.kill()));
        }
        kills
    }
}

impl SharedWork for Torture {
    type Output = io::Result<TortureReport>;

    fn work(&self) -> Self::Output {
        let number = self.next_role.fetch_add(1, Ordering::Relaxed);
        match Role::ALL.get(number) {
            Some(role) => Actor::new(self, number, *role).act(),
            None => Ok(TortureReport::default()),
        }
    }

    fn stop(&self) {
        self.is_over.store(true, Ordering::Relaxed);
    }
}

/// Numbers that need not be unpredictable (xorshift).
struct Random(u64);

impl Random {
    fn new() -> Self {
        Self(now_nanoseconds().unsigned_abs() | 1)
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit.max(1)
    }
}
