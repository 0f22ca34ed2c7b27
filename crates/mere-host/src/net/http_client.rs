//! The HTTP client for requests that a person configured, to a URL that a person configured.
//!
//! No redirect is followed, a response is limited in size and time, and its content is checked by
//! the caller. No error and no log contains a key.

use std::io;
use std::time::Duration;

use mere_core::request::Secret;
use ureq::http::StatusCode;
use ureq::tls::{RootCerts, TlsConfig};
use ureq::{Agent, Error};

use super::url::Url;

/// The reasons why a request has no response. None of them names an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HttpError {
    /// No connection could be made.
    #[error("the server cannot be reached")]
    Unreachable,
    /// The server's certificate is not trusted.
    #[error("its certificate is not trusted")]
    Untrusted,
    /// The response did not come in time.
    #[error("the request timed out")]
    Timeout,
    /// The response has a status other than success.
    #[error("it answered with status {0}")]
    Status(u16),
    /// The response is larger than it may be.
    #[error("the response is too large")]
    TooLarge,
    /// The response is not valid HTTP.
    #[error("the response is not valid HTTP")]
    InvalidResponse,
    /// The key cannot be sent in a header.
    #[error("the key cannot be sent: it contains characters that are not allowed in a header")]
    InvalidKey,
}

/// A request with a JSON body.
pub struct PostRequest<'a> {
    /// The URL, as a person configured it.
    pub url: &'a Url,
    /// The key that is sent as a bearer token, if there is one.
    pub key: Option<&'a Secret>,
    /// The JSON text.
    pub body: &'a [u8],
    /// How long the whole exchange may take.
    pub timeout: Duration,
    /// The most bytes a response may have.
    pub max_response_bytes: u64,
}

impl PostRequest<'_> {
    /// Sends the request and returns the body of a successful response.
    pub fn send(&self) -> Result<Vec<u8>, HttpError> {
        let agent = self.agent();
        let mut request = agent.post(self.url.uri()).header("content-type", "application/json");
        if let Some(key) = self.key {
            if key.expose().bytes().any(|byte| !byte.is_ascii_graphic()) {
                return Err(HttpError::InvalidKey);
            }
            request = request.header("authorization", format!("Bearer {}", key.expose()));
        }
        let mut response = request.send(self.body).map_err(|error| match error {
            error if is_certificate_error(&error) => HttpError::Untrusted,
            error => classify(&error),
        })?;
        if response.status() != StatusCode::OK {
            return Err(HttpError::Status(response.status().as_u16()));
        }
        let body = response.body_mut().with_config().limit(self.max_response_bytes);
        body.read_to_vec().map_err(|error| classify(&error))
    }

    /// Builds a client for one request, so that no connection is kept and nothing is remembered.
    fn agent(&self) -> Agent {
        // The system's trust store is used, so that a company's own authorities count too.
        let tls = TlsConfig::builder().root_certs(RootCerts::PlatformVerifier).build();
        let config = Agent::config_builder()
            .tls_config(tls)
            .timeout_global(Some(self.timeout))
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .user_agent(concat!("mere/", env!("CARGO_PKG_VERSION")));
        // The proxy of the environment is not used for this machine.
        let config = if self.url.is_loopback() { config.proxy(None) } else { config };
        config.build().new_agent()
    }
}

/// Returns whether an error that came before there was a response is that of a certificate. Invalid
/// data can be nothing else then.
pub(super) fn is_certificate_error(error: &Error) -> bool {
    matches!(error, Error::Io(error) if error.kind() == io::ErrorKind::InvalidData)
}

pub(super) fn classify(error: &Error) -> HttpError {
    match error {
        Error::Timeout(_) => HttpError::Timeout,
        Error::BodyExceedsLimit(_) => HttpError::TooLarge,
        Error::Io(error) if error.kind() == io::ErrorKind::TimedOut => HttpError::Timeout,
        Error::Io(error) if is_invalid_body(error) => HttpError::InvalidResponse,
        Error::Protocol(_) | Error::Http(_) => HttpError::InvalidResponse,
        Error::Tls(_) | Error::Rustls(_) => HttpError::Untrusted,
        _ => HttpError::Unreachable,
    }
}

/// Returns whether the body ended early or was not valid HTTP.
fn is_invalid_body(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::UnexpectedEof | io::ErrorKind::InvalidData)
}
