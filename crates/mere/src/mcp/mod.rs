//! `mere mcp`: the engine served to agents over the Model Context Protocol.
//!
//! The SDK speaks the protocol; a transport of our own reads and writes the lines, so that every
//! byte that leaves has passed the gate, whoever made it.

mod in_flight;
mod server;
mod stdio;
mod translate;

use std::process::ExitCode;
use std::sync::Arc;

use mere_engine::{Memory, Session};
use rmcp::service::ServerInitializeError;

use crate::arguments::{McpArguments, PlaceArguments};
use crate::render;
use server::Server;
use stdio::Lines;

/// How many calls run at once; the others wait.
const MAX_CALLS: usize = 8;

/// Runs the command.
pub(crate) fn run(place: PlaceArguments, mcp: &McpArguments) -> ExitCode {
    let session = match Session::open(place.opening(&mcp.session, Memory::Session)) {
        Ok(session) => Arc::new(session),
        Err(error) => return render::failure(&error.to_string(), render::USAGE),
    };
    render::waiting("mere: waiting for an MCP client on standard input");
    // One thread takes the requests in the order they came; the calls run beside it.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .max_blocking_threads(MAX_CALLS + 4)
        .enable_all()
        .build();
    match runtime {
        Ok(runtime) => {
            runtime.block_on(serve(session));
            // A reader blocked on standard input must not keep the process.
            runtime.shutdown_background();
            ExitCode::SUCCESS
        }
        Err(error) => render::failure(&format!("no runtime: {error}"), render::BROKEN),
    }
}

/// Serves until standard input ends. A handshake that goes wrong is answered, and one that comes
/// after requests without any begins a serving of its own.
async fn serve(session: Arc<Session>) {
    let server = Server::new(Arc::clone(&session), MAX_CALLS);
    let lines = Lines::open(session, server.seal().clone());
    loop {
        match rmcp::serve_server(server.clone(), lines.transport()).await {
            Ok(running) => {
                if let Err(error) = running.waiting().await {
                    tracing::error!(%error, "the MCP server stopped");
                }
                if !lines.begins_anew().await {
                    return;
                }
            }
            Err(
                ServerInitializeError::ConnectionClosed(_)
                | ServerInitializeError::TransportError { .. }
                | ServerInitializeError::Cancelled,
            ) => return,
            Err(error) => tracing::warn!(%error, "a handshake failed"),
        }
    }
}
