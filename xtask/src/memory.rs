//! A store of up to 100,000 memories: creating one, compared with the least work that survives a
//! power cut; reading, changing and moving one; and listing all.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::items::measurement;
use crate::mcp_client::McpClient;
use crate::measurement::{Measurement, Unit, millis};
use crate::peer::{Call, Peer};
use crate::random::Random;
use crate::text::{self, Language};

/// How many memories there are when something is measured.
const SIZES: [usize; 3] = [1_000, 10_000, 100_000];
/// How many categories they are spread over.
const CATEGORIES: usize = 100;
/// How often each operation is done, and how often before it counts.
const ROUNDS: usize = 400;
const WARM: usize = 20;
/// How many memories a page has, and how many while paging to the middle.
const PAGE: usize = 50;
const STRIDE: usize = 200;
/// How many calls are made at once.
pub(crate) const AT_ONCE: usize = 100;

const STORE: &str = ".ai/memory";

/// How the memories of a store are laid out.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Layout {
    Flat,
    Spread,
}

impl Layout {
    fn name(self) -> &'static str {
        match self {
            Self::Flat => "in one category",
            Self::Spread => "in 100 categories",
        }
    }

    fn category(self, number: usize) -> String {
        match self {
            Self::Flat => "all".to_owned(),
            Self::Spread => format!("c{:02}", number % CATEGORIES),
        }
    }
}

/// A store that grows.
pub(crate) struct GrowingStore {
    folder: PathBuf,
    layout: Layout,
    filled: usize,
    made: usize,
    random: Random,
}

impl GrowingStore {
    /// Creates a store without memories, but with its categories.
    pub(crate) fn new(project: &Path, layout: Layout) -> Self {
        std::fs::create_dir(project.join(".git")).expect("a folder");
        let folder = project.join(STORE);
        for number in 0..CATEGORIES {
            let category = folder.join(layout.category(number));
            std::fs::create_dir_all(&category).expect("a folder");
            std::fs::write(category.join(".category.yaml"), "").expect("a file");
        }
        Self { folder, layout, filled: 0, made: 0, random: Random::new(5) }
    }

    /// Adds memories until there are `size` of them.
    pub(crate) fn fill(&mut self, size: usize) {
        while self.filled < size {
            let path = self.file(&self.path(self.filled));
            let note = format!("{}{}", frontmatter(self.filled), self.content());
            std::fs::write(path, note).expect("a file");
            self.filled += 1;
        }
        let _ = std::process::Command::new("sync").arg("-f").arg(&self.folder).status();
    }

    /// Returns the path of a memory that was there from the beginning.
    pub(crate) fn path(&self, number: usize) -> String {
        format!("{}/m{number:06}", self.layout.category(number))
    }

    fn file(&self, path: &str) -> PathBuf {
        self.folder.join(format!("{path}.md"))
    }

    fn content(&mut self) -> String {
        text::generate(Language::Markdown, 600, &mut self.random)
    }

    /// Returns a path that is not in use.
    fn new_path(&mut self) -> String {
        self.made += 1;
        format!("{}/n{:06}", self.layout.category(self.made), self.made)
    }

    /// Returns one of the memories that were there from the beginning, each time another.
    fn existing_path(&mut self) -> String {
        self.made += 1;
        self.path(self.made * 7919 % self.filled)
    }
}

/// Returns the frontmatter of a memory. Each is a minute older than the next.
fn frontmatter(number: usize) -> String {
    let (day, hour, minute) = (number / 1440 % 28 + 1, number / 60 % 24, number % 60);
    let month = number / 1440 / 28 % 12 + 1;
    let time = format!("2025-{month:02}-{day:02}T{hour:02}:{minute:02}:00Z");
    format!("---\ncreated_at: {time}\nupdated_at: {time}\ntags: [\"a\", \"b\"]\n---\n")
}

