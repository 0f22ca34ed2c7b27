//! How a server stops: it accepts nothing new, and gives running calls a little time.
//!
//! Both transports use it.

use std::sync::Arc;
use std::time::Duration;

use super::call_runner::CallRunner;

/// How long calls may go on after the server was told to stop.
const STOP_TIMEOUT: Duration = Duration::from_secs(5);
/// How long the last answers may take to be sent.
const FLUSH_TIME: Duration = Duration::from_millis(200);

/// Waits until every call is answered or the time is up.
pub(super) async fn finish_calls(runner: &Arc<CallRunner>) {
    tracing::info!("stopping");
    let _ = tokio::time::timeout(STOP_TIMEOUT, runner.wait_until_idle()).await;
    tokio::time::sleep(FLUSH_TIME).await;
}
