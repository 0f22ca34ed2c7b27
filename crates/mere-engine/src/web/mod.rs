//! The one way out of this machine: a request that a person configured, to where they configured it.
//!
//! Nothing is followed elsewhere, an answer has a size and a time, and what it says is judged by
//! whoever asked. What a key is, is in no error and in no log.

mod url;

use std::io;
use std::time::Duration;

use mere_core::request::Secret;
use ureq::http::StatusCode;
use ureq::tls::{RootCerts, TlsConfig};
use ureq::{Agent, Error};

pub(crate) use url::Url;

/// Why there is no answer. It names no address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum HttpError {
    #[error("nobody answers there")]
    Unreachable,
    #[error("nothing shows that it is who it should be")]
    Untrusted,
    #[error("it took too long")]
    Timeout,
    #[error("it answered with status {0}")]
    Status(u16),
    #[error("its answer is too large")]
    TooLarge,
    #[error("its answer is no HTTP")]
    InvalidResponse,
    #[error("the key cannot be sent: it has letters that no key has")]
    InvalidKey,
}

/// A request with a JSON body.
pub(crate) struct PostRequest<'a> {
    pub(crate) url: &'a Url,
    pub(crate) key: Option<&'a Secret>,
    pub(crate) body: &'a [u8],
    pub(crate) timeout: Duration,
    /// The most bytes an answer may have.
    pub(crate) max_response_bytes: u64,
}

impl PostRequest<'_> {
    /// Sends it, and takes the answer if it is a success.
    pub(crate) fn send(&self) -> Result<Vec<u8>, HttpError> {
        let agent = self.agent();
        let mut request = agent.post(self.url.uri()).header("content-type", "application/json");
        if let Some(key) = self.key {
            if key.expose().bytes().any(|byte| !byte.is_ascii_graphic()) {
                return Err(HttpError::InvalidKey);
            }
            request = request.header("authorization", format!("Bearer {}", key.expose()));
        }
        let mut response = request.send(self.body).map_err(|error| match error {
            // Before there is an answer, what is not understood is a certificate.
            Error::Io(error) if error.kind() == io::ErrorKind::InvalidData => HttpError::Untrusted,
            error => classify(&error),
        })?;
        if response.status() != StatusCode::OK {
            return Err(HttpError::Status(response.status().as_u16()));
        }
        let body = response.body_mut().with_config().limit(self.max_response_bytes);
        body.read_to_vec().map_err(|error| classify(&error))
    }

    /// A client of its own for each request: connections are not kept, and nothing is remembered.
    fn agent(&self) -> Agent {
        // Whom the system trusts, so that a company's own authorities count too.
        let tls = TlsConfig::builder().root_certs(RootCerts::PlatformVerifier).build();
        let config = Agent::config_builder()
            .tls_config(tls)
            .timeout_global(Some(self.timeout))
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .user_agent(concat!("mere/", env!("CARGO_PKG_VERSION")));
        // The proxy that the environment names is for what lies elsewhere.
        let config = if self.url.is_loopback() { config.proxy(None) } else { config };
        config.build().new_agent()
    }
}

fn classify(error: &Error) -> HttpError {
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

/// An answer that ended early or was none.
fn is_invalid_body(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::UnexpectedEof | io::ErrorKind::InvalidData)
}
