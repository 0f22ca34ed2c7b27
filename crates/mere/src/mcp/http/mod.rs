//! MCP over streamable HTTP, for any number of clients.
//!
//! The SDK answers at `/mcp`. Before it, the front end decides which requests are admitted; after
//! it, every response passes the gate. Loopback needs no token; any other address does.

mod allowed_hosts;
mod body;
mod frontend;
mod rate_limiter;
mod refusal;
mod response_gate;
mod session_owners;

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
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
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use super::call_runner::CallRunner;
use crate::mcp::shutdown;
use crate::print::terminal;
use allowed_hosts::AllowedHosts;
use frontend::{AccessRules, HttpFrontend};

/// How many connections are open at once; the others wait in the system's queue.
const MAX_CONNECTIONS: usize = 512;
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
    let places = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    let mut stop_signal = std::pin::pin!(shutdown::wait_for_signal());
    loop {
        let next = async {
            let place = Arc::clone(&places).acquire_owned().await.ok()?;
            Some((place, listener.accept().await))
        };
        let accepted = tokio::select! {
            accepted = next => accepted,
            () = &mut stop_signal => None,
        };
        let Some((place, accepted)) = accepted else { break };
        let Ok((stream, client)) = accepted else {
            // This happens, for example, when file handles run out: wait a little instead of
            // spinning.
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let connection = connection(stream, client, Arc::clone(frontend));
        let connection = graceful.watch(connection);
        tokio::spawn(async move {
            let _place = place;
            if let Err(error) = connection.await {
                tracing::debug!(%error, "a connection ended badly");
            }
        });
    }
    shutdown::finish_calls(runner).await;
    ending.cancel();
    let _ = tokio::time::timeout(MAX_CLOSING, graceful.shutdown()).await;
}

fn connection<H>(
    stream: TcpStream,
    client: SocketAddr,
    frontend: Arc<HttpFrontend<H>>,
) -> impl hyper_util::server::graceful::GracefulConnection<Error = hyper::Error> + Send
where
    H: ServerHandler + Clone,
{
    let _ = stream.set_nodelay(true);
    let answer = service_fn(move |request| {
        let frontend = Arc::clone(&frontend);
        async move { Ok::<_, Infallible>(frontend.answer(request, client).await) }
    });
    http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(MAX_HEAD_TIME)
        .max_buf_size(MAX_HEAD_BYTES)
        .serve_connection(TokioIo::new(stream), answer)
}
