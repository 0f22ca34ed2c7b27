//! Requests to a registry that a person logged in to.
//!
//! One client keeps its connection for all requests of a call. No redirect is followed, so a token
//! reaches no other host, and a response is limited in size and in time: the larger it may be, the
//! longer it may take. No error and no log contains the token.

use std::time::Duration;

use mere_core::request::Secret;
use ureq::Agent;
use ureq::http::Request;
use ureq::tls::{RootCerts, TlsConfig};

use super::http_client::{HttpError, classify, is_certificate_error};
use super::url::Url;

/// How long a connection may take to be made.
const CONNECT_TIME: Duration = Duration::from_secs(5);
/// How many bytes of a response give it one more second.
const BYTES_PER_SECOND: u64 = 256 * 1024;

/// The size of the largest refusal in bytes.
const MAX_REFUSAL_BYTES: u64 = 16 * 1024;

/// A client of one registry.
pub struct RegistryClient {
    agent: Agent,
    /// The URL of the registry without a slash at its end.
    base: String,
    token: Option<Secret>,
    /// How long the smallest exchange may take.
    patience: Duration,
}

/// One request to a registry.
pub struct RegistryRequest<'a> {
    /// What is done.
    pub method: RegistryMethod<'a>,
    /// The path below the URL of the registry, with its query.
    pub path: &'a str,
    /// The most bytes that the response may have.
    pub max_response_bytes: u64,
}

/// What a request does.
#[derive(Clone, Copy)]
pub enum RegistryMethod<'a> {
    /// Reads something.
    Get,
    /// Uploads the bytes of a file.
    PutBytes(&'a [u8]),
    /// Uploads a JSON text.
    PutJson(&'a [u8]),
    /// Asks for a change, with a JSON text.
    PostJson(&'a [u8]),
}

/// The response of a registry, whatever its status is.
pub struct RegistryResponse {
    /// The status of HTTP.
    pub status: u16,
    /// The body.
    pub body: Vec<u8>,
}

impl RegistryClient {
    /// Makes a client. No exchange that transfers little takes longer than `patience`.
    pub fn new(url: &Url, token: Option<Secret>, patience: Duration) -> Result<Self, HttpError> {
        let is_sendable = |token: &Secret| token.expose().bytes().all(|b| b.is_ascii_graphic());
        if !token.as_ref().is_none_or(is_sendable) {
            return Err(HttpError::InvalidKey);
        }
        // The system's trust store is used, so that a company's own authorities count too.
        let tls = TlsConfig::builder().root_certs(RootCerts::PlatformVerifier).build();
        let config = Agent::config_builder()
            .tls_config(tls)
            .timeout_connect(Some(CONNECT_TIME.min(patience)))
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .allow_non_standard_methods(false)
            .user_agent(concat!("mere/", env!("CARGO_PKG_VERSION")));
        // The proxy of the environment is not used for this machine.
        let config = if url.is_loopback() { config.proxy(None) } else { config };
        let base = url.to_string().trim_end_matches('/').to_owned();
        Ok(Self { agent: config.build().new_agent(), base, token, patience })
    }

    /// Sends a request and reads the response.
    pub fn send(&self, request: &RegistryRequest<'_>) -> Result<RegistryResponse, HttpError> {
        let (method, content_type, body) = match request.method {
            RegistryMethod::Get => ("GET", None, &[][..]),
            RegistryMethod::PutBytes(body) => ("PUT", Some("application/octet-stream"), body),
            RegistryMethod::PutJson(body) => ("PUT", Some("application/json"), body),
            RegistryMethod::PostJson(body) => ("POST", Some("application/json"), body),
        };
        let mut message =
            Request::builder().method(method).uri(format!("{}{}", self.base, request.path));
        if let Some(content_type) = content_type {
            message = message.header("content-type", content_type);
        }
        if let Some(token) = &self.token {
            message = message.header("authorization", format!("Bearer {}", token.expose()));
        }
        let bytes = request.max_response_bytes.saturating_add(body.len() as u64);
        let time = self.patience + Duration::from_secs(bytes / BYTES_PER_SECOND);
        let invalid = |_| HttpError::InvalidResponse;
        let response = if content_type.is_some() {
            let message = message.body(body).map_err(invalid)?;
            let message = self.agent.configure_request(message).timeout_global(Some(time)).build();
            self.agent.run(message)
        } else {
            let message = message.body(()).map_err(invalid)?;
            let message = self.agent.configure_request(message).timeout_global(Some(time)).build();
            self.agent.run(message)
        };
        let mut response = response.map_err(|error| match error {
            error if is_certificate_error(&error) => HttpError::Untrusted,
            error => classify(&error),
        })?;
        let status = response.status().as_u16();
        // A refusal is explained, however short the answer should have been. The limit of the library
        // is one that must not be reached.
        let most = match status {
            200..=299 => request.max_response_bytes,
            _ => MAX_REFUSAL_BYTES,
        };
        let body = response.body_mut().with_config().limit(most.saturating_add(1));
        let body = body.read_to_vec().map_err(|error| classify(&error))?;
        if body.len() as u64 > most {
            return Err(HttpError::TooLarge);
        }
        Ok(RegistryResponse { status, body })
    }
}
