//! Who may see the pages: whoever has the token, on a page of ours.
//!
//! Browsers send cookies for every port of a machine, and pages of other ports count as the same
//! site. So the origin must be exactly ours, and the browser must not say that another page asks.

use http::header::{COOKIE, HOST, ORIGIN};
use http::{HeaderMap, Method, Request, StatusCode};
use mere_core::digest::Sha256;
use mere_http::AllowedHosts;
use uuid::Uuid;

/// The rules for one server.
pub(super) struct UiAccess {
    hosts: AllowedHosts,
    token: String,
    cookie_name: String,
}

/// What a request may get.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum UiAdmission {
    /// Pages.
    Pages,
    /// The cookie with the token, which the URL has.
    Cookie,
}

/// Why a request is refused.
#[derive(Debug)]
pub(super) struct UiRefusal {
    /// The status of the answer.
    pub(super) status: StatusCode,
    /// The reason.
    pub(super) words: &'static str,
}

impl UiAccess {
    /// Makes a new token.
    pub(super) fn new(hosts: AllowedHosts, port: u16) -> Self {
        let token = format!("{}{}", Uuid::new_v4().simple(), Uuid::new_v4().simple());
        Self { hosts, token, cookie_name: format!("mere_ui_{port}") }
    }

    /// Returns the token, to be shown to the person who started the server.
    pub(super) fn token(&self) -> &str {
        &self.token
    }

    /// Returns the header that makes a browser keep the token.
    pub(super) fn cookie(&self) -> String {
        format!("{}={}; Path=/; HttpOnly; SameSite=Strict", self.cookie_name, self.token)
    }

    /// Checks that a request is meant for this server and only reads.
    pub(super) fn check<B>(&self, request: &Request<B>) -> Result<(), UiRefusal> {
        let refuse = |status, words| Err(UiRefusal { status, words });
        if self.hosts.check(request).is_err() || !is_own_origin(request.headers()) {
            return refuse(StatusCode::FORBIDDEN, "this host or origin is not allowed");
        }
        if !matches!(*request.method(), Method::GET | Method::HEAD) {
            return refuse(StatusCode::METHOD_NOT_ALLOWED, "these pages can only be read");
        }
        Ok(())
    }

    /// Checks that a request has the token.
    pub(super) fn admit<B>(&self, request: &Request<B>) -> Result<UiAdmission, UiRefusal> {
        let cookies = request.headers().get_all(COOKIE).iter();
        let cookies = cookies.filter_map(|value| value.to_str().ok());
        let mut cookies = cookies.flat_map(|value| value.split(';').map(str::trim));
        let shown = cookies
            .find_map(|cookie| cookie.strip_prefix(self.cookie_name.as_str())?.strip_prefix('='));
        let query = request.uri().query().unwrap_or_default();
        let in_url = query.split('&').find_map(|pair| pair.strip_prefix("token="));
        match (shown, in_url) {
            (_, Some(token)) if self.is_token(token) => Ok(UiAdmission::Cookie),
            (Some(token), None) if self.is_token(token) => Ok(UiAdmission::Pages),
            _ => Err(UiRefusal {
                status: StatusCode::FORBIDDEN,
                words: "open the URL that `mere ui` or `mere up` printed: it has the token",
            }),
        }
    }

    /// Compares digests, so that the time tells nothing about the token.
    fn is_token(&self, shown: &str) -> bool {
        Sha256::digest(shown.as_bytes()) == Sha256::digest(self.token.as_bytes())
    }
}

/// Checks that no page of another origin asks.
fn is_own_origin(headers: &HeaderMap) -> bool {
    let text = |value: &http::HeaderValue| value.to_str().map(str::to_owned).ok();
    let host = headers.get(HOST).and_then(text).unwrap_or_default();
    let is_own = |origin: &http::HeaderValue| text(origin) == Some(format!("http://{host}"));
    let fetched = headers.get("sec-fetch-site").map(http::HeaderValue::as_bytes);
    headers.get(ORIGIN).is_none_or(is_own)
        && fetched.is_none_or(|site| site == b"same-origin" || site == b"none")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access() -> UiAccess {
        let address = "127.0.0.1:7422".parse().expect("an address");
        UiAccess::new(AllowedHosts::new(address, &[]).expect("names"), 7422)
    }

    fn request(uri: &str, headers: &[(&str, &str)]) -> Request<()> {
        let mut request = Request::builder().uri(uri).header("host", "127.0.0.1:7422");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request.body(()).expect("a request")
    }

    #[test]
    fn only_our_own_pages_may_ask() {
        let access = access();
        for (name, value, expected) in [
            ("origin", "http://127.0.0.1:7422", true),
            ("origin", "http://127.0.0.1:3000", false),
            ("origin", "http://evil.test", false),
            ("origin", "null", false),
            ("sec-fetch-site", "same-origin", true),
            ("sec-fetch-site", "none", true),
            ("sec-fetch-site", "same-site", false),
            ("sec-fetch-site", "cross-site", false),
        ] {
            let is_ok = access.check(&request("/", &[(name, value)])).is_ok();
            assert_eq!(is_ok, expected, "{name}: {value}");
        }
    }

    #[test]
    fn only_the_token_opens_the_pages() {
        let access = access();
        let good = access.cookie().split(';').next().expect("a cookie").to_owned();
        let in_url = format!("/?token={}", access.token());
        assert_eq!(
            access.admit(&request("/", &[("cookie", &good)])).ok(),
            Some(UiAdmission::Pages)
        );
        assert_eq!(access.admit(&request(&in_url, &[])).ok(), Some(UiAdmission::Cookie));
        assert!(access.admit(&request("/", &[])).is_err());
        assert!(access.admit(&request("/?token=x", &[("cookie", &good)])).is_err());
        assert!(access.admit(&request("/", &[("cookie", "mere_ui_7422=x")])).is_err());
    }
}
