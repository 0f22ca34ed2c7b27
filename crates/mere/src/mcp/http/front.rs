//! Who comes in over HTTP: path, token, pace, body, session; then the SDK, then the exit.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use http::header::AUTHORIZATION;
use http::{HeaderMap, Method, Request, Response, StatusCode};
use http_body_util::Full;
use hyper::body::Incoming;
use mere_core::name::AgentName;
use rmcp::ServerHandler;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::sync::Semaphore;

use super::owners::Owners;
use super::pace::Pace;
use super::refusal::{Body, Refusal};
use super::{Site, body, exit};
use crate::mcp::edge::Edge;

/// How many requests are read and handed over at once; the others wait.
const MAX_REQUESTS: usize = 64;
const SESSION: &str = "mcp-session-id";
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "::1"];

/// The front of one server.
pub(super) struct Front<H> {
    service: StreamableHttpService<H, LocalSessionManager>,
    sessions: Arc<LocalSessionManager>,
    owners: Owners,
    pace: Pace<Client>,
    places: Semaphore,
    edge: Arc<Edge>,
    site: Site,
}

/// Whose pace it is.
#[derive(PartialEq, Eq, Hash)]
enum Client {
    Agent(String),
    Address(IpAddr),
}

impl<H: ServerHandler + Clone> Front<H> {
    pub(super) fn new(server: H, edge: Arc<Edge>, site: Site) -> Self {
        let sessions = Arc::new(LocalSessionManager::default());
        let config = config(&site);
        let service =
            StreamableHttpService::new(move || Ok(server.clone()), Arc::clone(&sessions), config);
        Self {
            service,
            sessions,
            owners: Owners::default(),
            pace: Pace::new(),
            places: Semaphore::new(MAX_REQUESTS),
            edge,
            site,
        }
    }

    /// Answers one request.
    pub(super) async fn answer(
        &self,
        request: Request<Incoming>,
        client: SocketAddr,
    ) -> Response<Body> {
        let (agent, request) = match self.admit(request, client).await {
            Ok(admitted) => admitted,
            Err(refusal) => return refusal.response(),
        };
        let response = self.service.handle(request).await;
        if let Some(session) = header(response.headers(), SESSION) {
            self.owners.add(session, agent);
        }
        exit::clear(response, Arc::clone(&self.edge)).await
    }

    /// Lets a request in, with the agent it comes from and its body read.
    async fn admit(
        &self,
        request: Request<Incoming>,
        client: SocketAddr,
    ) -> Result<(AgentName, Request<Full<Bytes>>), Refusal> {
        if request.uri().path() != "/mcp" {
            return Err(Refusal::new(StatusCode::NOT_FOUND, "nothing is served here"));
        }
        let named = self.named(request.headers())?;
        let pace = named
            .as_ref()
            .map_or(Client::Address(client.ip()), |agent| Client::Agent(agent.as_str().to_owned()));
        match self.pace.take(pace, Instant::now()) {
            Ok(wait) if wait.is_zero() => {}
            Ok(wait) => tokio::time::sleep(wait).await,
            Err(too_fast) => {
                let refusal = Refusal::new(StatusCode::TOO_MANY_REQUESTS, "too many requests");
                return Err(refusal.retry_after(too_fast.wait));
            }
        }
        let agent = named.unwrap_or_default();
        self.check_session(request.headers(), &agent)?;
        let request = self.read(request).await?;
        let (mut head, body) = request.into_parts();
        head.extensions.insert(agent.clone());
        Ok((agent, Request::from_parts(head, body)))
    }

    /// The agent a token names. A wrong token is refused everywhere, a missing one beyond loopback.
    fn named(&self, headers: &HeaderMap) -> Result<Option<AgentName>, Refusal> {
        let refused = || Refusal::new(StatusCode::UNAUTHORIZED, "a bearer token is needed");
        let loopback = self.site.address.ip().is_loopback();
        match headers.get(AUTHORIZATION) {
            None if loopback => Ok(None),
            None => Err(refused()),
            Some(shown) => {
                let token = shown.to_str().ok().and_then(|shown| shown.strip_prefix("Bearer "));
                let agent = token.and_then(|token| self.site.tokens.agent(token.trim()));
                agent.map(Some).ok_or_else(refused)
            }
        }
    }

    fn check_session(&self, headers: &HeaderMap, agent: &AgentName) -> Result<(), Refusal> {
        match header(headers, SESSION) {
            Some(session) if !self.owners.owns(session, agent) => {
                Err(Refusal::of_status(StatusCode::NOT_FOUND))
            }
            _ => Ok(()),
        }
    }

    /// Reads the body of a POST; other methods have none that counts.
    async fn read(&self, request: Request<Incoming>) -> Result<Request<Full<Bytes>>, Refusal> {
        let failed = |_| Refusal::of_status(StatusCode::INTERNAL_SERVER_ERROR);
        let (head, body) = request.into_parts();
        if head.method != Method::POST {
            return Ok(Request::from_parts(head, Full::default()));
        }
        let _place = self.places.acquire().await.map_err(failed)?;
        let message = body::read(body).await?;
        let opens = message.method.as_deref() == Some("initialize");
        if opens && !self.owners.has_room(&self.sessions).await {
            let words = "too many sessions are open";
            return Err(Refusal::new(StatusCode::SERVICE_UNAVAILABLE, words));
        }
        Ok(Request::from_parts(head, Full::new(message.bytes)))
    }
}

/// Which names the SDK accepts in `Host` and `Origin`: those by which a client can mean us. Any
/// other is a page of somebody else's that a browser was tricked into sending here.
fn config(site: &Site) -> StreamableHttpServerConfig {
    let address = site.address.ip();
    let mut hosts = site.names.clone();
    if address.is_loopback() {
        hosts.extend(LOOPBACK.map(str::to_owned));
    } else if !address.is_unspecified() {
        hosts.push(address.to_string());
    }
    let bracketed = |host: &String| match host.parse::<IpAddr>() {
        Ok(IpAddr::V6(host)) => format!("[{host}]"),
        _ => host.clone(),
    };
    let origins = hosts.iter().flat_map(|host| {
        let host = bracketed(host);
        [format!("http://{host}:*"), format!("https://{host}:*")]
    });
    let origins = origins.collect::<Vec<_>>();
    StreamableHttpServerConfig::default()
        .with_allowed_hosts(hosts)
        .with_allowed_origins(origins)
        .with_cancellation_token(site.stop.child_token())
}

fn header<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}
