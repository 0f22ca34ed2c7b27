//! One request and its response, to addresses that were permitted.
//!
//! It runs on a thread of its own, because it can block; whoever waits for it can end it at any
//! time. No redirect is followed, no name is resolved, no proxy of the environment is used, nothing
//! is decompressed, and no connection is kept.

use std::io::{self, Read};
use std::net::SocketAddr;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use mere_core::chain::HttpMethod;
use mere_core::network::{HttpUrl, PermittedAddresses};
use ureq::config::Config;
use ureq::http::{Request, Response, Uri};
use ureq::tls::{RootCerts, TlsConfig};
use ureq::unversioned::resolver::{ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::{Connector, NextTimeout, RustlsConnector, TcpConnector};
use ureq::{Agent, Body, Error};

use super::http_client::{HttpError, classify, is_certificate_error};

/// How many addresses are tried.
const MAX_TRIED: usize = 16;
/// How many bytes the header of a response may have.
const MAX_HEAD: usize = 64 * 1024;
/// How long one attempt to connect may take.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(15);
/// How many parts of a response may wait to be taken, and how large they are.
const WAITING_PARTS: usize = 8;
const PART_SIZE: usize = 32 * 1024;
/// How long to wait at a time.
const WAIT_INTERVAL: Duration = Duration::from_millis(20);

/// What is sent.
pub(super) struct Exchange {
    pub(super) method: HttpMethod,
    pub(super) url: HttpUrl,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Option<Vec<u8>>,
}

/// The beginning of a response.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ResponseHead {
    pub(super) status: u16,
    pub(super) location: Option<String>,
    /// How many seconds the server asks to wait.
    pub(super) retry_after: Option<u64>,
    /// The type of the body.
    pub(super) media_type: Option<String>,
    /// The session that an MCP server has begun.
    pub(super) session: Option<String>,
}

/// A piece of a response.
pub(super) enum ResponsePart {
    Head(ResponseHead),
    Body(Vec<u8>),
    End,
}

/// The reasons why a response does not go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ExchangeError {
    /// The request failed.
    Http(HttpError),
    /// Nobody waits for it any more.
    Stopped,
}

/// An exchange that is under way. It ends when this is dropped.
pub(super) struct RunningExchange {
    parts: Receiver<Result<ResponsePart, HttpError>>,
    agent: Agent,
    end_by: Instant,
}

impl Exchange {
    /// Starts to send the request to one of the addresses.
    pub(super) fn start(
        self,
        addresses: &PermittedAddresses,
        end_by: Instant,
    ) -> io::Result<RunningExchange> {
        let left = end_by.saturating_duration_since(Instant::now());
        let resolver = FixedAddresses(addresses.as_slice().to_vec());
        let connector = ().chain(TcpConnector::default()).chain(RustlsConnector::default());
        let agent = Agent::with_parts(build_config(left), connector, resolver);
        let (sender, parts) = sync_channel(WAITING_PARTS);
        let own = agent.clone();
        thread::Builder::new().spawn(move || {
            let ended = self.send(&own, &sender).unwrap_or_else(Err);
            let _ = sender.send(ended.map(|()| ResponsePart::End));
        })?;
        Ok(RunningExchange { parts, agent, end_by })
    }

    /// Sends the request, and passes the response on. The outer error is that of the request, the
    /// inner one that of the response.
    fn send(
        self,
        agent: &Agent,
        parts: &SyncSender<Result<ResponsePart, HttpError>>,
    ) -> Result<Result<(), HttpError>, HttpError> {
        let mut request = Request::builder().method(self.method.as_str()).uri(self.url.to_string());
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        let response = match self.body {
            Some(body) => request.body(body).map(|request| agent.run(request)),
            None => request.body(()).map(|request| agent.run(request)),
        };
        let response = response.map_err(|_| HttpError::InvalidResponse)?;
        let response = response.map_err(|error| match error {
            error if is_certificate_error(&error) => HttpError::Untrusted,
            error => classify(&error),
        })?;
        if parts.send(Ok(ResponsePart::Head(read_head(&response)))).is_err() {
            return Ok(Ok(()));
        }
        let mut body = response.into_body().into_with_config().limit(u64::MAX).reader();
        loop {
            let mut part = vec![0; PART_SIZE];
            match body.read(&mut part) {
                Ok(0) => return Ok(Ok(())),
                Ok(size) => part.truncate(size),
                Err(error) => return Ok(Err(classify(&Error::from(error)))),
            }
            if parts.send(Ok(ResponsePart::Body(part))).is_err() {
                return Ok(Ok(()));
            }
        }
    }
}

fn build_config(timeout: Duration) -> Config {
    // The system's trust store is used, so that a company's own authorities count too.
    let tls = TlsConfig::builder().root_certs(RootCerts::PlatformVerifier).build();
    Agent::config_builder()
        .tls_config(tls)
        .proxy(None)
        .timeout_global(Some(timeout))
        .timeout_connect(Some(timeout.min(CONNECT_TIMEOUT)))
        .http_status_as_error(false)
        .max_redirects(0)
        .max_redirects_will_error(false)
        .max_response_header_size(MAX_HEAD)
        .max_idle_connections(0)
        .user_agent(concat!("mere/", env!("CARGO_PKG_VERSION")))
        .build()
}

fn read_head(response: &Response<Body>) -> ResponseHead {
    let header = |name| response.headers().get(name).and_then(|value| value.to_str().ok());
    ResponseHead {
        status: response.status().as_u16(),
        location: header("location").map(str::to_owned),
        retry_after: header("retry-after").and_then(|text| text.trim().parse().ok()),
        media_type: header("content-type").map(str::to_owned),
        session: header("mcp-session-id").map(str::to_owned),
    }
}

impl RunningExchange {
    /// Waits for the next piece of the response.
    pub(super) fn next_part(
        &self,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<ResponsePart, ExchangeError> {
        loop {
            match self.parts.recv_timeout(WAIT_INTERVAL) {
                Ok(part) => return part.map_err(ExchangeError::Http),
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(ExchangeError::Http(HttpError::Unreachable));
                }
                Err(RecvTimeoutError::Timeout) if is_stopped() => {
                    return Err(ExchangeError::Stopped);
                }
                Err(RecvTimeoutError::Timeout) if Instant::now() >= self.end_by => {
                    return Err(ExchangeError::Http(HttpError::Timeout));
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }
}

impl Drop for RunningExchange {
    fn drop(&mut self) {
        self.agent.clone().shutdown();
    }
}

/// A resolver that knows nothing but the addresses that were permitted.
#[derive(Debug)]
struct FixedAddresses(Vec<SocketAddr>);

impl Resolver for FixedAddresses {
    fn resolve(&self, _: &Uri, _: &Config, _: NextTimeout) -> Result<ResolvedSocketAddrs, Error> {
        let mut addresses = self.empty();
        self.0.iter().take(MAX_TRIED).for_each(|address| addresses.push(*address));
        Ok(addresses)
    }
}
