//! A session with an MCP server over streamable HTTP: one message is one request, and the answers
//! are its responses, as JSON or as a stream of events.
//!
//! Each request is checked against the grants as if it were the first one. No redirect is followed,
//! and nothing is listened to but the responses to what was sent.

use std::cell::{Cell, RefCell};
use std::time::{Duration, Instant};

use mere_core::chain::{HttpMethod, McpEndpoint};
use mere_core::mcp::{EventStream, MAX_MESSAGE_BYTES, MAX_SESSION_BYTES, McpFault, McpSession};
use mere_core::network::{NetworkDenial, NetworkGrants, PermittedAddresses};
use serde_json::Value;

use super::http_client::HttpError;
use super::resolver::{ResolveError, resolve};
use super::tool_exchange::{Exchange, ExchangeError, ResponseHead, ResponsePart, RunningExchange};
use super::tool_request::{RefusedHost, RequestObserver};

/// How long the end of a session may take.
const END_TIMEOUT: Duration = Duration::from_secs(2);
/// How often the observer is told about the session.
const REPORT_INTERVAL: Duration = Duration::from_millis(200);
/// The longest id of a session, in bytes.
const MAX_SESSION_ID: usize = 1_024;

/// What bounds a session.
#[derive(Clone, Copy, Debug)]
pub struct SessionLimits<'a> {
    /// The hosts that may be connected to.
    pub grants: &'a NetworkGrants,
    /// How long everything may take.
    pub timeout: Duration,
}

/// A session that has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FinishedSession {
    /// The way in which it ended.
    pub end: SessionEnd,
    /// The time that everything took.
    pub duration: Duration,
}

/// The way in which a session ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SessionEnd {
    /// It is over.
    Over,
    /// An exchange failed.
    Failed(HttpError),
    /// The server answered with a status that is no success.
    Status(u16),
    /// The server does not keep to the protocol.
    Fault(McpFault),
    /// The name of the server was resolved anew, and leads where nobody may connect to.
    Denied(RefusedHost),
    /// Nobody waited for it any more.
    Cancelled,
}

/// Speaks to a server until the session is over. Fails if the URL itself leads where the tool may
/// not connect to; then nothing was sent.
pub fn speak_over_http(
    endpoint: &McpEndpoint,
    session: &RefCell<McpSession>,
    limits: SessionLimits<'_>,
    observer: &RequestObserver<'_>,
) -> Result<FinishedSession, RefusedHost> {
    let began = Instant::now();
    let end_by = began + limits.timeout;
    let id = RefCell::new(None);
    let speaker = HttpSpeaker {
        endpoint,
        session,
        grants: limits.grants,
        observer,
        end_by,
        id,
        received: Cell::new(0),
        has_sent: Cell::new(false),
        last_report: Cell::new(began),
    };
    let greeting = session.borrow().greeting();
    let spoken = speaker.send(&greeting);
    let is_first = !speaker.has_sent.get();
    let end = match spoken {
        Ok(()) if session.borrow().is_over() => SessionEnd::Over,
        Ok(()) => SessionEnd::Fault(McpFault::NotAMessage),
        Err(SessionEnd::Denied(refused)) if is_first => return Err(refused),
        Err(end) => end,
    };
    speaker.end_session();
    Ok(FinishedSession { end, duration: began.elapsed() })
}

/// A session, and everything that bounds it.
struct HttpSpeaker<'a> {
    endpoint: &'a McpEndpoint,
    session: &'a RefCell<McpSession>,
    grants: &'a NetworkGrants,
    observer: &'a RequestObserver<'a>,
    end_by: Instant,
    /// The id that the server has given to the session.
    id: RefCell<Option<String>>,
    received: Cell<usize>,
    has_sent: Cell<bool>,
    last_report: Cell<Instant>,
}

/// The way in which the messages of a response are delimited.
enum ResponseForm {
    Json(Vec<u8>),
    Events(EventStream),
}