/// Measures every row of one layout, with `mere` first and the bare sequence second.
pub(crate) fn measure_all(mere: &Peer, layout: Layout) -> Vec<Measurement> {
    let mut store = GrowingStore::new(&mere.folder, layout);
    let mut measurements = Vec::new();
    for size in SIZES {
        store.fill(size);
        let samples = measure_creates(mere, &mut store);
        measurements.push(measurement(
            &row_name("create_memory", size, layout),
            Unit::Millis,
            samples,
        ));
    }
    measurements.extend(measure_lists(mere, &mut store));
    measurements.extend(measure_others(mere, &mut store));
    measurements
}

fn row_name(what: &str, size: usize, layout: Layout) -> String {
    format!("{what}, {},000 memories {}", size / 1000, layout.name())
}

/// Describes the overhead over the bare sequence, row by row, as the difference of the medians.
pub(crate) fn overhead_lines(measurements: &[Measurement]) -> Vec<String> {
    let lines = measurements.iter().filter_map(|row| {
        let [ours, least] = [0, 1].map(|column| row.median(column));
        Some(format!("{}: {:.3} ms beyond the bare sequence", row.name, ours? - least?))
    });
    lines.collect()
}

/// Creates one memory after another, in turns with the bare sequence; they alternate in going
/// first.
fn measure_creates(mere: &Peer, store: &mut GrowingStore) -> Vec<Vec<f64>> {
    let mut client = mere.connect();
    let staging = mere.folder.join("bare");
    std::fs::create_dir_all(&staging).expect("a folder");
    let content = store.content();
    let mut samples = vec![Vec::new(), Vec::new()];
    let mut bytes = Vec::new();
    for round in 0..WARM + ROUNDS {
        let (ours, theirs) = (store.new_path(), store.new_path());
        let mut by_mere = || create(&mut client, &ours, &content);
        let by_hand = || write_bare(&staging, &store.file(&theirs), &bytes).expect("a file");
        let (took, least) = if round % 2 == 0 {
            let took = by_mere();
            (took, by_hand())
        } else {
            let least = by_hand();
            (by_mere(), least)
        };
        if round >= WARM {
            samples[0].push(millis(took));
            samples[1].push(millis(least));
        }
        bytes = std::fs::read(store.file(&ours)).expect("the memory is there");
        assert!(bytes.ends_with(content.as_bytes()), "the memory is another");
    }
    samples
}

fn create(client: &mut McpClient, path: &str, content: &str) -> Duration {
    client.call(&create_call(path, content)).took
}

pub(crate) fn create_call(path: &str, content: &str) -> Call {
    Call { tool: "create_memory", arguments: json!({ "path": path, "content": content }) }
}

/// Writes the same bytes by hand: a temporary file elsewhere, its fsync, a rename, and the fsync of
/// the folder.
fn write_bare(staging: &Path, file: &Path, bytes: &[u8]) -> io::Result<Duration> {
    let unfinished = staging.join("unfinished");
    let folder = file.parent().expect("a folder");
    let began = Instant::now();
    let mut new = File::create_new(&unfinished)?;
    new.write_all(bytes)?;
    new.sync_all()?;
    drop(new);
    std::fs::rename(&unfinished, file)?;
    File::open(folder)?.sync_all()?;
    Ok(began.elapsed())
}

