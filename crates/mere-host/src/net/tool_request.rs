//! The request of a tool: redirects, further attempts, and limits.
//!
//! Each hop is checked against the grants as if it were the first one, and its name is resolved
//! once. On the way to another host, nothing is sent but what every request has.

use std::time::{Duration, Instant};

use mere_core::chain::{HttpMethod, HttpRequest};
use mere_core::network::{
    HttpScheme, HttpUrl, NetworkDenial, NetworkEndpoint, NetworkGrants, PermittedAddresses,
};

use super::http_client::HttpError;
use super::resolver::{ResolveError, resolve};
use super::tool_exchange::{Exchange, ExchangeError, ResponseHead, ResponsePart, RunningExchange};
use crate::sandbox::OUTPUT_OVERLAP;

/// How many redirects are followed.
const MAX_REDIRECTS: usize = 10;
/// The headers that are sent to another host too.
const COMMON_HEADERS: [&str; 3] = ["accept", "accept-language", "user-agent"];
/// How often the observer is told about the response.
const REPORT_INTERVAL: Duration = Duration::from_millis(200);
/// How long to wait at a time between two attempts.
const WAIT_INTERVAL: Duration = Duration::from_millis(20);

/// The observer of a request, who can also cancel it.
pub struct RequestObserver<'a> {
    /// Returns true once nobody waits for the request any more.
    pub is_cancelled: &'a dyn Fn() -> bool,
    /// Called from time to time with the number of bytes that have arrived.
    pub on_progress: &'a dyn Fn(usize),
}

/// A request that has ended.
#[derive(Debug)]
pub struct FinishedRequest {
    /// The way in which it ended.
    pub end: RequestEnd,
    /// The status of the last response.
    pub status: Option<u16>,
    /// The first bytes of its body: those that were asked for, and some more, so that a path or a
    /// secret that lies across the end is recognised.
    pub body: Vec<u8>,
    /// Whether the body has more bytes than were asked for.
    pub truncated: bool,
    /// The time that everything took.
    pub duration: Duration,
}

/// The way in which a request ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RequestEnd {
    /// There is a response.
    Response,
    /// The exchange failed.
    Failed(HttpError),
    /// A redirect, or a name that was resolved anew, leads where the tool may not connect to.
    Denied(RefusedHost),
    /// A redirect leads to something that is not a URL of the web, from `https` to `http`, or would
    /// send a body to another host.
    RedirectRefused,
    /// There were too many redirects.
    TooManyRedirects,
    /// Nobody waited for it any more.
    Cancelled,
}

/// A host that a tool may not connect to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RefusedHost {
    /// The host and port.
    pub endpoint: NetworkEndpoint,
    /// The reason.
    pub denial: NetworkDenial,
}

/// Sends the request of a tool. Fails if the URL itself leads where the tool may not connect to;
/// then nothing was sent.
pub fn send_tool_request(
    request: &HttpRequest,
    grants: &NetworkGrants,
    observer: &RequestObserver<'_>,
) -> Result<FinishedRequest, RefusedHost> {
    let began = Instant::now();
    let run = RequestRun { request, grants, observer, end_by: began + request.timeout };
    let mut attempt = 1;
    loop {
        let mut finished = match run.send_once() {
            Ok(finished) => finished,
            Err(refused) if attempt == 1 => return Err(refused),
            Err(refused) => Attempt::ended(RequestEnd::Denied(refused), None),
        };
        finished.duration = began.elapsed();
        let Some(pause) = run.pause_before_retry(attempt, &finished) else {
            return Ok(finished.outcome());
        };
        if !run.wait(pause) {
            return Ok(FinishedRequest { end: RequestEnd::Cancelled, ..finished.outcome() });
        }
        attempt += 1;
    }
}

/// A request and everything that bounds it.
struct RequestRun<'a> {
    request: &'a HttpRequest,
    grants: &'a NetworkGrants,
    observer: &'a RequestObserver<'a>,
    end_by: Instant,
}

/// The result of one attempt.
struct Attempt {
    end: RequestEnd,
    head: Option<ResponseHead>,
    body: Vec<u8>,
    truncated: bool,
    duration: Duration,
}

/// Where a request is sent next.
struct Hop {
    method: HttpMethod,
    url: HttpUrl,
    headers: Vec<(String, String)>,
    body: Option<Vec<u8>>,
}

impl Attempt {
    fn ended(end: RequestEnd, head: Option<ResponseHead>) -> Self {
        Self { end, head, body: Vec::new(), truncated: false, duration: Duration::ZERO }
    }

    fn outcome(self) -> FinishedRequest {
        let Self { end, head, body, truncated, duration } = self;
        FinishedRequest { end, status: head.map(|head| head.status), body, truncated, duration }
    }
}

