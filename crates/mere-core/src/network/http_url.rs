//! The URL of a request: `http:` or `https:`, a host, a port, a path and a query.
//!
//! Nothing in it may be read in two ways: there is no user before the host, no fragment, no
//! backslash, no step up in the path, and no character that some program would encode.

use std::fmt;
use std::fmt::Write as _;
use std::str::FromStr;

use super::endpoint::NetworkEndpoint;

/// The longest URL, in bytes.
const MAX_URL: usize = 16 * 1024;

/// The protocol of a URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HttpScheme {
    /// Unencrypted.
    Http,
    /// Encrypted, with a certificate that is checked.
    Https,
}

/// The URL of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpUrl {
    scheme: HttpScheme,
    endpoint: NetworkEndpoint,
    /// The path, which begins with `/`, and the query, which begins with `?` if there is one.
    path_and_query: String,
}

/// The reason why a text is not such a URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HttpUrlFault {
    /// The URL has another scheme, or none.
    #[error("a URL must begin with `https://` or `http://`")]
    Scheme,
    /// The host or the port is malformed, or there is a user before it.
    #[error("a URL must have a plain host after `//`, and a port only as a number")]
    Host,
    /// The path or the query has a character that does not belong there.
    #[error("a URL must not have a fragment, blanks, backslashes or other characters to encode")]
    Character,
    /// The path has a step that leads upwards.
    #[error("the path of a URL must not have the steps `.` and `..`")]
    DotSegment,
    /// The URL is too long.
    #[error("a URL has at most {MAX_URL} bytes")]
    TooLong,
}

impl HttpScheme {
    fn default_port(self) -> u16 {
        match self {
            Self::Http => 80,
            Self::Https => 443,
        }
    }

    fn prefix(self) -> &'static str {
        match self {
            Self::Http => "http://",
            Self::Https => "https://",
        }
    }
}

impl HttpUrl {
    /// Returns the protocol.
    pub fn scheme(&self) -> HttpScheme {
        self.scheme
    }

    /// Returns the host and port to connect to.
    pub fn endpoint(&self) -> &NetworkEndpoint {
        &self.endpoint
    }

    /// Returns the path and the query, as in the first line of a request.
    pub fn path_and_query(&self) -> &str {
        &self.path_and_query
    }

    /// Returns the host, with the port if it is not the usual one, as in the `Host` header.
    pub fn authority(&self) -> String {
        let NetworkEndpoint { host, port } = &self.endpoint;
        if *port == self.scheme.default_port() {
            host.to_string()
        } else {
            format!("{host}:{port}")
        }
    }

    /// Reports whether both have the same protocol, host and port.
    pub fn has_origin_of(&self, other: &Self) -> bool {
        self.scheme == other.scheme && self.endpoint == other.endpoint
    }

    /// Adds parameters to the query, encoded.
    pub fn with_query<'a>(
        mut self,
        parameters: impl Iterator<Item = (&'a str, &'a str)>,
    ) -> Result<Self, HttpUrlFault> {
        for (name, value) in parameters {
            let separator = match self.path_and_query.split_once('?') {
                None => "?",
                Some((_, query)) if query.is_empty() || query.ends_with('&') => "",
                Some(_) => "&",
            };
            self.path_and_query.push_str(separator);
            self.path_and_query.push_str(&encode_component(name));
            self.path_and_query.push('=');
            self.path_and_query.push_str(&encode_component(value));
            if self.path_and_query.len() > MAX_URL {
                return Err(HttpUrlFault::TooLong);
            }
        }
        Ok(self)
    }

    /// Resolves the target of a redirect, which may be relative to this URL. A fragment in it is
    /// left out, because it is never sent.
    pub fn join(&self, location: &str) -> Result<Self, HttpUrlFault> {
        let location = location.split_once('#').map_or(location, |(before, _)| before);
        let origin = format!("{}{}", self.scheme.prefix(), self.authority());
        let (path, _) = self.path_and_query.split_once('?').unwrap_or((&self.path_and_query, ""));
        if has_scheme(location) {
            return location.parse();
        }
        if location.starts_with("//") {
            let scheme = self.scheme.prefix().trim_end_matches('/');
            return format!("{scheme}{location}").parse();
        }
        if location.starts_with('/') {
            return format!("{origin}{location}").parse();
        }
        if location.is_empty() || location.starts_with('?') {
            return format!("{origin}{path}{location}").parse();
        }
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        format!("{origin}{}", resolve_steps(folder, location)).parse()
    }
}

