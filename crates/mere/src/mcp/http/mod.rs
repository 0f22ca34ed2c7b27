//! MCP over streamable HTTP, for any number of clients.
//!
//! The SDK answers at `/mcp`. Before it, the front end decides which requests are admitted; after
//! it, every response passes the gate. Loopback needs no token; any other address does.

mod allowed_hosts;
mod body;
mod connections;
mod frontend;
mod rate_limiter;
mod refusal;
mod response_gate;
mod session_owners;

use std::convert::Infallible;
use std::io;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use mere_engine::Tokens;
use rmcp::ServerHandler;
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;

use super::call_runner::CallRunner;
use crate::mcp::shutdown;
use crate::print::terminal;
use allowed_hosts::AllowedHosts;
use connections::{Connection, Connections};
use frontend::{AccessRules, HttpFrontend};

/// How long a client may take to send the head of a request.
const MAX_HEAD_TIME: Duration = Duration::from_secs(30);
/// The largest head of a request, in bytes.
const MAX_HEAD_BYTES: usize = 64 * 1024;
/// How long connections may take to close once every call is answered.
const MAX_CLOSING: Duration = Duration::from_secs(1);

/// Serves until the process is told to stop.
pub(super) async fn serve<H>(
    server: H,
    runner: &Arc<CallRunner>,
    address: &str,
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
    let listener = match TcpListener::bind(address).await {
        Ok(listener) => listener,
        Err(error) => return usage(format!("cannot listen on `{address}`: {error}")),
    };
    let address = listener.local_addr()?;
    let hosts = match AllowedHosts::new(address, names) {
        Ok(hosts) => hosts,
        Err(error) => return usage(error.to_string()),
    };
    if !hosts.is_loopback() && tokens.list().is_empty() {
        tracing::warn!("no client can connect: create a token with `mere mcp token create`");
    }
    let ending = CancellationToken::new();
    let access = AccessRules { hosts, tokens };
    let frontend = Arc::new(HttpFrontend::new(server, Arc::clone(runner), access, &ending));
    terminal::print_line(&format!("http://{address}/mcp"))?;
    tracing::info!(%address, "serving MCP over HTTP");
    accept(&listener, &frontend, runner, &ending).await;
    Ok(ExitCode::SUCCESS)
}

/// Accepts connections until the process is told to stop, then lets them finish.
async fn accept<H>(
    listener: &TcpListener,
    frontend: &Arc<HttpFrontend<H>>,
    runner: &Arc<CallRunner>,
    ending: &CancellationToken,
) where
    H: ServerHandler + Clone,
{
    let graceful = GracefulShutdown::new();
    let connections = Arc::new(Connections::default());
    let mut stop_signal = std::pin::pin!(shutdown::wait_for_signal());
    loop {
        let next = async {
            let (stream, address) = listener.accept().await?;
            io::Result::Ok((stream, connections.admit(address).await))
        };
        let accepted = tokio::select! {
            accepted = next => accepted,
            () = &mut stop_signal => break,
        };
        let Ok((stream, connection)) = accepted else {
            // This happens, for example, when file handles run out: wait a little instead of
            // spinning.
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let connection = Arc::new(connection);
        let closed = connection.closed();
        let served = graceful.watch(serve_connection(stream, connection, Arc::clone(frontend)));
        tokio::spawn(async move {
            tokio::select! {
                ended = served => {
                    if let Err(error) = ended {
                        tracing::debug!(%error, "a connection ended badly");
                    }
                }
                () = closed.cancelled() => {
                    tracing::debug!("a connection that waited was closed for another");
                }
            }
        });
    }
    shutdown::finish_calls(runner).await;
    ending.cancel();
    let _ = tokio::time::timeout(MAX_CLOSING, graceful.shutdown()).await;
}

fn serve_connection<H>(
    stream: TcpStream,
    connection: Arc<Connection>,
    frontend: Arc<HttpFrontend<H>>,
) -> impl hyper_util::server::graceful::GracefulConnection<Error = hyper::Error> + Send
where
    H: ServerHandler + Clone,
{
    let _ = stream.set_nodelay(true);
    let answer = service_fn(move |request| {
        let (frontend, connection) = (Arc::clone(&frontend), Arc::clone(&connection));
        async move { Ok::<_, Infallible>(frontend.answer(request, &connection).await) }
    });
    http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(MAX_HEAD_TIME)
        .max_buf_size(MAX_HEAD_BYTES)
        .serve_connection(TokioIo::new(stream), answer)
}