impl RequestRun<'_> {
    /// Sends the request, and follows redirects.
    fn send_once(&self) -> Result<Attempt, RefusedHost> {
        let HttpRequest { method, url, headers, body, .. } = self.request;
        let mut hop =
            Hop { method: *method, url: url.clone(), headers: headers.clone(), body: body.clone() };
        let mut last_head = None;
        for _ in 0..=MAX_REDIRECTS {
            let addresses = match self.permit(&hop.url) {
                Ok(addresses) => addresses,
                Err(HopError::Denied(refused)) if last_head.is_some() => {
                    return Ok(Attempt::ended(RequestEnd::Denied(refused), last_head));
                }
                Err(HopError::Denied(refused)) => return Err(refused),
                Err(HopError::Ended(end)) => return Ok(Attempt::ended(end, last_head)),
            };
            let attempt = self.exchange(&hop, &addresses);
            let Some(head) = attempt.head.as_ref().filter(|_| attempt.end == RequestEnd::Response)
            else {
                return Ok(attempt);
            };
            match hop.redirect(head) {
                Redirect::None => return Ok(attempt),
                Redirect::Refused => {
                    return Ok(Attempt { end: RequestEnd::RedirectRefused, ..attempt });
                }
                Redirect::To(next) => {
                    last_head = attempt.head;
                    hop = *next;
                }
            }
        }
        Ok(Attempt::ended(RequestEnd::TooManyRedirects, last_head))
    }

    /// Resolves the host of a hop, if the tool may connect to it.
    fn permit(&self, url: &HttpUrl) -> Result<PermittedAddresses, HopError> {
        let endpoint = url.endpoint();
        let denied = |denial| HopError::Denied(RefusedHost { endpoint: endpoint.clone(), denial });
        let permitted = self.grants.permit(endpoint.clone()).map_err(denied)?;
        resolve(&permitted, self.end_by, self.observer.is_cancelled).map_err(|error| match error {
            ResolveError::Denied(NetworkDenial::NoAddress) => {
                HopError::Ended(RequestEnd::Failed(HttpError::Unreachable))
            }
            ResolveError::Denied(denial) => denied(denial),
            ResolveError::Timeout => HopError::Ended(RequestEnd::Failed(HttpError::Timeout)),
            ResolveError::Stopped => HopError::Ended(RequestEnd::Cancelled),
        })
    }

    /// Sends one request, and reads the response.
    fn exchange(&self, hop: &Hop, addresses: &PermittedAddresses) -> Attempt {
        let exchange = Exchange {
            method: hop.method,
            url: hop.url.clone(),
            headers: hop.headers.clone(),
            body: hop.body.clone(),
        };
        let mut attempt = Attempt::ended(RequestEnd::Response, None);
        match exchange.start(addresses, self.end_by) {
            Ok(running) => self.read_response(&running, &mut attempt),
            Err(_) => attempt.end = RequestEnd::Failed(HttpError::Unreachable),
        }
        attempt
    }

    fn read_response(&self, running: &RunningExchange, attempt: &mut Attempt) {
        let mut last_report = Instant::now();
        loop {
            match running.next_part(self.observer.is_cancelled) {
                Ok(ResponsePart::Head(head)) => attempt.head = Some(head),
                Ok(ResponsePart::End) => return,
                Ok(ResponsePart::Body(part)) => {
                    attempt.body.extend_from_slice(&part);
                    let most = self.request.max_bytes;
                    attempt.truncated = attempt.body.len() > most;
                    if attempt.body.len() >= most.saturating_add(OUTPUT_OVERLAP) {
                        return;
                    }
                }
                Err(ExchangeError::Http(error)) => {
                    attempt.end = RequestEnd::Failed(error);
                    return;
                }
                Err(ExchangeError::Stopped) => {
                    attempt.end = RequestEnd::Cancelled;
                    return;
                }
            }
            if last_report.elapsed() >= REPORT_INTERVAL {
                last_report = Instant::now();
                (self.observer.on_progress)(attempt.body.len());
            }
        }
    }

    /// Returns how long to wait before the next attempt, or `None` if there is none.
    fn pause_before_retry(&self, attempt: u32, last: &Attempt) -> Option<Duration> {
        let retry = self.request.retry;
        let is_passing = match &last.end {
            RequestEnd::Response => matches!(
                last.head.as_ref().map(|head| head.status),
                Some(429 | 500 | 502 | 503 | 504)
            ),
            RequestEnd::Failed(error) => *error == HttpError::Unreachable,
            _ => false,
        };
        if !is_passing || attempt >= retry.attempts || !self.request.method.is_idempotent() {
            return None;
        }
        let backoff = retry.backoff.saturating_mul(1 << (attempt - 1).min(16));
        let asked = last.head.as_ref().and_then(|head| head.retry_after).unwrap_or_default();
        let pause = backoff.max(Duration::from_secs(asked));
        // An attempt that could not even begin in time is not waited for.
        let left = self.end_by.saturating_duration_since(Instant::now());
        Some(pause).filter(|pause| *pause < left)
    }

    /// Waits, and returns whether somebody still waits for the request.
    fn wait(&self, pause: Duration) -> bool {
        let until = Instant::now() + pause;
        loop {
            if (self.observer.is_cancelled)() {
                return false;
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return true;
            }
            std::thread::sleep(left.min(WAIT_INTERVAL));
        }
    }
}