impl HttpSpeaker<'_> {
    /// Sends a message, and then everything that its answers lead to.
    fn send(&self, message: &Value) -> Result<(), SessionEnd> {
        let mut waiting = vec![message.clone()];
        while !waiting.is_empty() {
            let message = waiting.remove(0);
            let is_request = message.get("method").is_some() && message.get("id").is_some();
            let answers = self.post(&message)?;
            // What a server sends in response to something else than a request is not asked for.
            if is_request {
                waiting.extend(answers);
            }
        }
        Ok(())
    }

    /// Sends one message, and returns what is to be sent next.
    fn post(&self, message: &Value) -> Result<Vec<Value>, SessionEnd> {
        let is_request = message.get("method").is_some() && message.get("id").is_some();
        let body = Some(message.to_string().into_bytes());
        let running = self.start(HttpMethod::Post, body, self.end_by)?;
        let head = self.read_head(&running)?;
        if !(200..300).contains(&head.status) {
            return Err(SessionEnd::Status(head.status));
        }
        self.keep_session_id(&head)?;
        if !is_request || head.status == 202 {
            return Ok(Vec::new());
        }
        let media = head.media_type.unwrap_or_default().to_ascii_lowercase();
        let form = match media.split(';').next().unwrap_or_default().trim() {
            "application/json" => ResponseForm::Json(Vec::new()),
            "text/event-stream" => ResponseForm::Events(EventStream::default()),
            _ => return Err(SessionEnd::Fault(McpFault::NotAMessage)),
        };
        self.read_messages(&running, form)
    }

    fn start(
        &self,
        method: HttpMethod,
        body: Option<Vec<u8>>,
        end_by: Instant,
    ) -> Result<RunningExchange, SessionEnd> {
        let addresses = self.permit(end_by)?;
        let mut headers = self.endpoint.headers.clone();
        let mut add = |name: &str, value: &str| headers.push((name.to_owned(), value.to_owned()));
        add("accept", "application/json, text/event-stream");
        if body.is_some() {
            add("content-type", "application/json");
        }
        if let Some(version) = self.session.borrow().version() {
            add("mcp-protocol-version", version);
        }
        if let Some(id) = &*self.id.borrow() {
            add("mcp-session-id", id);
        }
        self.has_sent.set(true);
        let url = self.endpoint.url.clone();
        let exchange = Exchange { method, url, headers, body };
        exchange.start(&addresses, end_by).map_err(|_| SessionEnd::Failed(HttpError::Unreachable))
    }

    /// Resolves the host, if it may be connected to.
    fn permit(&self, end_by: Instant) -> Result<PermittedAddresses, SessionEnd> {
        let endpoint = self.endpoint.url.endpoint();
        let denied =
            |denial| SessionEnd::Denied(RefusedHost { endpoint: endpoint.clone(), denial });
        let permitted = self.grants.permit(endpoint.clone()).map_err(denied)?;
        resolve(&permitted, end_by, self.observer.is_cancelled).map_err(|error| match error {
            ResolveError::Denied(NetworkDenial::NoAddress) => {
                SessionEnd::Failed(HttpError::Unreachable)
            }
            ResolveError::Denied(denial) => denied(denial),
            ResolveError::Timeout => SessionEnd::Failed(HttpError::Timeout),
            ResolveError::Stopped => SessionEnd::Cancelled,
        })
    }

    fn next_part(&self, running: &RunningExchange) -> Result<ResponsePart, SessionEnd> {
        running.next_part(self.observer.is_cancelled).map_err(|error| match error {
            ExchangeError::Http(error) => SessionEnd::Failed(error),
            ExchangeError::Stopped => SessionEnd::Cancelled,
        })
    }

    fn read_head(&self, running: &RunningExchange) -> Result<ResponseHead, SessionEnd> {
        match self.next_part(running)? {
            ResponsePart::Head(head) => Ok(head),
            ResponsePart::Body(_) | ResponsePart::End => {
                Err(SessionEnd::Failed(HttpError::InvalidResponse))
            }
        }
    }

    /// Keeps the id that a server gives to the session in its first response.
    fn keep_session_id(&self, head: &ResponseHead) -> Result<(), SessionEnd> {
        let Some(id) = &head.session else { return Ok(()) };
        let is_valid = (1..=MAX_SESSION_ID).contains(&id.len())
            && id.bytes().all(|byte| byte.is_ascii_graphic());
        if !is_valid {
            return Err(SessionEnd::Fault(McpFault::NotAMessage));
        }
        self.id.borrow_mut().get_or_insert_with(|| id.clone());
        Ok(())
    }

    /// Reads the messages of a response until the request is answered.
    fn read_messages(
        &self,
        running: &RunningExchange,
        mut form: ResponseForm,
    ) -> Result<Vec<Value>, SessionEnd> {
        let awaited = self.session.borrow().awaited_id();
        loop {
            let messages = match (self.next_part(running)?, &mut form) {
                (ResponsePart::Head(_), _) => Vec::new(),
                (ResponsePart::End, ResponseForm::Json(text)) => vec![std::mem::take(text)],
                (ResponsePart::End, ResponseForm::Events(_)) => {
                    return Err(SessionEnd::Failed(HttpError::InvalidResponse));
                }
                (ResponsePart::Body(part), ResponseForm::Json(text)) => {
                    self.count(part.len())?;
                    text.extend(part);
                    if text.len() > MAX_MESSAGE_BYTES {
                        return Err(SessionEnd::Fault(McpFault::MessageTooLong));
                    }
                    Vec::new()
                }
                (ResponsePart::Body(part), ResponseForm::Events(events)) => {
                    self.count(part.len())?;
                    let too_long = |_| SessionEnd::Fault(McpFault::MessageTooLong);
                    events.push(&part).map_err(too_long)?
                }
            };
            for message in messages {
                let next =
                    self.session.borrow_mut().receive(&message).map_err(SessionEnd::Fault)?;
                let is_answered = {
                    let session = self.session.borrow();
                    session.is_over() || session.awaited_id() != awaited
                };
                if is_answered {
                    return Ok(next);
                }
                // The server asks something while its response goes on.
                next.iter().try_for_each(|answer| self.post(answer).map(drop))?;
                if matches!(form, ResponseForm::Json(_)) {
                    return Err(SessionEnd::Fault(McpFault::NotAMessage));
                }
            }
            if self.last_report.get().elapsed() >= REPORT_INTERVAL {
                self.last_report.set(Instant::now());
                (self.observer.on_progress)(self.received.get());
            }
        }
    }

    fn count(&self, bytes: usize) -> Result<(), SessionEnd> {
        self.received.set(self.received.get().saturating_add(bytes));
        match self.received.get() {
            received if received > MAX_SESSION_BYTES => Err(SessionEnd::Fault(McpFault::TooMuch)),
            _ => Ok(()),
        }
    }

    /// Tells a server that the session is over. Whether it heard is not waited for for long.
    fn end_session(&self) {
        if self.id.borrow().is_none() {
            return;
        }
        let end_by = Instant::now() + END_TIMEOUT;
        if let Ok(running) = self.start(HttpMethod::Delete, None, end_by) {
            let _ = self.read_head(&running);
        }
    }
}
