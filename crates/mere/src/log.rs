//! The log, on standard error. It may name host paths: it is the operator's, no agent reads it.

use tracing::Level;

/// Starts logging warnings and errors.
pub(crate) fn start() {
    tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .with_max_level(Level::WARN)
        .with_ansi(false)
        .without_time()
        .init();
}
