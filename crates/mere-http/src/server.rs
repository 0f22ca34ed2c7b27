//! Accepting connections until the server is told to stop, and letting the last ones finish.

use std::convert::Infallible;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use http::{Request, Response};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::{GracefulConnection, GracefulShutdown};
use tokio::net::{TcpListener, TcpStream};

use crate::Body;
use crate::connections::{Connection, Connections};

/// How long a client may take to send the head of a request.
const MAX_HEAD_TIME: Duration = Duration::from_secs(30);
/// The largest head of a request, in bytes.
const MAX_HEAD_BYTES: usize = 64 * 1024;
/// How long connections may take to close once every call is answered.
const MAX_CLOSING: Duration = Duration::from_secs(1);

/// A server that answers requests with a function.
pub struct Server<A> {
    listener: TcpListener,
    answer: Arc<A>,
}

/// A server that accepts no more connections. Those that are open are still served.
pub struct StoppedServer(GracefulShutdown);

impl<A, F> Server<A>
where
    A: Fn(Request<Incoming>, Arc<Connection>) -> F + Send + Sync + 'static,
    F: Future<Output = Response<Body>> + Send + 'static,
{
    /// Creates a server that answers what arrives at the listener.
    pub fn new(listener: TcpListener, answer: A) -> Self {
        Self { listener, answer: Arc::new(answer) }
    }

    /// Accepts connections until `stop` is ready.
    pub async fn accept_until(self, stop: impl Future<Output = ()>) -> StoppedServer {
        let graceful = GracefulShutdown::new();
        let connections = Arc::new(Connections::default());
        let mut stop = std::pin::pin!(stop);
        loop {
            let next = async {
                let (stream, address) = self.listener.accept().await?;
                io::Result::Ok((stream, connections.admit(address).await))
            };
            let accepted = tokio::select! {
                accepted = next => accepted,
                () = &mut stop => return StoppedServer(graceful),
            };
            let Ok((stream, connection)) = accepted else {
                // This happens, for example, when file handles run out: wait a little instead of
                // spinning.
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            };
            self.spawn(stream, Arc::new(connection), &graceful);
        }
    }

    /// Serves one connection beside the others.
    fn spawn(&self, stream: TcpStream, connection: Arc<Connection>, graceful: &GracefulShutdown) {
        let closed = connection.closed();
        let answer = Arc::clone(&self.answer);
        let served = graceful.watch(serve_connection(stream, connection, answer));
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
}

impl StoppedServer {
    /// Closes the connections, and gives each a moment to send what it has.
    pub async fn close(self) {
        let _ = tokio::time::timeout(MAX_CLOSING, self.0.shutdown()).await;
    }

    /// Closes the connections once each has answered its request, or after this time.
    pub async fn close_within(self, time: Duration) {
        let _ = tokio::time::timeout(time, self.0.shutdown()).await;
    }
}

fn serve_connection<A, F>(
    stream: TcpStream,
    connection: Arc<Connection>,
    answer: Arc<A>,
) -> impl GracefulConnection<Error = hyper::Error> + Send
where
    A: Fn(Request<Incoming>, Arc<Connection>) -> F + Send + Sync + 'static,
    F: Future<Output = Response<Body>> + Send + 'static,
{
    let _ = stream.set_nodelay(true);
    let answer = service_fn(move |request| {
        let response = answer(request, Arc::clone(&connection));
        async move { Ok::<_, Infallible>(response.await) }
    });
    http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(MAX_HEAD_TIME)
        .max_buf_size(MAX_HEAD_BYTES)
        .serve_connection(TokioIo::new(stream), answer)
}
