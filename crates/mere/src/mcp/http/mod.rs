//! MCP over streamable HTTP, for any number of clients.
//!
//! The SDK answers at `/mcp`. Before it, the front end decides which requests are admitted; after
//! it, every response passes the gate. Loopback needs no token; any other address does.

mod body;
mod frontend;
mod refusal;
mod response_gate;
mod session_owners;

use std::io;
use std::process::ExitCode;
use std::sync::Arc;

use mere_engine::Tokens;
use mere_http::{AllowedHosts, MissingHostName, Server};
use rmcp::ServerHandler;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use super::call_runner::CallRunner;
use crate::mcp::shutdown;
use crate::print::terminal;
use frontend::{AccessRules, HttpFrontend};

/// What is said when a server on all addresses has no name.
const MISSING_NAME: &str = "listening on all addresses requires `--allow-host NAME`, the name by \
                            which clients reach the server";

/// Listens, prints the URL, and serves until the process is told to stop.
pub(super) async fn bind_and_serve<H>(
    server: H,
    runner: &Arc<CallRunner>,
    address: &str,
    names: &[String],
) -> io::Result<ExitCode>
where
    H: ServerHandler + Clone,
{
    let listener = match TcpListener::bind(address).await {
        Ok(listener) => listener,
        Err(error) => {
            let words = format!("cannot listen on `{address}`: {error}");
            return Ok(terminal::print_failure(&words, terminal::listen_status(&error)));
        }
    };
    let address = listener.local_addr()?;
    if AllowedHosts::new(address, names).is_ok() {
        terminal::print_line(&format!("http://{address}/mcp"))?;
    }
    serve(server, runner, listener, names).await
}

/// Serves until the process is told to stop.
pub(super) async fn serve<H>(
    server: H,
    runner: &Arc<CallRunner>,
    listener: TcpListener,
    names: &[String],
) -> io::Result<ExitCode>
where
    H: ServerHandler + Clone,
{
    let usage = |words: String| Ok(terminal::print_failure(&words, terminal::USAGE));
    let tokens = match Tokens::open() {
        Ok(tokens) => tokens,
        Err(error) => return usage(error.to_string()),
    };
    let address = listener.local_addr()?;
    let hosts = match AllowedHosts::new(address, names) {
        Ok(hosts) => hosts,
        Err(MissingHostName) => return usage(MISSING_NAME.to_owned()),
    };
    if !hosts.is_loopback() && tokens.list().is_empty() {
        tracing::warn!("no client can connect: create a token with `mere mcp token create`");
    }
    let ending = CancellationToken::new();
    let access = AccessRules { hosts, tokens };
    let frontend = Arc::new(HttpFrontend::new(server, Arc::clone(runner), access, &ending));
    tracing::info!(%address, "serving MCP over HTTP");
    let server = Server::new(listener, move |request, connection| {
        let frontend = Arc::clone(&frontend);
        async move { frontend.answer(request, &connection).await }
    });
    let stopped = server.accept_until(mere_http::wait_for_signal()).await;
    shutdown::finish_calls(runner).await;
    ending.cancel();
    stopped.close().await;
    Ok(ExitCode::SUCCESS)
}
