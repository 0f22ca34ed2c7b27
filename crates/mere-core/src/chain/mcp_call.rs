//! The conversation with another MCP server that a chain leads to in the end.

use crate::network::HttpUrl;

/// A server on the web.
#[derive(Clone, PartialEq, Eq)]
pub struct McpEndpoint {
    /// Its URL.
    pub url: HttpUrl,
    /// The headers of every request besides those of the protocol: names in lower case.
    pub headers: Vec<(String, String)>,
}
