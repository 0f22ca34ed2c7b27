//! Subscriptions to resources, in both versions of the protocol.

use std::time::{Duration, SystemTime};

use mere_core::request::ResourceUri;
use rmcp::ErrorData;

use super::ClientRequestContext;
use super::resources::parse_uri;
use crate::mcp::call_runner::CallRunner;
use crate::mcp::resource_watches::{TooManyWatches, WatchRequest, WatchingClient};
use crate::mcp::subscribers::session_id;

/// So much later than now that nothing on disk is newer.
const NEVER: Duration = Duration::from_hours(24);

/// Parses a URI that a client wants to be told about. It must be spelt as lists spell it, because
/// it is repeated in every notification.
pub(in super::super) fn parse_canonical_uri(text: &str) -> Result<ResourceUri, ErrorData> {
    let uri = parse_uri(text)?;
    if uri.to_string() == text {
        return Ok(uri);
    }
    Err(ErrorData::invalid_params("spell the URI as resources/list does, without escapes", None))
}

/// Watches a resource for a client of 2025-11-25.
pub(in super::super) fn subscribe(
    request: ClientRequestContext<'_>,
    uri: &str,
) -> Result<(), ErrorData> {
    let uri = parse_canonical_uri(uri)?;
    let ClientRequestContext { runner, context } = request;
    let client = WatchingClient::Peer(session_id(&context.extensions), context.peer.clone());
    let agent = runner.caller(context).agent;
    // What changes after the answer is seen, because the resource is looked at before it.
    let request = WatchRequest { client, agent, since: SystemTime::now() + NEVER };
    let watched = runner.subscribers.watches.add(&runner.session, request, uri);
    watched.map_err(|TooManyWatches| {
        ErrorData::invalid_params("no more resources can be watched; unsubscribe from some", None)
    })
}

/// Stops watching a resource for a client of 2025-11-25.
pub(in super::super) fn unsubscribe(
    request: ClientRequestContext<'_>,
    uri: &str,
) -> Result<(), ErrorData> {
    let uri = parse_canonical_uri(uri)?;
    let session = session_id(&request.context.extensions);
    request.runner.subscribers.watches.remove(&session, &uri);
    Ok(())
}

/// Watches the resources of a subscription of 2026-07-28.
pub(in super::super) fn watch_all(runner: &CallRunner, request: &WatchRequest, uris: &[String]) {
    for uri in uris.iter().filter_map(|uri| parse_canonical_uri(uri).ok()) {
        if runner.subscribers.watches.add(&runner.session, request.clone(), uri).is_err() {
            tracing::warn!("a client subscribed to more resources than are watched");
            return;
        }
    }
}