/// The reason why a hop is not taken.
enum HopError {
    Denied(RefusedHost),
    Ended(RequestEnd),
}

/// What a response says about where to go.
enum Redirect {
    None,
    To(Box<Hop>),
    Refused,
}

impl Hop {
    /// Returns where a response leads to.
    fn redirect(&self, head: &ResponseHead) -> Redirect {
        let keeps_method = match head.status {
            307 | 308 => true,
            301 | 302 => self.method != HttpMethod::Post,
            303 => self.method == HttpMethod::Head,
            _ => return Redirect::None,
        };
        let Some(location) = &head.location else { return Redirect::None };
        let Ok(url) = self.url.join(location) else { return Redirect::Refused };
        if self.url.scheme() == HttpScheme::Https && url.scheme() == HttpScheme::Http {
            return Redirect::Refused;
        }
        let method = if keeps_method { self.method } else { HttpMethod::Get };
        let body = self.body.clone().filter(|_| keeps_method);
        let is_same_origin = self.url.has_origin_of(&url);
        if body.is_some() && !is_same_origin {
            return Redirect::Refused;
        }
        let is_sent = |name: &str| {
            let is_about_body = name == "content-type" && body.is_none();
            COMMON_HEADERS.contains(&name) || is_same_origin && !is_about_body
        };
        let headers = self.headers.iter().filter(|(name, _)| is_sent(name)).cloned().collect();
        Redirect::To(Box::new(Hop { method, url, headers, body }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hop(method: HttpMethod, url: &str) -> Hop {
        let header = |name: &str| (name.to_owned(), "x".to_owned());
        Hop {
            method,
            url: url.parse().expect("a URL"),
            headers: ["accept", "authorization", "x-key", "content-type"].map(header).to_vec(),
            body: matches!(method, HttpMethod::Post | HttpMethod::Put).then(|| b"body".to_vec()),
        }
    }

    fn follow(from: &Hop, status: u16, location: &str) -> Option<(HttpMethod, String, usize)> {
        let location = Some(location.to_owned());
        match from.redirect(&ResponseHead { status, location, ..ResponseHead::default() }) {
            Redirect::To(next) => Some((next.method, next.url.to_string(), next.headers.len())),
            Redirect::None | Redirect::Refused => None,
        }
    }

    #[test]
    fn a_redirect_takes_nothing_secret_elsewhere() {
        use HttpMethod::{Delete, Get, Head, Post, Put};
        let get = hop(Get, "https://a.example/x");
        let to = |method, url: &str, headers| Some((method, url.to_owned(), headers));
        for status in [301, 302, 303, 307, 308] {
            assert_eq!(follow(&get, status, "/y"), to(Get, "https://a.example/y", 3));
            assert_eq!(follow(&get, status, "//b.example/"), to(Get, "https://b.example/", 1));
            let other_port = "https://a.example:444/";
            assert_eq!(follow(&get, status, other_port), to(Get, other_port, 1));
            assert_eq!(follow(&get, status, "http://a.example/"), None);
            assert_eq!(follow(&get, status, "file:///etc/passwd"), None);
        }
        let post = hop(Post, "http://a.example/x");
        assert_eq!(follow(&post, 302, "/y"), to(Get, "http://a.example/y", 3));
        assert_eq!(follow(&post, 307, "/y"), to(Post, "http://a.example/y", 4));
        assert_eq!(follow(&post, 303, "http://b.example/"), to(Get, "http://b.example/", 1));
        assert_eq!(follow(&post, 308, "http://b.example/"), None);
        assert_eq!(follow(&post, 307, "https://a.example/"), None);
        let put = hop(Put, "http://a.example/x");
        assert_eq!(follow(&put, 302, "/y"), to(Put, "http://a.example/y", 4));
        assert_eq!(follow(&put, 303, "/y"), to(Get, "http://a.example/y", 3));
        let head = hop(Head, "http://a.example/x");
        assert_eq!(follow(&head, 303, "/y"), to(Head, "http://a.example/y", 3));
        let delete = hop(Delete, "http://a.example/x");
        assert_eq!(follow(&delete, 307, "/y"), to(Delete, "http://a.example/y", 3));
        assert_eq!(follow(&get, 300, "/y"), None);
        assert_eq!(follow(&get, 304, "/y"), None);
    }
}
