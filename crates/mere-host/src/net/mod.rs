//! The network: one HTTP client, for requests to a URL that a person configured.

pub(crate) mod http_client;
pub(crate) mod url;
