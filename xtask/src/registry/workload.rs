//! What people do with a registry, timed over real connections.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::host::RegistryProcess;
use super::http::HttpConnection;
use super::publisher::{EVERYWHERE, Publisher};
use crate::measurement::millis;
use crate::random::Random;
use crate::table::percentile;
use crate::vocabulary::{FIRST_CONTENT_RANK, Vocabulary, planted_word};

/// How often each kind of search is timed.
const SEARCHES: usize = 500;
/// How many publications are timed.
const PUBLICATIONS: usize = 200;
/// How many connections read at once.
const READERS: usize = 8;
/// How long they read.
const READ_TIME: Duration = Duration::from_secs(8);
/// How many ticks of processor time a second has.
const TICKS: f64 = 100.0;

/// What was measured.
pub(super) struct Figures {
    pub(super) searches: Vec<SearchFigures>,
    /// The samples of sending a file, and of publishing what was sent, in milliseconds.
    pub(super) uploads: Vec<f64>,
    pub(super) publications: Vec<f64>,
    /// Reads per second.
    pub(super) reads: f64,
    /// The processor time of everything but the clients, for one read.
    pub(super) read_micros: f64,
    /// The memory of the server in megabytes, at its start and at the end.
    pub(super) memory: (f64, f64),
}

/// What was measured of one kind of search.
pub(super) struct SearchFigures {
    pub(super) name: &'static str,
    /// The samples, in milliseconds.
    pub(super) samples: Vec<f64>,
    /// The processor time of everything but the client, for one search, in milliseconds. Unlike the
    /// samples, it does not depend on what else the machine does.
    pub(super) processor: f64,
}

impl Figures {
    /// Measures a registry that was filled with this many items.
    pub(super) fn measure(
        server: &RegistryProcess,
        token: &str,
        items: usize,
    ) -> Result<Self, String> {
        let before = server.memory();
        let searches = measure_searches(&server.address)?;
        let (uploads, publications) = measure_publications(&server.address, token, items);
        let (reads, read_micros) = measure_reads(&server.address, items)?;
        let memory = (before, server.memory());
        Ok(Self { searches, uploads, publications, reads, read_micros, memory })
    }
}

/// Returns the median and the tail of samples.
pub(super) fn median_and_tail(samples: &[f64]) -> String {
    let at = |percent| percentile(samples, percent).unwrap_or(f64::NAN);
    format!("{:.2} / {:.2}", at(50), at(99))
}

fn measure_searches(address: &str) -> Result<Vec<SearchFigures>, String> {
    let (vocabulary, mut random) = (Vocabulary::new(), Random::new(3));
    let mut topic = || vocabulary.word(FIRST_CONTENT_RANK + random.below(900)).to_owned();
    let topics = (0..SEARCHES).map(|_| topic()).collect::<Vec<_>>();
    let kinds: [(&str, &dyn Fn(usize) -> String); 5] = [
        ("a rare word", &|at| planted_word(at % 2_000)),
        ("a common word", &|at| vocabulary.word(at % 20).to_owned()),
        ("two words", &|at| format!("{}+{}", topics[at], vocabulary.word(at % 20))),
        ("the beginning of a word", &|at| topics[at].chars().take(2).collect()),
        ("a word that is everywhere", &|_| EVERYWHERE.to_owned()),
    ];
    let mut connection = HttpConnection::open(address, None);
    let measure = |(name, query): (&'static str, &dyn Fn(usize) -> String)| {
        let used = processor_time_of_others()?;
        let samples = (0..SEARCHES).map(|at| {
            let path = format!("/api/v1/search?q={}", query(at));
            let began = Instant::now();
            connection.get(&path);
            millis(began.elapsed())
        });
        let samples = samples.collect();
        let used = processor_time_of_others()? - used;
        Ok(SearchFigures { name, samples, processor: used * 1_000.0 / SEARCHES as f64 })
    };
    kinds.into_iter().map(measure).collect()
}

/// Times how long files are sent, and how long items are published whose files were sent.
fn measure_publications(address: &str, token: &str, items: usize) -> (Vec<f64>, Vec<f64>) {
    let publisher = Publisher::new();
    let mut connection = HttpConnection::open(address, Some(token));
    let (mut uploads, mut publications) = (Vec::new(), Vec::new());
    for item in (items..items + PUBLICATIONS).map(|number| publisher.sign(number)) {
        for (digest, bytes) in &item.files {
            let began = Instant::now();
            item.upload(&mut connection, digest, bytes);
            uploads.push(millis(began.elapsed()));
        }
        let began = Instant::now();
        item.submit(&mut connection);
        publications.push(millis(began.elapsed()));
    }
    (uploads, publications)
}

/// Reads items, versions and files at random, and returns how many in a second, and the processor
/// time of each.
fn measure_reads(address: &str, items: usize) -> Result<(f64, f64), String> {
    let publisher = Publisher::new();
    let mut random = Random::new(5);
    let paths = (0..3_000).flat_map(|_| {
        let item = publisher.sign(random.below(items));
        [item.item_path(), item.version_path(), item.blob_path(&item.files[0].0)]
    });
    let paths = paths.collect::<Vec<_>>();
    let (count, is_over) = (AtomicU64::new(0), AtomicBool::new(false));
    let (began, used) = (Instant::now(), processor_time_of_others()?);
    std::thread::scope(|scope| {
        for reader in 0..READERS {
            let (paths, count, is_over) = (&paths, &count, &is_over);
            scope.spawn(move || {
                let mut random = Random::new(reader as u64);
                let mut connection = HttpConnection::open(address, None);
                while !is_over.load(Ordering::Relaxed) {
                    connection.get(&paths[random.below(paths.len())]);
                    count.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        std::thread::sleep(READ_TIME);
        is_over.store(true, Ordering::Relaxed);
    });
    let used = processor_time_of_others()? - used;
    let count = count.into_inner() as f64;
    Ok((count / began.elapsed().as_secs_f64(), used * 1_000_000.0 / count))
}

/// Returns the seconds of processor time that our children and those of their shells have used.
fn processor_time_of_others() -> Result<f64, String> {
    let own = std::process::id();
    let entries = std::fs::read_dir("/proc").map_err(|error| error.to_string())?;
    let numbers = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let all = numbers.filter_map(ProcessTime::read).collect::<Vec<_>>();
    let is_ours = |one: &ProcessTime| {
        let mut at = one.parent;
        while at > 1 && at != own {
            at = all.iter().find(|other| other.id == at).map_or(0, |other| other.parent);
        }
        at == own
    };
    Ok(all.iter().filter(|one| is_ours(one)).map(|one| one.seconds).sum())
}

/// A process, its parent, and the processor time that it has used.
struct ProcessTime {
    id: u32,
    parent: u32,
    seconds: f64,
}

impl ProcessTime {
    fn read(id: u32) -> Option<Self> {
        let text = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
        // The name, which may have spaces, is in parentheses.
        let fields = text.rsplit_once(')')?.1.split_whitespace().collect::<Vec<_>>();
        let number = |at: usize| fields.get(at)?.parse::<f64>().ok();
        let seconds = (number(11)? + number(12)?) / TICKS;
        Some(Self { id, parent: fields.get(1)?.parse().ok()?, seconds })
    }
}
