//! The way of a request over HTTP: host, path, token, rate limit, session and body are checked;
//! then the SDK answers, and the response passes the gate.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::header::AUTHORIZATION;
use http::{HeaderMap, Method, Request, Response, StatusCode};
use http_body_util::Full;
use hyper::body::Incoming;
use mere_core::address::AgentName;
use mere_engine::Tokens;
use mere_http::{
    AllowedHosts, Answering, Body, ClientKey, Connection, Rate, RateLimiter, TooManyAnswers,
};
use rmcp::ServerHandler;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio_util::sync::CancellationToken;

use super::body;
use super::refusal::Refusal;
use super::response_gate;
use super::session_owners::SessionOwners;
use crate::mcp::call_runner::CallRunner;
use crate::mcp::message::MAX_MESSAGE_BYTES;

const SESSION_HEADER: &str = "mcp-session-id";
const VERSION_HEADER: &str = "mcp-protocol-version";
/// The first revision without sessions.
const STATELESS_VERSION: &str = "2026-07-28";
/// How fast one client may send requests.
const RATE: Rate = Rate { per_second: 5_000.0, burst: 10_000.0 };
/// How long a session may be idle. It is longer than a person may take to answer a question.
const SESSION_TIMEOUT: Duration = Duration::from_mins(30);

/// The HTTP front end of one server.
pub(super) struct HttpFrontend<H> {
    service: StreamableHttpService<H, LocalSessionManager>,
    sessions: Arc<LocalSessionManager>,
    owners: SessionOwners,
    rate_limiter: RateLimiter<ClientKey>,
    runner: Arc<CallRunner>,
    access: AccessRules,
}

/// Who may send requests.
pub(super) struct AccessRules {
    /// The names under which this machine is reached.
    pub(super) hosts: AllowedHosts,
    /// The tokens that name an agent.
    pub(super) tokens: Tokens,
}

/// A request that may be answered.
struct Admitted {
    agent: AgentName,
    /// The request with its whole body.
    request: Request<Full<Bytes>>,
    answering: Answering,
}

impl<H: ServerHandler + Clone> HttpFrontend<H> {
    /// Creates the front end; `stop` ends its streams.
    pub(super) fn new(
        server: H,
        runner: Arc<CallRunner>,
        access: AccessRules,
        stop: &CancellationToken,
    ) -> Self {
        let mut sessions = LocalSessionManager::default();
        sessions.session_config.keep_alive = Some(SESSION_TIMEOUT);
        let sessions = Arc::new(sessions);
        // Host and Origin are checked against the allowed hosts before anything is read.
        let config = StreamableHttpServerConfig::default()
            .disable_allowed_hosts()
            .with_max_request_body_bytes(MAX_MESSAGE_BYTES)
            .with_cancellation_token(stop.child_token());
        let service =
            StreamableHttpService::new(move || Ok(server.clone()), Arc::clone(&sessions), config);
        Self {
            service,
            sessions,
            owners: SessionOwners::default(),
            rate_limiter: RateLimiter::new(RATE),
            runner,
            access,
        }
    }

    /// Answers one request.
    pub(super) async fn answer(
        &self,
        request: Request<Incoming>,
        connection: &Arc<Connection>,
    ) -> Response<Body> {
        let Admitted { agent, request, answering } = match self.admit(request, connection).await {
            Ok(admitted) => admitted,
            Err(refusal) => {
                refusal.log(connection.address());
                return refusal.response();
            }
        };
        let response = self.service.handle(request).await;
        if let Some(session) = header(response.headers(), SESSION_HEADER) {
            self.owners.add(session, agent);
        }
        let response = response_gate::clear(response, Arc::clone(&self.runner)).await;
        response.map(|body| answering.until_sent(body))
    }

    /// Admits a request once its body is complete.
    async fn admit(
        &self,
        request: Request<Incoming>,
        connection: &Arc<Connection>,
    ) -> Result<Admitted, Refusal> {
        self.access.hosts.check(&request).map_err(Refusal::for_host)?;
        if request.uri().path() != "/mcp" {
            return Err(Refusal::new(StatusCode::NOT_FOUND, "nothing is served here"));
        }
        let named = self.authenticate(request.headers())?;
        let address = connection.address().ip();
        let client = named.as_ref().map_or(ClientKey::Address(address), |agent| {
            ClientKey::Agent(agent.as_str().to_owned())
        });
        match self.rate_limiter.take(client.clone(), Instant::now()) {
            Ok(wait) if wait.is_zero() => {}
            Ok(wait) => tokio::time::sleep(wait).await,
            Err(too_fast) => {
                let refusal = Refusal::new(StatusCode::TOO_MANY_REQUESTS, "too many requests");
                return Err(refusal.with_retry_after(too_fast.wait));
            }
        }
        let agent = named.unwrap_or_default();
        self.check_session(request.headers(), &agent)?;
        let (mut head, body) = request.into_parts();
        let body = if head.method == Method::POST {
            body::read(body, connection).await?
        } else {
            Bytes::new()
        };
        let answering = connection.begin_answer(client).map_err(|TooManyAnswers| {
            let words = "too many requests of this client are unanswered";
            let refusal = Refusal::new(StatusCode::SERVICE_UNAVAILABLE, words);
            refusal.with_retry_after(Duration::from_secs(1))
        })?;
        let opens = head.method == Method::POST && !head.headers.contains_key(SESSION_HEADER);
        let opens = opens
            && header(&head.headers, VERSION_HEADER)
                .is_none_or(|version| version < STATELESS_VERSION);
        if opens && !self.owners.has_room(&self.sessions, &agent).await {
            let words = "too many sessions are open";
            return Err(Refusal::new(StatusCode::SERVICE_UNAVAILABLE, words));
        }
        head.extensions.insert(agent.clone());
        let request = Request::from_parts(head, Full::new(body));
        Ok(Admitted { agent, request, answering })
    }

    /// Returns the agent that a token names. A wrong token is always refused, a missing one only
    /// beyond loopback.
    fn authenticate(&self, headers: &HeaderMap) -> Result<Option<AgentName>, Refusal> {
        let refused = || Refusal::new(StatusCode::UNAUTHORIZED, "a bearer token is required");
        match headers.get(AUTHORIZATION) {
            None if self.access.hosts.is_loopback() => Ok(None),
            None => Err(refused()),
            Some(shown) => {
                let shown = shown.to_str().ok().and_then(|shown| shown.split_once(' '));
                let token = shown.filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
                let agent = token.and_then(|(_, token)| self.access.tokens.agent_for(token.trim()));
                agent.map(Some).ok_or_else(refused)
            }
        }
    }

    fn check_session(&self, headers: &HeaderMap, agent: &AgentName) -> Result<(), Refusal> {
        // The stateless revision has no sessions, and an id that a client still sends means nothing
        // there.
        let stateless =
            header(headers, VERSION_HEADER).is_some_and(|version| version >= STATELESS_VERSION);
        match header(headers, SESSION_HEADER) {
            Some(session) if !stateless && !self.owners.is_owner(session, agent) => {
                Err(Refusal::for_status(StatusCode::NOT_FOUND))
            }
            _ => Ok(()),
        }
    }
}

fn header<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}
