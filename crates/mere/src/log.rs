//! The log. It belongs to the operator and may name host paths, so no agent may read it.
//!
//! `mere mcp` writes one JSON object per line, with the call's `trace_id` in its span; the other
//! commands write plain lines for the person at the terminal. Agents run `mere call` too, in shells
//! that hand them standard error, so it logs only when `--log` asks for it.
//!
//! A server must not stop because nobody reads its log: a separate thread writes the lines, and
//! lines are dropped when it cannot keep up.

use std::io::{self, Write};
use std::sync::OnceLock;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::Duration;

use mere_engine::{LogFile, TypedPath};
use tracing::Level;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::layer;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::registry;
use tracing_subscriber::util::SubscriberInitExt;

/// How many lines may wait to be written.
const MAX_QUEUED: usize = 4_096;
/// How long the end of the process waits for them.
const FLUSH_TIMEOUT: Duration = Duration::from_millis(200);

/// How long lines may accumulate before they are written.
const BATCH_INTERVAL: Duration = Duration::from_millis(10);

static QUEUE: OnceLock<SyncSender<LogItem>> = OnceLock::new();

/// A message to the writing thread.
enum LogItem {
    Line(Vec<u8>),
    /// Asks for everything before it to be written; the sender is dropped once that is done.
    Flush(SyncSender<()>),
}

/// Starts logging plain lines to standard error.
pub(crate) fn start_plain(level: Level) {
    let lines = layer().with_writer(io::stderr).with_ansi(false).with_target(false).without_time();
    registry().with(lines).with(filter_targets(level)).init();
}

/// Starts logging JSON lines, to standard error or to a file.
pub(crate) fn start_json(level: Level, file: Option<&TypedPath>) -> io::Result<()> {
    let sink: Box<dyn Write + Send> = match file {
        Some(file) => Box::new(LogFile::open(file)?),
        None => Box::new(io::stderr()),
    };
    let (sender, receiver) = sync_channel(MAX_QUEUED);
    std::thread::Builder::new()
        .name("log".to_owned())
        .spawn(move || write_queued(&receiver, sink))?;
    let _ = QUEUE.set(sender.clone());
    let lines = layer()
        .json()
        .flatten_event(true)
        .with_span_list(false)
        .with_ansi(false)
        .with_writer(move || QueueWriter(sender.clone()));
    registry().with(lines).with(filter_targets(level)).init();
    Ok(())
}

/// Gives the waiting lines a moment to be written.
pub(crate) fn finish() {
    if let Some(waiting) = QUEUE.get() {
        let (sender, receiver) = sync_channel(1);
        if waiting.try_send(LogItem::Flush(sender)).is_ok() {
            let _ = receiver.recv_timeout(FLUSH_TIMEOUT);
        }
    }
}

/// A writer that passes lines to the writing thread, or drops them if the queue is full.
struct QueueWriter(SyncSender<LogItem>);

impl Write for QueueWriter {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let _ = self.0.try_send(LogItem::Line(line.to_vec()));
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn write_queued(items: &Receiver<LogItem>, mut sink: Box<dyn Write + Send>) {
    while let Ok(first) = items.recv() {
        for item in std::iter::once(first).chain(items.try_iter()) {
            match item {
                LogItem::Line(line) => {
                    let _ = sink.write_all(&line);
                }
                LogItem::Flush(done) => {
                    let _ = sink.flush();
                    drop(done);
                }
            }
        }
        // While this thread sleeps, no call has to wake it: a busy server logs in batches.
        std::thread::sleep(BATCH_INTERVAL);
    }
}

/// Builds a filter that passes our own events from this level up. Libraries log errors only,
/// because at lower levels they repeat what clients send.
fn filter_targets(level: Level) -> Targets {
    Targets::new()
        .with_default(Level::ERROR)
        .with_target("mere", level)
        .with_target("mere_engine", level)
        .with_target("mere_http", level)
        .with_target("mere_registry", level)
}
