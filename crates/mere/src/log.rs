//! The log. It may name host paths: it is the operator's, and no agent may read it.
//!
//! `mere mcp` writes a JSON object a line, with the call's `trace_id` in its span; the other
//! commands write plain lines for the person at the terminal. `mere call` is run by agents too, in
//! shells that hand them standard error; it logs only when `--log` asks for it.

use std::io;
use std::sync::Mutex;

use mere_engine::{LogFile, Typed};
use tracing::Level;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::layer;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::registry;
use tracing_subscriber::util::SubscriberInitExt;

/// Starts plain lines on standard error.
pub(crate) fn start(level: Level) {
    let lines = layer().with_writer(io::stderr).with_ansi(false).with_target(false).without_time();
    registry().with(lines).with(ours(level)).init();
}

/// Starts JSON lines, on standard error or in a file.
pub(crate) fn start_json(level: Level, file: Option<&Typed>) -> io::Result<()> {
    let lines = layer().json().flatten_event(true).with_ansi(false);
    match file {
        Some(file) => {
            let file = Mutex::new(LogFile::open(file)?);
            registry().with(lines.with_writer(file)).with(ours(level)).init();
        }
        None => registry().with(lines.with_writer(io::stderr)).with(ours(level)).init(),
    }
    Ok(())
}

/// Our own words from this level up; of libraries only what went wrong, because at lower levels
/// they repeat what clients say.
fn ours(level: Level) -> Targets {
    Targets::new()
        .with_default(Level::ERROR)
        .with_target("mere", level)
        .with_target("mere_engine", level)
}