/// Reports whether a reference begins with a scheme, such as `file:`.
fn has_scheme(reference: &str) -> bool {
    let (scheme, rest) = reference.split_once(':').unwrap_or(("", ""));
    let is_first = scheme.starts_with(|first: char| first.is_ascii_alphabetic());
    let is_scheme = |byte: u8| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte);
    is_first && scheme.bytes().all(is_scheme) && (!rest.is_empty() || reference.ends_with(':'))
}

/// Resolves a relative path against the folder it is relative to.
fn resolve_steps(folder: &str, reference: &str) -> String {
    let (path, query) = match reference.split_once('?') {
        Some((path, query)) => (path, Some(query)),
        None => (reference, None),
    };
    let mut steps = folder.split('/').skip(1).collect::<Vec<_>>();
    let mut is_folder = false;
    for step in path.split('/') {
        is_folder = [".", ".."].contains(&step);
        match step {
            "." => {}
            ".." => drop(steps.pop()),
            step => steps.push(step),
        }
    }
    let mut joined = String::new();
    for step in steps {
        joined.extend(["/", step]);
    }
    if is_folder || joined.is_empty() {
        joined.push('/');
    }
    if let Some(query) = query {
        joined.extend(["?", query]);
    }
    joined
}

impl FromStr for HttpUrl {
    type Err = HttpUrlFault;

    fn from_str(text: &str) -> Result<Self, HttpUrlFault> {
        if text.len() > MAX_URL {
            return Err(HttpUrlFault::TooLong);
        }
        let (scheme, rest) = parse_scheme(text).ok_or(HttpUrlFault::Scheme)?;
        let end = rest.find(['/', '?', '#', '\\']).unwrap_or(rest.len());
        let (authority, path_and_query) = rest.split_at(end);
        let endpoint = NetworkEndpoint::parse(authority, Some(scheme.default_port()));
        let endpoint = endpoint.map_err(|_| HttpUrlFault::Host)?;
        if !path_and_query.bytes().all(is_path_byte) || has_loose_percent(path_and_query) {
            return Err(HttpUrlFault::Character);
        }
        let (path, _) = path_and_query.split_once('?').unwrap_or((path_and_query, ""));
        if path.split('/').any(is_dot_segment) {
            return Err(HttpUrlFault::DotSegment);
        }
        let slash = if path.is_empty() { "/" } else { "" };
        let path_and_query = format!("{slash}{path_and_query}");
        Ok(Self { scheme, endpoint, path_and_query })
    }
}

fn parse_scheme(text: &str) -> Option<(HttpScheme, &str)> {
    [HttpScheme::Http, HttpScheme::Https].into_iter().find_map(|scheme| {
        let (start, rest) = text.split_at_checked(scheme.prefix().len())?;
        start.eq_ignore_ascii_case(scheme.prefix()).then_some((scheme, rest))
    })
}

/// Reports whether a byte may stand in a path or a query as it is.
fn is_path_byte(byte: u8) -> bool {
    is_unreserved(byte) || b"%/?:@!$&'()*+,;=[]|".contains(&byte)
}

fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~".contains(&byte)
}

/// Reports whether a percent sign is not followed by two hexadecimal digits.
fn has_loose_percent(text: &str) -> bool {
    let is_code = |rest: &str| {
        rest.as_bytes().get(..2).is_some_and(|code| code.iter().all(u8::is_ascii_hexdigit))
    };
    text.split('%').skip(1).any(|rest| !is_code(rest))
}

/// Reports whether a part of a path is `.` or `..`, however it is encoded.
fn is_dot_segment(segment: &str) -> bool {
    let plain = segment.replace("%2e", ".").replace("%2E", ".");
    plain == "." || plain == ".."
}