/// Measures listing: cold and warm, in both orders, at the beginning and in the middle, and after a
/// create.
fn measure_lists(mere: &Peer, store: &mut GrowingStore) -> Vec<Measurement> {
    let name = |what: &str| row_name(what, store.filled, store.layout);
    let mut measurements = Vec::new();
    let cold =
        (0..5).map(|_| millis(list_page(&mut mere.connect(), "path", None, PAGE).0)).collect();
    measurements.push(measurement(
        &name("first list of a server"),
        Unit::Millis,
        vec![cold, Vec::new()],
    ));
    let mut client = mere.connect();
    for sort in ["path", "recent"] {
        let middle = middle_cursor(&mut client, sort, store.filled / 2);
        for (place, cursor) in [("first page", None), ("a page in the middle", Some(&middle))] {
            let what = format!("list_memories by {sort}, {place} of 50");
            let samples = (0..ROUNDS).map(|_| millis(list_page(&mut client, sort, cursor, PAGE).0));
            let samples = vec![samples.collect(), Vec::new()];
            measurements.push(measurement(&name(&what), Unit::Millis, samples));
        }
    }
    let content = store.content();
    for sort in ["path", "recent"] {
        let samples = (0..AT_ONCE).map(|_| {
            let path = store.new_path();
            create(&mut client, &path, &content);
            let (took, data) = list_page(&mut client, sort, None, PAGE);
            let newest = &data["memories"][0]["path"];
            assert!(sort == "path" || *newest == path, "{newest} is told, and not {path}");
            millis(took)
        });
        let samples = vec![samples.collect(), Vec::new()];
        let what = format!("list_memories by {sort}, right after a create");
        measurements.push(measurement(
            &row_name(&what, store.filled, store.layout),
            Unit::Millis,
            samples,
        ));
    }
    let memory = vec![vec![client.peak_memory()], Vec::new()];
    let what = row_name("peak memory of the server after these lists", store.filled, store.layout);
    measurements.push(measurement(&what, Unit::Megabytes, memory));
    measurements
}

/// Fetches a page, and returns how long it took and its data.
fn list_page(
    client: &mut McpClient,
    sort: &str,
    cursor: Option<&Value>,
    limit: usize,
) -> (Duration, Value) {
    let mut arguments = json!({ "sort": sort, "limit": limit });
    if let Some(cursor) = cursor {
        arguments["cursor"] = cursor.clone();
    }
    let answer = client.call(&Call { tool: "list_memories", arguments });
    let data = answer.message["result"]["structuredContent"]["data"].clone();
    let rows = data["memories"].as_array().map_or(0, Vec::len);
    assert!(rows == limit, "{rows} memories of {limit}");
    (answer.took, data)
}

/// Returns the cursor after `passed` memories.
fn middle_cursor(client: &mut McpClient, sort: &str, passed: usize) -> Value {
    let mut cursor = None;
    for _ in 0..passed / STRIDE {
        cursor = Some(list_page(client, sort, cursor.as_ref(), STRIDE).1["next"].clone());
    }
    cursor.expect("a cursor")
}

/// Measures reading, changing and moving one memory, and many creates at once.
fn measure_others(mere: &Peer, store: &mut GrowingStore) -> Vec<Measurement> {
    let mut client = mere.connect();
    let content = store.content();
    let mut samples = [const { Vec::new() }; 3];
    for round in 0..WARM + ROUNDS {
        let path = store.existing_path();
        let to = store.new_path();
        let calls = [
            ("get_memory", json!({ "path": path })),
            ("update_memory", json!({ "path": path, "content": content })),
            ("move_memory", json!({ "from": path, "to": to })),
        ];
        for ((tool, arguments), samples) in calls.into_iter().zip(&mut samples) {
            let took = client.call(&Call { tool, arguments }).took;
            if round >= WARM {
                samples.push(millis(took));
            }
        }
        // The memory is moved back, so that the next round finds it.
        std::fs::rename(store.file(&to), store.file(&path)).expect("a memory");
    }
    let name = |what: &str| row_name(what, store.filled, store.layout);
    let mut measurements = Vec::new();
    for (what, samples) in ["get_memory", "update_memory", "move_memory"].iter().zip(samples) {
        measurements.push(measurement(&name(what), Unit::Millis, vec![samples, Vec::new()]));
    }
    let what = name("create_memory, 100 pipelined");
    let rates = (0..10).map(|_| {
        let calls =
            (0..AT_ONCE).map(|_| create_call(&store.new_path(), &content)).collect::<Vec<_>>();
        let took = client.call_all(&calls).0;
        let kept = calls.iter().filter_map(|call| call.arguments["path"].as_str());
        let kept = kept.filter(|path| store.file(path).exists()).count();
        assert!(kept == AT_ONCE, "{kept} of {AT_ONCE} are kept");
        AT_ONCE as f64 / took.as_secs_f64()
    });
    let rates = vec![rates.collect(), Vec::new()];
    measurements.push(measurement(&what, Unit::PerSecond, rates));
    measurements
}
