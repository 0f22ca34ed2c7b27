//! Answers: a status, a body and its type, with an entity tag, compressed if the client likes that.

use bytes::Bytes;
use http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, HeaderMap, HeaderValue,
    IF_NONE_MATCH, VARY, X_CONTENT_TYPE_OPTIONS,
};
use http::{Response, StatusCode};
use http_body_util::{BodyExt, Empty, Full};
use mere_core::digest::Sha256;
use mere_http::Body;
use mere_pages::{insert_page_headers, insert_picture_headers};
use serde::Serialize;

use super::gzip;

/// The smallest body that is compressed.
const MIN_COMPRESSED: usize = 1024;

/// How long an answer may be kept by those who asked for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lifetime {
    /// It is asked for again every time, and not sent again if it is the same.
    Checked,
    /// It never changes.
    Unchanging,
}

/// Who reads an answer, which decides what a browser may do with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Audience {
    /// Programs.
    Programs,
    /// A person, as a page.
    Page,
    /// A person, as a picture.
    Picture,
}

/// An answer before it is sent.
pub(super) struct Answer {
    status: StatusCode,
    content_type: &'static str,
    body: Bytes,
    lifetime: Lifetime,
    audience: Audience,
}

impl Answer {
    /// Creates an answer of this type.
    pub(super) fn new(content_type: &'static str, body: impl Into<Bytes>) -> Self {
        let body = body.into();
        let (lifetime, audience) = (Lifetime::Checked, Audience::Programs);
        Self { status: StatusCode::OK, content_type, body, lifetime, audience }
    }

    /// Creates a page.
    pub(super) fn page(text: String) -> Self {
        Self { audience: Audience::Page, ..Self::new("text/html; charset=utf-8", text) }
    }

    /// Creates a picture.
    pub(super) fn picture(text: String) -> Self {
        Self { audience: Audience::Picture, ..Self::new("image/svg+xml", text) }
    }

    /// Creates an answer in JSON.
    pub(super) fn json(value: &impl Serialize) -> Self {
        Self::new("application/json", serde_json::to_vec(value).unwrap_or_default())
    }

    /// Changes the status.
    pub(super) fn with_status(mut self, status: StatusCode) -> Self {
        self.status = status;
        self
    }

    /// Says that it never changes.
    pub(super) fn unchanging(mut self) -> Self {
        self.lifetime = Lifetime::Unchanging;
        self
    }

    /// Builds the response to a request with these headers.
    pub(super) fn response(self, request: &HeaderMap) -> Response<Body> {
        let digest = Sha256::digest(&self.body).to_string();
        let is_packed = self.body.len() >= MIN_COMPRESSED && accepts_gzip(request);
        let tag = if is_packed {
            format!("\"{}-gzip\"", &digest[..32])
        } else {
            format!("\"{}\"", &digest[..32])
        };
        let is_known = self.status == StatusCode::OK && names_tag(request, &digest[..32]);
        let mut response = if is_known {
            Response::new(Empty::new().boxed())
        } else if is_packed {
            Response::new(Full::new(Bytes::from(gzip::compress(&self.body))).boxed())
        } else {
            Response::new(Full::new(self.body).boxed())
        };
        *response.status_mut() = if is_known { StatusCode::NOT_MODIFIED } else { self.status };
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(self.content_type));
        headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        headers.insert(VARY, HeaderValue::from_static("accept-encoding, authorization"));
        headers.insert(CACHE_CONTROL, self.lifetime.header());
        match self.audience {
            Audience::Programs => {}
            Audience::Page => insert_page_headers(headers),
            Audience::Picture => insert_picture_headers(headers),
        }
        if let Ok(tag) = HeaderValue::from_str(&tag) {
            headers.insert(ETAG, tag);
        }
        if is_packed && !is_known {
            headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        }
        response
    }
}

impl Lifetime {
    fn header(self) -> HeaderValue {
        HeaderValue::from_static(match self {
            Self::Checked => "private, no-cache",
            Self::Unchanging => "private, max-age=31536000, immutable",
        })
    }
}

/// Reports whether the client accepts gzip.
fn accepts_gzip(headers: &HeaderMap) -> bool {
    let values = headers.get_all(ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).any(|one| {
        let mut parts = one.split(';').map(str::trim);
        let is_gzip = parts.next().is_some_and(|name| name.eq_ignore_ascii_case("gzip"));
        is_gzip && !parts.any(|weight| matches!(weight, "q=0" | "q=0.0" | "q=0.00" | "q=0.000"))
    })
}

/// Reports whether the client has the body with this tag already, in whatever encoding.
fn names_tag(headers: &HeaderMap, tag: &str) -> bool {
    let values = headers.get_all(IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).any(|one| {
        let one = one.trim().trim_start_matches("W/").trim_matches('"');
        one == "*" || one.strip_suffix("-gzip").unwrap_or(one) == tag
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(name: http::HeaderName, value: &'static str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(name, HeaderValue::from_static(value));
        headers
    }

    #[test]
    fn compresses_for_those_who_accept_it() {
        for (value, expected) in [
            ("gzip", true),
            ("br, GZIP;q=0.5", true),
            ("gzip;q=0", false),
            ("identity", false),
            ("x-gzip", false),
        ] {
            assert_eq!(accepts_gzip(&headers(ACCEPT_ENCODING, value)), expected, "{value}");
        }
    }

    #[test]
    fn what_a_client_has_is_not_sent_again() {
        let answer = || Answer::new("text/plain", "x".repeat(2000));
        let first = answer().response(&headers(ACCEPT_ENCODING, "gzip"));
        let tag = first.headers()[ETAG].to_str().expect("a tag").to_owned();
        assert!(tag.ends_with("-gzip\""), "{tag}");
        let mut again = HeaderMap::new();
        again.insert(IF_NONE_MATCH, tag.parse().expect("a header"));
        assert_eq!(answer().response(&again).status(), StatusCode::NOT_MODIFIED);
        let other = headers(IF_NONE_MATCH, "\"other\"");
        assert_eq!(answer().response(&other).status(), StatusCode::OK);
    }
}
