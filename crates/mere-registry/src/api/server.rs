//! A registry that listens.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use mere_http::{AllowedHosts, MissingHostName, Rate, RateLimiter, Server, wait_for_signal};
use tokio::net::TcpListener;

use super::dispatch::Backend;
use super::frontend::ApiFrontend;
use super::metrics::Metrics;
use crate::registry::Registry;
use crate::witnesses::{WitnessAddress, WitnessSet};

/// How long the last requests may take after the server was told to stop.
const STOP_TIMEOUT: Duration = Duration::from_secs(10);
/// How often witnesses are asked again that did not answer.
const WITNESS_INTERVAL: Duration = Duration::from_secs(30);

/// How a registry is served.
#[derive(Clone, Debug)]
pub struct ServeOptions {
    /// The address to listen on.
    pub listen: String,
    /// Names by which clients reach the server, besides its address.
    pub hosts: Vec<String>,
    /// How many requests one client may send in a second.
    pub rate: u32,
    /// The witnesses that co-sign checkpoints.
    pub witnesses: Vec<WitnessAddress>,
}

/// The reason why a server cannot be started.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The address cannot be used.
    #[error("cannot listen on `{0}`: {1}")]
    Listen(String, io::Error),
    /// The server listens on all addresses and has no name.
    #[error(
        "listening on all addresses requires `--host NAME`, the name by which clients reach the \
         server"
    )]
    NoHost,
}

/// A server that listens and does not answer yet.
pub struct RegistryServer {
    listener: TcpListener,
    frontend: Arc<ApiFrontend>,
    address: SocketAddr,
}

impl RegistryServer {
    /// Begins to listen.
    pub async fn bind(registry: Registry, options: &ServeOptions) -> Result<Self, ServeError> {
        let failed = |error| ServeError::Listen(options.listen.clone(), error);
        let listener = TcpListener::bind(&options.listen).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let hosts = AllowedHosts::new(address, &options.hosts);
        let hosts = hosts.map_err(|MissingHostName| ServeError::NoHost)?;
        let per_second = f64::from(options.rate.max(1));
        let rate = Rate { per_second, burst: 2.0 * per_second };
        let witnesses = WitnessSet::new(&options.witnesses);
        let backend = Backend { registry, metrics: Metrics::default(), witnesses };
        let frontend =
            ApiFrontend { backend: Arc::new(backend), hosts, rate_limiter: RateLimiter::new(rate) };
        Ok(Self { listener, frontend: Arc::new(frontend), address })
    }

    /// Returns the address that it listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Answers until the process is told to stop, and then what is still open.
    pub async fn run(self) {
        let Self { listener, frontend, address } = self;
        tracing::info!(%address, "serving a registry");
        tokio::spawn(ask_witnesses(Arc::clone(&frontend.backend)));
        let server = Server::new(listener, move |request, connection| {
            let frontend = Arc::clone(&frontend);
            async move { frontend.answer(request, &connection).await }
        });
        let stopped = server.accept_until(wait_for_signal()).await;
        tracing::info!("stopping");
        stopped.close_within(STOP_TIMEOUT).await;
    }
}

/// Asks witnesses that have not co-signed the newest checkpoint, from time to time.
async fn ask_witnesses(backend: Arc<Backend>) {
    while !backend.witnesses.is_empty() {
        let backend = Arc::clone(&backend);
        let asked =
            tokio::task::spawn_blocking(move || backend.witnesses.cosign_newest(&backend.registry));
        if asked.await.is_err() {
            return;
        }
        tokio::time::sleep(WITNESS_INTERVAL).await;
    }
}
