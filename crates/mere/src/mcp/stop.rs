//! How a server stops: it takes nothing new, and gives what runs a little time.

use std::sync::Arc;
use std::time::Duration;

use super::edge::CallRunner;

/// How long calls may go on after the server was told to stop.
const STOP_TIMEOUT: Duration = Duration::from_secs(5);
/// How long the last answers may take to leave.
const FLUSH_TIME: Duration = Duration::from_millis(200);

/// Ends when the process gets the signal to end.
pub(super) async fn wait_for_signal() {
    let interrupted = tokio::signal::ctrl_c();
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminated) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = interrupted => {}
                _ = terminated.recv() => {}
            }
            return;
        }
    }
    let _ = interrupted.await;
}

/// Waits until every call is answered, or the time is over.
pub(super) async fn finish_calls(edge: &Arc<CallRunner>) {
    tracing::info!("stopping");
    let _ = tokio::time::timeout(STOP_TIMEOUT, edge.wait_until_idle()).await;
    tokio::time::sleep(FLUSH_TIME).await;
}
