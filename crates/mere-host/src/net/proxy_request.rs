//! The first request on a connection to the proxy: `CONNECT host:port`, or a request for an
//! `http:` URL.
//!
//! The header is read up to its end and parsed strictly; whatever could be read in two ways is
//! refused.

use mere_core::network::{HttpScheme, HttpUrl, NetworkEndpoint};

/// The longest header, in bytes.
pub(super) const MAX_HEAD: usize = 64 * 1024;
/// The headers that are meant for the proxy itself, or for one connection.
const HOP_HEADERS: [&str; 6] = [
    "connection",
    "keep-alive",
    "proxy-authenticate",
    "proxy-authorization",
    "proxy-connection",
    "host",
];

/// What a tool asks of the proxy.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ProxyRequest {
    /// A connection that is passed through.
    Connect(NetworkEndpoint),
    /// A request that is sent on, with its header as the host gets it.
    Forward { endpoint: NetworkEndpoint, head: Vec<u8> },
}

/// Returns the length of the header with its last empty line, once it has arrived.
pub(super) fn head_length(bytes: &[u8]) -> Option<usize> {
    bytes.windows(4).position(|window| window == b"\r\n\r\n").map(|at| at + 4)
}

impl ProxyRequest {
    /// Parses the header of a request. Returns `None` if it is not one for this proxy.
    pub(super) fn parse(head: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(head).ok()?.strip_suffix("\r\n\r\n")?;
        let is_plain =
            |line: &str| line.bytes().all(|byte| byte >= b' ' && byte != 127 || byte == b'\t');
        let mut lines = text.split("\r\n");
        let first = lines.next().filter(|line| is_plain(line))?;
        let mut words = first.split(' ');
        let (method, target, version) = (words.next()?, words.next()?, words.next()?);
        let is_method = !method.is_empty() && method.bytes().all(|byte| byte.is_ascii_uppercase());
        if words.next().is_some() || !is_method || !["HTTP/1.1", "HTTP/1.0"].contains(&version) {
            return None;
        }
        let headers = lines.map(|line| parse_header(line).filter(|_| is_plain(line)));
        let headers = headers.collect::<Option<Vec<_>>>()?;
        if method == "CONNECT" {
            return target.parse().ok().map(Self::Connect);
        }
        let url = target.parse::<HttpUrl>().ok();
        let url = url.filter(|url| url.scheme() == HttpScheme::Http)?;
        let mut head = format!("{method} {} HTTP/1.1\r\n", url.path_and_query());
        head.extend(["Host: ", &url.authority(), "\r\nConnection: close\r\n"]);
        for (name, value) in headers {
            if !HOP_HEADERS.iter().any(|hop| name.eq_ignore_ascii_case(hop)) {
                head.extend([name, ":", value, "\r\n"]);
            }
        }
        head.push_str("\r\n");
        Some(Self::Forward { endpoint: url.endpoint().clone(), head: head.into_bytes() })
    }

    /// Returns the host and port that are asked for.
    pub(super) fn endpoint(&self) -> &NetworkEndpoint {
        match self {
            Self::Connect(endpoint) | Self::Forward { endpoint, .. } => endpoint,
        }
    }
}

fn parse_header(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.split_once(':')?;
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    (!name.is_empty() && name.bytes().all(is_token)).then_some((name, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Option<ProxyRequest> {
        ProxyRequest::parse(text.as_bytes())
    }

    #[test]
    fn requests_for_the_proxy_are_understood() {
        let connect = parse("CONNECT A.example:443 HTTP/1.1\r\nHost: other\r\n\r\n");
        assert_eq!(connect, Some(ProxyRequest::Connect("a.example:443".parse().expect("one"))));
        let request = "GET http://a.example:8080/x?y HTTP/1.1\r\nHost: evil.example\r\n\
                       Proxy-Authorization: z\r\nX: 1\r\nConnection: keep-alive, X\r\n\r\n";
        let Some(ProxyRequest::Forward { endpoint, head }) = parse(request) else {
            panic!("a request");
        };
        assert_eq!(endpoint.to_string(), "a.example:8080");
        let expected =
            "GET /x?y HTTP/1.1\r\nHost: a.example:8080\r\nConnection: close\r\nX: 1\r\n\r\n";
        assert_eq!(String::from_utf8_lossy(&head), expected);
    }

    #[test]
    fn everything_else_is_refused() {
        for text in [
            "",
            "\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a.example\r\n\r\n",
            "GET https://a.example/ HTTP/1.1\r\n\r\n",
            "GET file:///etc/passwd HTTP/1.1\r\n\r\n",
            "GET http://user@a.example/ HTTP/1.1\r\n\r\n",
            "GET http://127.1/ HTTP/1.1\r\n\r\n",
            "GET http://a.example/ HTTP/2\r\n\r\n",
            "GET http://a.example/\r\n\r\n",
            "GET  http://a.example/ HTTP/1.1\r\n\r\n",
            "GET http://a.example/ HTTP/1.1 x\r\n\r\n",
            "get http://a.example/ HTTP/1.1\r\n\r\n",
            "GET http://a.example/ HTTP/1.1\r\n folded\r\n\r\n",
            "GET http://a.example/ HTTP/1.1\r\nA : b\r\n\r\n",
            "GET http://a.example/ HTTP/1.1\r\nno colon\r\n\r\n",
            "GET http://a.example/ HTTP/1.1\nA: b\r\n\r\n",
            "GET http://a.example/ HTTP/1.1\r\nA: b\nC: d\r\n\r\n",
            "GET http://a.example/ HTTP/1.1\r\nA: b\rC: d\r\n\r\n",
            "CONNECT a.example HTTP/1.1\r\n\r\n",
            "CONNECT http://a.example:443 HTTP/1.1\r\n\r\n",
            "CONNECT user@a.example:443 HTTP/1.1\r\n\r\n",
            "CONNECT 2130706433:443 HTTP/1.1\r\n\r\n",
            "CONNECT a.example:443 HTTP/1.1",
        ] {
            assert_eq!(parse(text), None, "{text:?}");
        }
        assert_eq!(ProxyRequest::parse(b"CONNECT \xff:1 HTTP/1.1\r\n\r\n"), None);
    }

    #[test]
    fn a_header_ends_with_an_empty_line() {
        assert_eq!(head_length(b"CONNECT a:1 HTTP/1.1\r\n\r\nrest"), Some(24));
        assert_eq!(head_length(b"CONNECT a:1 HTTP/1.1\r\n"), None);
    }
}
