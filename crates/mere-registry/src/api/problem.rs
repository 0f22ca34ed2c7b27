//! A refusal as `application/problem+json` (RFC 9457), with a stable code.

use std::time::Duration;

use bytes::Bytes;
use http::header::{
    ALLOW, CACHE_CONTROL, CONTENT_TYPE, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE,
};
use http::{Response, StatusCode};
use http_body_util::{BodyExt, Full};
use mere_core::registry::{PROBLEM_MEDIA_TYPE, ProblemCode, ProblemDetails};
use mere_http::{Body, BodyRefusal, HostRefusal};
use mere_pages::insert_page_headers;

use crate::error::RegistryError;
use crate::pages::render_problem;

/// A refused request.
#[derive(Debug)]
pub(super) struct Problem {
    pub(super) code: ProblemCode,
    pub(super) detail: String,
    retry_after: Option<Duration>,
    allowed: Option<&'static str>,
}

impl Problem {
    /// Creates a problem.
    pub(super) fn new(code: ProblemCode, detail: &str) -> Self {
        Self { code, detail: detail.to_owned(), retry_after: None, allowed: None }
    }

    /// Creates the problem of a method that a path does not have.
    pub(super) fn method(allowed: &'static str) -> Self {
        let problem = Self::new(ProblemCode::MethodNotAllowed, "use another method here");
        Self { allowed: Some(allowed), ..problem }
    }

    /// Asks the client to come back later.
    pub(super) fn with_retry_after(mut self, wait: Duration) -> Self {
        self.retry_after = Some(wait);
        self
    }

    /// Builds the response.
    pub(super) fn response(&self) -> Response<Body> {
        let details = ProblemDetails::new(self.code, self.detail.as_str());
        let body = serde_json::to_vec(&details).unwrap_or_default();
        let mut response = Response::new(Full::new(Bytes::from(body)).boxed());
        let status = StatusCode::from_u16(self.code.status());
        *response.status_mut() = status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(PROBLEM_MEDIA_TYPE));
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        if let Some(wait) = self.retry_after {
            headers.insert(RETRY_AFTER, HeaderValue::from(wait.as_secs().max(1)));
        }
        if let Some(methods) = self.allowed {
            headers.insert(ALLOW, HeaderValue::from_static(methods));
        }
        if self.code == ProblemCode::InvalidToken {
            headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}

impl Problem {
    /// Builds the response for a person with a browser.
    pub(super) fn page_response(&self) -> Response<Body> {
        let page = Bytes::from(render_problem(&self.detail));
        let mut response = self.response().map(|_| Full::new(page).boxed());
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
        insert_page_headers(headers);
        response
    }
}

impl From<RegistryError> for Problem {
    fn from(error: RegistryError) -> Self {
        if !error.is_failure() {
            return Self::new(error.code(), &error.to_string());
        }
        // What failed is for the operator, and may name their machine.
        tracing::error!(%error, "a request failed");
        Self::new(error.code(), "something went wrong; the log of the server says what")
    }
}

impl From<HostRefusal> for Problem {
    fn from(refusal: HostRefusal) -> Self {
        let code = match refusal {
            HostRefusal::Foreign => ProblemCode::NotPermitted,
            HostRefusal::RepeatedHost => ProblemCode::InvalidRequest,
        };
        Self::new(code, &refusal.to_string())
    }
}

impl From<BodyRefusal> for Problem {
    fn from(refusal: BodyRefusal) -> Self {
        let code = match refusal {
            BodyRefusal::TooLarge => ProblemCode::TooLarge,
            BodyRefusal::TooSlow => ProblemCode::RequestTimeout,
            BodyRefusal::Incomplete => ProblemCode::InvalidRequest,
            BodyRefusal::NoRoom => ProblemCode::Unavailable,
        };
        let problem = Self::new(code, &refusal.to_string());
        match refusal {
            BodyRefusal::NoRoom => problem.with_retry_after(Duration::from_secs(1)),
            _ => problem,
        }
    }
}
