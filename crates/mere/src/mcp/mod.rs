//! `mere mcp`: serves the engine to agents over the Model Context Protocol.
//!
//! The SDK speaks the protocol in both its versions. The transports are ours, so that every byte
//! that leaves has passed the gate, whoever produced it.

mod call_runner;
mod call_slots;
mod client_turn;
mod elicitation;
#[cfg(feature = "conformance-fixtures")]
mod fixtures;
mod http;
mod message;
mod offers;
mod open_states;
mod outgoing;
mod queue;
mod resource_watches;
mod server;
mod shutdown;
mod stdio;
mod subscribers;
mod token;
mod translate;

use std::io;
use std::process::ExitCode;
use std::sync::{Arc, Weak};
use std::thread;
use std::time::Duration;

use mere_engine::{IndexVoucher, SeenChanges, Session, SessionState};
use rmcp::ServerHandler;
use rmcp::service::ServerInitializeError;
use tokio::net::TcpListener;

use crate::arguments::{LocationArguments, McpArguments, McpCommand};
use crate::print::terminal;
use call_runner::CallRunner;
use call_slots::MAX_CALLS;
#[cfg(feature = "conformance-fixtures")]
use fixtures::FixtureServer;
use server::{ListedTools, ToolServer};
use stdio::StdioConnection;
use subscribers::ListChange;

/// How often the configuration is checked between calls, so that clients are notified of a change.
const POLL_INTERVAL: Duration = Duration::from_millis(500);

/// Runs the command.
pub(crate) fn run(place: LocationArguments, mcp: &McpArguments) -> io::Result<ExitCode> {
    if let Some(McpCommand::Token(token)) = &mcp.command {
        return token::run(token);
    }
    let memory = if mcp.http.is_some() { SessionState::Stateless } else { SessionState::Kept };
    let session = match Session::open(place.session_options(&mcp.session, memory)) {
        Ok(session) => Arc::new(session),
        Err(error) => return Ok(terminal::print_failure(&error.to_string(), terminal::USAGE)),
    };
    session.watch_for_changes();
    session.create_configured_categories();
    let runner = Arc::new(CallRunner::new(session));
    #[cfg(feature = "conformance-fixtures")]
    if mcp.conformance_fixtures {
        let fixtures = FixtureServer::new(Arc::clone(&runner));
        return serve(fixtures, &runner, mcp);
    }
    let toolsets = ListedTools::from(mcp.toolsets.as_deref());
    serve(ToolServer { runner: Arc::clone(&runner), toolsets }, &runner, mcp)
}

/// Serves the tools that are listed by default at an address of this machine, until the process is
/// told to stop.
pub(crate) async fn serve_loopback(
    session: Arc<Session>,
    listener: TcpListener,
) -> io::Result<ExitCode> {
    session.watch_for_changes();
    session.create_configured_categories();
    let runner = Arc::new(CallRunner::new(session));
    start_upkeep(&runner);
    let toolsets = ListedTools::from(None);
    let server = ToolServer { runner: Arc::clone(&runner), toolsets };
    http::serve(server, &runner, listener, &[]).await
}

/// Serves over HTTP, or over standard input and output.
fn serve<H>(server: H, runner: &Arc<CallRunner>, mcp: &McpArguments) -> io::Result<ExitCode>
where
    H: ServerHandler + Clone,
{
    // Over stdio one thread takes the requests in order, and the calls run beside it.
    let mut runtime = match &mcp.http {
        Some(_) => tokio::runtime::Builder::new_multi_thread(),
        None => tokio::runtime::Builder::new_current_thread(),
    };
    let runtime = runtime.max_blocking_threads(MAX_CALLS + 4).enable_all().build()?;
    let ended = runtime.block_on(async {
        start_upkeep(runner);
        if let Some(address) = &mcp.http {
            return http::bind_and_serve(server, runner, address, &mcp.allow_host).await;
        }
        terminal::print_waiting("mere: waiting for an MCP client on standard input");
        // Serving continues while the last calls finish.
        let stop_and_finish = async {
            mere_http::wait_for_signal().await;
            shutdown::finish_calls(runner).await;
        };
        tokio::select! {
            () = serve_stdio(server, runner) => {}
            () = stop_and_finish => {}
        }
        Ok(ExitCode::SUCCESS)
    });
    // A reader that is blocked on standard input must not keep the process alive.
    runtime.shutdown_background();
    runner.session.finish();
    ended
}

/// Serves until standard input ends. A failed handshake is answered. A handshake that follows
/// requests without one starts a new serving.
async fn serve_stdio<H: ServerHandler + Clone>(server: H, runner: &Arc<CallRunner>) {
    let lines = StdioConnection::open(Arc::clone(runner));
    loop {
        match rmcp::serve_server(server.clone(), lines.transport()).await {
            Ok(running) => {
                if let Err(error) = running.waiting().await {
                    tracing::error!(%error, "the MCP server stopped");
                }
                if !lines.take_restart().await {
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

/// Starts everything that a server does beside its calls.
fn start_upkeep(runner: &Arc<CallRunner>) {
    tokio::spawn(watch_changes(Arc::clone(runner)));
    tokio::spawn(embed_items(Arc::clone(runner)));
    let session = Arc::downgrade(&runner.session);
    let started = thread::Builder::new().name("vouch".to_owned()).spawn(move || vouch(&session));
    if let Err(error) = started {
        tracing::warn!(%error, "other processes have to compare every file with the search index");
    }
}

/// Vouches for the search index to other processes of the user, as long as the session lasts.
fn vouch(session: &Weak<Session>) {
    let mut voucher = IndexVoucher::default();
    while let Some(session) = session.upgrade() {
        voucher.run_round(&session);
    }
}

/// Notifies clients when the configuration, items or resources that they watch have changed.
async fn watch_changes(runner: Arc<CallRunner>) {
    let mut seen = SeenChanges::default();
    loop {
        tokio::time::sleep(POLL_INTERVAL).await;
        let looking = Arc::clone(&runner);
        let looked = tokio::task::spawn_blocking(move || {
            let session = &looking.session;
            let changes = session.next_changes(&mut seen);
            if changes.config {
                session.create_configured_categories();
            }
            (changes, seen, looking.subscribers.watches.find_changed(session))
        });
        let Ok((changes, now, changed)) = looked.await else { return };
        seen = now;
        if changes.config {
            runner.subscribers.notify(ListChange::Tools);
        }
        if changes.config || changes.items {
            runner.subscribers.notify(ListChange::Prompts);
            runner.subscribers.notify(ListChange::Resources);
        }
        for (client, uri) in changed {
            resource_watches::notify_updated(client, uri);
        }
    }
}

/// Embeds items, a few at a time, because a slow model or network must not keep anybody waiting.
async fn embed_items(runner: Arc<CallRunner>) {
    loop {
        tokio::time::sleep(POLL_INTERVAL).await;
        let session = Arc::clone(&runner.session);
        if tokio::task::spawn_blocking(move || session.embed_some_items()).await.is_err() {
            return;
        }
    }
}
