//! How a server stops: it takes nothing new, and gives what runs a little time.

use std::sync::Arc;
use std::time::Duration;

use super::edge::Edge;

/// How long calls may go on after the server was told to stop.
const MAX_STOPPING: Duration = Duration::from_secs(5);
/// How long the last answers may take to leave.
const LEAVING: Duration = Duration::from_millis(200);

/// Ends when the process gets the signal to end.
pub(super) async fn told() {
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
pub(super) async fn finish(edge: &Arc<Edge>) {
    tracing::info!("stopping");
    let _ = tokio::time::timeout(MAX_STOPPING, edge.idle()).await;
    tokio::time::sleep(LEAVING).await;
}