/// Encodes a text so that it is one part of a path or of a query.
pub fn encode_component(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if is_unreserved(byte) {
            encoded.push(char::from(byte));
        } else {
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}

impl fmt::Display for HttpUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}{}", self.scheme.prefix(), self.authority(), self.path_and_query)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_is_read_in_one_way() {
        for (text, expected) in [
            ("https://a.example", "https://a.example/"),
            ("HTTPS://A.example/", "https://a.example/"),
            ("http://a.example:80/x", "http://a.example/x"),
            ("http://a.example:443/x", "http://a.example:443/x"),
            ("https://a.example?q=1", "https://a.example/?q=1"),
            ("https://a.example/a%20b?q=%2F&r", "https://a.example/a%20b?q=%2F&r"),
            ("http://[::1]:8080/@x:y", "http://[::1]:8080/@x:y"),
            ("https://a.example/..a/b..", "https://a.example/..a/b.."),
        ] {
            assert_eq!(text.parse::<HttpUrl>().map(|url| url.to_string()), Ok(expected.into()));
        }
        for (text, expected) in [
            ("", HttpUrlFault::Scheme),
            ("a.example", HttpUrlFault::Scheme),
            ("//a.example", HttpUrlFault::Scheme),
            ("file:///etc/passwd", HttpUrlFault::Scheme),
            ("ftp://a.example/", HttpUrlFault::Scheme),
            ("https:/a.example", HttpUrlFault::Scheme),
            (" https://a.example", HttpUrlFault::Scheme),
            ("https://", HttpUrlFault::Host),
            ("https:///x", HttpUrlFault::Host),
            ("https://user@a.example/", HttpUrlFault::Host),
            ("https://user:pass@a.example/", HttpUrlFault::Host),
            ("https://a.example:80:80/", HttpUrlFault::Host),
            ("https://a.example:/", HttpUrlFault::Host),
            ("https://a.example:x/", HttpUrlFault::Host),
            ("https://a.example:0/", HttpUrlFault::Host),
            ("https://127.1/", HttpUrlFault::Host),
            ("https://2130706433/", HttpUrlFault::Host),
            ("https://0x7f.1/", HttpUrlFault::Host),
            ("https://%61.example/", HttpUrlFault::Host),
            ("https://a.example./", HttpUrlFault::Host),
            ("https://\u{ff11}27.0.0.1/", HttpUrlFault::Host),
            ("https://b.example\t/", HttpUrlFault::Host),
            ("https://b.example\\@a.example/", HttpUrlFault::Character),
            ("https://b.example#@a.example/", HttpUrlFault::Character),
            ("https://a.example/#x", HttpUrlFault::Character),
            ("https://a.example/a b", HttpUrlFault::Character),
            ("https://a.example/\r\nX: y", HttpUrlFault::Character),
            ("https://a.example/\u{e9}", HttpUrlFault::Character),
            ("https://a.example/%", HttpUrlFault::Character),
            ("https://a.example/%4", HttpUrlFault::Character),
            ("https://a.example/a%zz", HttpUrlFault::Character),
            ("https://a.example/a/../b", HttpUrlFault::DotSegment),
            ("https://a.example/a/..", HttpUrlFault::DotSegment),
            ("https://a.example/a/%2e%2E/b", HttpUrlFault::DotSegment),
            ("https://a.example/./b", HttpUrlFault::DotSegment),
        ] {
            assert_eq!(text.parse::<HttpUrl>(), Err(expected), "{text:?}");
        }
        let long = format!("https://a.example/{}", "x".repeat(MAX_URL));
        assert_eq!(long.parse::<HttpUrl>(), Err(HttpUrlFault::TooLong));
    }

    #[test]
    fn a_redirect_leads_from_where_it_was_told() {
        let base: HttpUrl = "https://a.example:8443/x/y?q=1".parse().expect("a URL");
        for (location, expected) in [
            ("https://b.example/z#f", "https://b.example/z"),
            ("//b.example/z", "https://b.example/z"),
            ("/z?r", "https://a.example:8443/z?r"),
            ("z", "https://a.example:8443/x/z"),
            ("./z", "https://a.example:8443/x/z"),
            ("../z?a/../b", "https://a.example:8443/z?a/../b"),
            ("../../../z", "https://a.example:8443/z"),
            (".", "https://a.example:8443/x/"),
            ("..", "https://a.example:8443/"),
            ("?r=2", "https://a.example:8443/x/y?r=2"),
            ("", "https://a.example:8443/x/y"),
            ("#f", "https://a.example:8443/x/y"),
        ] {
            let joined = base.join(location).map(|url| url.to_string());
            assert_eq!(joined.as_deref(), Ok(expected), "{location}");
        }
        for location in [
            "file:///etc/passwd",
            "gopher://a.example/",
            "data:,x",
            "javascript:1",
            "//user@b.example/",
            "https://127.1/",
            "\\\\b.example\\x",
            "/a\r\nb",
            "///x",
            "http:",
        ] {
            assert!(base.join(location).is_err(), "{location:?}");
        }
    }

    #[test]
    fn what_is_put_in_stays_one_part() {
        assert_eq!(encode_component("a/b?c&d=e#f g%\u{e9}"), "a%2Fb%3Fc%26d%3De%23f%20g%25%C3%A9");
        let url: HttpUrl = "https://a.example/x".parse().expect("a URL");
        let url = url.with_query([("q", "a&b"), ("r", "")].into_iter()).expect("short");
        assert_eq!(url.to_string(), "https://a.example/x?q=a%26b&r=");
        let url = url.with_query([("s", "1")].into_iter()).expect("short");
        assert!(url.to_string().ends_with("&r=&s=1"));
    }
}
