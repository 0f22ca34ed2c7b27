//! The log. It may name host paths: it is the operator's, and no agent may read it.
//!
//! `mere call` is run by agents too, in shells that hand them standard error; it logs only when
//! `--log` asks for it.

use tracing::Level;

/// Starts logging on standard error, from this level up.
pub(crate) fn start(level: Level) {
    tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .with_max_level(level)
        .with_ansi(false)
        .without_time()
        .init();
}
