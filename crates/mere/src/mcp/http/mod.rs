//! MCP over streamable HTTP, for any number of clients.
//!
//! The SDK answers at `/mcp`; before it stands the front, which decides who comes in, and behind it
//! the exit, through which everything leaves. Loopback needs no token; any other address does.

mod body;
mod exit;
mod front;
mod owners;
mod pace;
mod refusal;

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

use super::edge::Edge;
use crate::render;
use front::Front;

/// How many connections are open at once; the others wait in the system's queue.
const MAX_CONNECTIONS: usize = 512;
/// How long a client may take to send the head of a request.
const MAX_HEAD_TIME: Duration = Duration::from_secs(30);
/// The most bytes of a request's head.
const MAX_HEAD_BYTES: usize = 64 * 1024;
/// How long calls may go on after the server was told to stop.
const MAX_STOPPING: Duration = Duration::from_secs(5);

/// Where the server listens, and who may reach it how.
pub(super) struct Site {
    /// The address it is bound to.
    pub(super) address: SocketAddr,
    /// Names by which clients may reach it, besides the address.
    pub(super) names: Vec<String>,
    /// The tokens of the user.
    pub(super) tokens: Tokens,
    /// Cancelled when the server is told to stop.
    pub(super) stop: CancellationToken,
}

/// Serves until the process is told to stop.
pub(super) async fn serve<H>(
    server: H,
    edge: &Arc<Edge>,
    address: &str,
    names: &[String],
) -> io::Result<ExitCode>
where
    H: ServerHandler + Clone,
{
    let tokens = match Tokens::open() {
        Ok(tokens) => tokens,
        Err(error) => return Ok(render::failure(&error.to_string(), render::BROKEN)),
    };
    let listener = match TcpListener::bind(address).await {
        Ok(listener) => listener,
        Err(error) => {
            return Ok(render::failure(&format!("cannot listen there: {error}"), render::USAGE));
        }
    };
    let address = listener.local_addr()?;
    let stop = CancellationToken::new();
    let site = Site { address, names: names.to_vec(), tokens, stop: stop.clone() };
    let front = Arc::new(Front::new(server, Arc::clone(edge), site));
    render::line(&format!("http://{address}/mcp"))?;
    tracing::info!(%address, "serving MCP over HTTP");
    accept(&listener, &front, &stop).await;
    Ok(ExitCode::SUCCESS)
}

/// Takes connections until the process is told to stop, then lets them finish.
async fn accept<H>(listener: &TcpListener, front: &Arc<Front<H>>, stop: &CancellationToken)
where
    H: ServerHandler + Clone,
{
    let graceful = GracefulShutdown::new();
    let places = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    let mut told = std::pin::pin!(told_to_stop());
    loop {
        let Ok(place) = Arc::clone(&places).acquire_owned().await else { break };
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = &mut told => break,
        };
        let Ok((stream, client)) = accepted else {
            // Out of file handles, say: wait a little instead of spinning.
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let connection = connection(stream, client, Arc::clone(front));
        let connection = graceful.watch(connection);
        tokio::spawn(async move {
            let _place = place;
            if let Err(error) = connection.await {
                tracing::debug!(%error, "a connection ended badly");
            }
        });
    }
    tracing::info!("stopping");
    stop.cancel();
    let _ = tokio::time::timeout(MAX_STOPPING, graceful.shutdown()).await;
}

fn connection<H>(
    stream: TcpStream,
    client: SocketAddr,
    front: Arc<Front<H>>,
) -> impl hyper_util::server::graceful::GracefulConnection<Error = hyper::Error> + Send
where
    H: ServerHandler + Clone,
{
    let _ = stream.set_nodelay(true);
    let answer = service_fn(move |request| {
        let front = Arc::clone(&front);
        async move { Ok::<_, Infallible>(front.answer(request, client).await) }
    });
    http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(MAX_HEAD_TIME)
        .max_buf_size(MAX_HEAD_BYTES)
        .serve_connection(TokioIo::new(stream), answer)
}

/// Ends when the process gets the signal to end.
async fn told_to_stop() {
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
