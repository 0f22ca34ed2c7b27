//! The way of a request: host, rate, route, token and body are checked; then it is answered beside
//! the connections, counted and logged.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE};
use http::{HeaderMap, Request, Response};
use hyper::body::Incoming;
use mere_core::registry::ProblemCode;
use mere_http::{
    AllowedHosts, Body, BodyLimits, ClientKey, Connection, RateLimiter, TooManyAnswers, read_body,
};

use super::dispatch::{Backend, Call, max_body_bytes};
use super::metrics::AnsweredRequest;
use super::problem::Problem;
use super::route::{Operation, Route};
use crate::accounts::Access;
use crate::error::RegistryError;

/// How long a client may take to send a body.
const MAX_BODY_TIME: Duration = Duration::from_secs(30);

/// The front end of one server.
pub(super) struct ApiFrontend {
    pub(super) backend: Arc<Backend>,
    pub(super) hosts: AllowedHosts,
    pub(super) rate_limiter: RateLimiter<ClientKey>,
}

impl ApiFrontend {
    /// Answers one request.
    pub(super) async fn answer(
        &self,
        request: Request<Incoming>,
        connection: &Arc<Connection>,
    ) -> Response<Body> {
        let start = Instant::now();
        let method = request.method().clone();
        let route = Route::parse(request.uri().path());
        let name = route.as_ref().map_or("none", |route| route.name(&method));
        let is_page = matches!(route, Some(Route::Page(_)))
            || route.is_none() && accepts_pages(request.headers());
        let response = match self.try_answer(request, route, connection).await {
            Ok(response) => response,
            Err(problem) => {
                let client = connection.address();
                let (code, detail) = (problem.code.name(), problem.detail.as_str());
                tracing::warn!(%client, route = name, code, detail, "a request was refused");
                if is_page { problem.page_response() } else { problem.response() }
            }
        };
        let (status, time) = (response.status().as_u16(), start.elapsed());
        let client = connection.address();
        let seconds = time.as_secs_f64();
        tracing::debug!(%client, route = name, status, seconds, "a request was answered");
        let method = if is_usual(&method) { method.as_str() } else { "OTHER" };
        let method = method.to_owned();
        self.backend.metrics.count(AnsweredRequest { route: name, method, status, time });
        response
    }

    async fn try_answer(
        &self,
        request: Request<Incoming>,
        route: Option<Route>,
        connection: &Arc<Connection>,
    ) -> Result<Response<Body>, Problem> {
        self.hosts.check(&request)?;
        let address = ClientKey::Address(connection.address().ip());
        let authentication = self.authenticate(request.headers()).await;
        let client = match &authentication {
            Ok(access) => access.account().map(|account| ClientKey::Agent(account.to_owned())),
            Err(_) => None,
        };
        let client = client.unwrap_or(address);
        self.limit_rate(client.clone()).await?;
        let access = authentication?;
        let route = route.ok_or(RegistryError::NotFound)?;
        let operation = route.operation(request.method())?;
        let (head, body) = request.into_parts();
        check_media_type(operation, &head.headers)?;
        let body = if operation == Operation::Read {
            Bytes::new()
        } else if access.account().is_none() {
            return Err(RegistryError::TokenRequired.into());
        } else {
            let limits = BodyLimits { bytes: max_body_bytes(operation), time: MAX_BODY_TIME };
            read_body(body, connection, limits).await?
        };
        let answering = connection.begin_answer(client).map_err(|TooManyAnswers| {
            let problem = Problem::new(ProblemCode::Unavailable, "too many unanswered requests");
            problem.with_retry_after(Duration::from_secs(1))
        })?;
        let query = head.uri.query().unwrap_or_default().to_owned();
        let call = Call { route, operation, query, body, access };
        let answer = self.run(move |backend| backend.answer(&call)).await??;
        let response = answer.response(&head.headers);
        Ok(response.map(|body| answering.until_sent(body)))
    }

    /// Runs something that may block.
    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Backend) -> T + Send + 'static,
    ) -> Result<T, Problem> {
        let backend = Arc::clone(&self.backend);
        let done = tokio::task::spawn_blocking(move || work(&backend)).await;
        done.map_err(|error| {
            tracing::error!(%error, "a request panicked");
            Problem::new(
                ProblemCode::Internal,
                "something went wrong; the log of the server says what",
            )
        })
    }

    /// Returns what the sender may do. A token that is not valid is always refused.
    async fn authenticate(&self, headers: &HeaderMap) -> Result<Access, Problem> {
        let mut shown = headers.get_all(AUTHORIZATION).iter();
        let token = match (shown.next(), shown.next()) {
            (None, _) => return Ok(Access::default()),
            (Some(shown), None) => shown.to_str().ok().and_then(|shown| shown.split_once(' ')),
            (Some(_), Some(_)) => None,
        };
        let token = token.filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
        let token = token.map(|(_, token)| token.trim().to_owned());
        let token = token.ok_or(RegistryError::TokenInvalid)?;
        Ok(self.run(move |backend| backend.registry.authenticate(&token)).await??)
    }

    async fn limit_rate(&self, client: ClientKey) -> Result<(), Problem> {
        match self.rate_limiter.take(client, Instant::now()) {
            Ok(wait) if wait.is_zero() => Ok(()),
            Ok(wait) => {
                tokio::time::sleep(wait).await;
                Ok(())
            }
            Err(too_fast) => {
                let problem = Problem::new(ProblemCode::RateLimited, "come back later");
                Err(problem.with_retry_after(too_fast.wait))
            }
        }
    }
}

/// Reports whether the client shows pages to a person.
fn accepts_pages(headers: &HeaderMap) -> bool {
    let accepted = headers.get(ACCEPT).and_then(|value| value.to_str().ok());
    accepted.is_some_and(|accepted| accepted.contains("text/html"))
}

/// Checks that what is published is sent as JSON.
fn check_media_type(operation: Operation, headers: &HeaderMap) -> Result<(), Problem> {
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    let kind = kind.and_then(|kind| kind.split(';').next()).map(str::trim);
    match (operation, kind) {
        (Operation::Publish, Some(kind)) if kind.eq_ignore_ascii_case("application/json") => Ok(()),
        (Operation::Publish, _) => {
            Err(Problem::new(ProblemCode::UnsupportedMediaType, "send application/json"))
        }
        _ => Ok(()),
    }
}

/// Reports whether a method is one that HTTP defines, so that clients cannot invent metrics.
fn is_usual(method: &http::Method) -> bool {
    ["GET", "HEAD", "PUT", "POST", "DELETE", "OPTIONS", "PATCH"].contains(&method.as_str())
}
