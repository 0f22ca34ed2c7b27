//! The network: requests to a URL or a registry that a person configured, and connections of tools to
//! hosts that a person granted.

pub(crate) mod http_client;
pub(crate) mod mcp_exchange;
#[cfg(target_os = "linux")]
pub(crate) mod proxy;
#[cfg(target_os = "linux")]
mod proxy_request;
pub(crate) mod registry_client;
pub(crate) mod registry_url;
#[cfg(target_os = "linux")]
mod relay;
mod resolver;
pub(crate) mod tool_exchange;
pub(crate) mod tool_request;
pub(crate) mod url;
