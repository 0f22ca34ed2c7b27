//! The network: requests to a URL that a person configured, and connections of tools to hosts that
//! a person granted.

pub(crate) mod http_client;
mod resolver;
pub(crate) mod tool_exchange;
pub(crate) mod tool_request;
pub(crate) mod url;
