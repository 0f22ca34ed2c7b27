//! The address the server listens on, and the host names by which clients may reach it.
//!
//! A request with any other `Host` or `Origin` comes from a page that tricked a browser into
//! sending it here (by DNS rebinding, for example). It is refused before anything else is looked
//! at.

use std::net::{IpAddr, SocketAddr};

use http::header::{HOST, ORIGIN};
use http::uri::Authority;
use http::{HeaderMap, HeaderName, Request, Uri};

/// The host names of one server.
pub struct AllowedHosts {
    address: SocketAddr,
    names: Vec<String>,
}

/// The error for a wildcard address, which has no name of its own.
#[derive(Debug, thiserror::Error)]
#[error("listening on all addresses requires the name by which clients reach the server")]
pub struct MissingHostName;

/// The reasons why a request is not meant for this server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HostRefusal {
    /// Its `Host` or `Origin` is not one of ours.
    #[error("this host or origin is not allowed")]
    Foreign,
    /// It has several `Host` headers, or one that is not text.
    #[error("send one Host header")]
    RepeatedHost,
}

impl AllowedHosts {
    /// Creates the list for an address, with the additional names that the operator allows.
    pub fn new(address: SocketAddr, allowed: &[String]) -> Result<Self, MissingHostName> {
        let mut names = allowed.iter().map(|name| name.to_ascii_lowercase()).collect::<Vec<_>>();
        let ip = address.ip();
        if ip.is_loopback() {
            names.extend(["localhost", "127.0.0.1", "[::1]"].map(str::to_owned));
        } else if !ip.is_unspecified() {
            names.push(match ip {
                IpAddr::V4(ip) => ip.to_string(),
                IpAddr::V6(ip) => format!("[{ip}]"),
            });
        }
        if names.is_empty() { Err(MissingHostName) } else { Ok(Self { address, names }) }
    }

    /// Checks whether only processes on this machine can reach the server.
    pub fn is_loopback(&self) -> bool {
        self.address.ip().is_loopback()
    }

    /// Refuses requests that are not meant for this server.
    pub fn check<B>(&self, request: &Request<B>) -> Result<(), HostRefusal> {
        let foreign = || HostRefusal::Foreign;
        let host = single_header(request.headers(), &HOST)
            .map_err(|RepeatedHeader| HostRefusal::RepeatedHost)?;
        let named = request.uri().authority().cloned();
        let hosts = [host.and_then(|host| host.parse().ok()), named];
        let all_ours = host.is_some_and(|host| host.parse::<Authority>().is_ok())
            && hosts.iter().flatten().all(|host| self.is_allowed(host));
        if !all_ours {
            return Err(foreign());
        }
        match single_header(request.headers(), &ORIGIN).map_err(|RepeatedHeader| foreign())? {
            None => Ok(()),
            Some(origin) => {
                let uri = origin.parse::<Uri>().map_err(|_| foreign())?;
                let web = matches!(uri.scheme_str(), Some("http" | "https"));
                let ours = uri.authority().is_some_and(|authority| self.is_allowed(authority));
                if web && ours { Ok(()) } else { Err(foreign()) }
            }
        }
    }

    fn is_allowed(&self, authority: &Authority) -> bool {
        // After the host there may be nothing or a valid port; a user name is refused.
        let rest = authority.as_str().strip_prefix(authority.host());
        let port = rest.map(|rest| rest.strip_prefix(':').unwrap_or("0"));
        let plain = port.is_some_and(|port| port.parse::<u16>().is_ok());
        plain && self.names.iter().any(|name| name.eq_ignore_ascii_case(authority.host()))
    }
}

/// The error for a header that occurs more than once or is not text.
struct RepeatedHeader;

fn single_header<'a>(
    headers: &'a HeaderMap,
    name: &HeaderName,
) -> Result<Option<&'a str>, RepeatedHeader> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (None, _) => Ok(None),
        (Some(value), None) => value.to_str().map(Some).map_err(|_| RepeatedHeader),
        (Some(_), Some(_)) => Err(RepeatedHeader),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(allowed: &AllowedHosts, uri: &str, headers: &[(&str, &str)], expected: bool) {
        let mut request = Request::builder().uri(uri);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(()).expect("a request");
        assert_eq!(allowed.check(&request).is_ok(), expected, "{uri} {headers:?}");
    }

    #[test]
    fn only_our_names_are_ours() {
        let allowed =
            AllowedHosts::new("127.0.0.1:7421".parse().expect("an address"), &[]).expect("a site");
        for host in ["localhost", "LOCALHOST:7421", "127.0.0.1:1", "[::1]:7421", "[::1]"] {
            check(&allowed, "/mcp", &[("host", host)], true);
        }
        for host in [
            "",
            "evil.test",
            "127.0.0.1.evil.test",
            "localhost.evil.test",
            "evil@localhost",
            "localhost:99999",
            "localhost:x",
            "127.0.0.2",
            "[::2]",
            "0.0.0.0",
            "localhost ",
            "a b",
        ] {
            check(&allowed, "/mcp", &[("host", host)], false);
        }
        check(&allowed, "/mcp", &[], false);
        check(&allowed, "/mcp", &[("host", "localhost"), ("host", "evil.test")], false);
        check(&allowed, "http://evil.test/mcp", &[("host", "localhost")], false);
        check(&allowed, "http://localhost/mcp", &[("host", "localhost")], true);
        for (origin, ours) in [
            ("http://localhost:3000", true),
            ("https://127.0.0.1", true),
            ("http://[::1]:1", true),
            ("null", false),
            ("http://evil.test", false),
            ("file://localhost", false),
            ("", false),
            ("http://localhost@evil.test", false),
            ("localhost", false),
        ] {
            check(&allowed, "/mcp", &[("host", "localhost"), ("origin", origin)], ours);
        }
    }

    #[test]
    fn a_wildcard_needs_a_name() {
        let everywhere = "0.0.0.0:1".parse().expect("an address");
        assert!(AllowedHosts::new(everywhere, &[]).is_err());
        let allowed = AllowedHosts::new(everywhere, &["mere.test".to_owned()]).expect("a site");
        check(&allowed, "/mcp", &[("host", "mere.test:1")], true);
        check(&allowed, "/mcp", &[("host", "127.0.0.1:1")], false);
    }
}
