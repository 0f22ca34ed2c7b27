//! The feed of agents' calls: who called which tool, and how that ended.
//!
//! It is a view for a person who watches, and no record: its lines have no content, are neither
//! signed nor synced, and only the newest are kept. Nothing is written before a person has watched
//! for the first time. A call never waits for it: calls leave their lines here, and the upkeep of
//! the session writes them.

use std::collections::VecDeque;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use mere_core::digest::Sha256;
use mere_host::{Durability, Environment, LineLog, StateFolder};
use serde::{Deserialize, Serialize};

use crate::world::Context;

/// The files of the feed.
const FEED: LineLog = LineLog { name: "calls", segment_bytes: 256 * 1024, max_line: 4 * 1024 };
/// How many of them are kept: some thousand calls.
const MAX_SEGMENTS: usize = 2;
/// The folder in the state folder that holds them.
const FOLDER: &str = "calls";
/// How many lines wait to be written, or for a person who watches. Of more, the oldest are left out.
const MAX_WAITING: usize = 1_000;

/// One line of the feed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FeedLine {
    /// When it ended, in milliseconds since 1970.
    pub(crate) at: i64,
    /// What stands for the project.
    pub(crate) project: String,
    /// The agent's name.
    pub(crate) agent: String,
    /// What happened.
    #[serde(flatten)]
    pub(crate) event: FeedEvent,
}

/// What a line of the feed is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum FeedEvent {
    /// A call was answered.
    Call(FeedCall),
    /// A client was sent a list.
    List(FeedList),
}

/// A call that was answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FeedCall {
    /// The tool's name.
    pub(crate) tool: String,
    /// The code of the reply.
    pub(crate) code: String,
    /// Whether the call did what was asked.
    pub(crate) succeeded: bool,
    /// The beginning of the sentence that the agent got.
    pub(crate) message: String,
    /// How long it took.
    pub(crate) micros: u64,
}

/// A list that a client was sent: what its agent sees before the first call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FeedList {
    /// What is listed, such as `tools`.
    pub(crate) of: String,
    /// How many there are.
    pub(crate) count: usize,
    /// How long the list is.
    pub(crate) bytes: usize,
}

/// The lines of this process that are not written yet.
#[derive(Default)]
pub(crate) struct CallFeed {
    is_kept: AtomicBool,
    waiting: Mutex<VecDeque<FeedLine>>,
}

impl CallFeed {
    /// Begins to keep lines: the session is a server.
    pub(crate) fn keep(&self) {
        self.is_kept.store(true, Ordering::Relaxed);
    }

    /// Tells whether lines are kept.
    pub(crate) fn is_kept(&self) -> bool {
        self.is_kept.load(Ordering::Relaxed)
    }

    /// Leaves a line to be written.
    pub(crate) fn note(&self, line: FeedLine) {
        let mut waiting = self.lock();
        if waiting.len() >= MAX_WAITING {
            waiting.pop_front();
        }
        waiting.push_back(line);
    }

    /// Writes the lines that wait, if a person watches. If that is not possible, they are left out.
    pub(crate) fn write_waiting(&self, environment: &Environment) {
        if self.lock().is_empty() {
            return;
        }
        let Some(folder) = environment.state_folder(FOLDER) else { return };
        if !folder.is_made() {
            return;
        }
        let lines = std::mem::take(&mut *self.lock());
        if let Err(error) = append(&folder, &lines) {
            tracing::debug!(%error, "the feed of calls cannot be written");
        }
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<FeedLine>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the kept lines of this project, the newest first. From the first time on, servers write
/// the feed.
pub(super) fn watch(context: &Context) -> io::Result<Vec<FeedLine>> {
    let Some(folder) = context.environment.state_folder(FOLDER) else { return Ok(Vec::new()) };
    if !folder.is_made() {
        folder.lock().map_err(io::Error::other)?;
    }
    let project = project_mark(context);
    let mut found = Vec::new();
    for segment in FEED.segments(&folder)?.into_iter().rev() {
        let bytes = FEED.read(&folder, segment)?;
        let lines = bytes.split(|byte| *byte == b'\n').rev();
        let lines = lines.filter_map(|line| serde_json::from_slice::<FeedLine>(line).ok());
        found.extend(lines.filter(|line| line.project == project));
    }
    Ok(found)
}

/// Returns what stands for this project in the feed.
pub(crate) fn project_mark(context: &Context) -> String {
    let folder = context.project_folder().and_then(|project| project.canonical_text());
    folder.map(|folder| Sha256::digest(folder.as_bytes()).to_string()).unwrap_or_default()
}

fn append(folder: &StateFolder, lines: &VecDeque<FeedLine>) -> io::Result<()> {
    let locked = folder.lock().map_err(io::Error::other)?;
    let mut end = FEED.open_end(&locked)?;
    for line in lines {
        end.append(&serde_json::to_string(line)?, Durability::Buffered)?;
    }
    while let Some((segment, _)) = end.excess_segment(MAX_SEGMENTS)? {
        end.remove_segment(segment)?;
    }
    Ok(())
}
