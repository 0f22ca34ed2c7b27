//! A URL that a person configured for requests.
//!
//! Parsing rejects whatever would leave this machine unencrypted, and whatever would hide a
//! password in a config.

use std::net::IpAddr;
use std::str::FromStr;

use ureq::http::Uri;

/// The longest URL, in bytes.
const MAX_BYTES: usize = 2048;

/// The target of requests: `https:`, or `http:` on this machine alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Url {
    uri: Uri,
    is_loopback: bool,
}

/// The reasons why a text is not such a URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UrlError {
    /// The text is not a URL that can be used.
    #[error("a URL must begin with https:// or http://, name a host, and contain no `@` or `#`")]
    Malformed,
    /// The URL would send texts over a network without encryption.
    #[error("https:// is required, except for localhost")]
    Unencrypted,
}

impl Url {
    pub(super) fn uri(&self) -> &Uri {
        &self.uri
    }

    /// Returns whether it is on this machine.
    pub fn is_loopback(&self) -> bool {
        self.is_loopback
    }
}

impl std::fmt::Display for Url {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.uri.fmt(f)
    }
}

impl FromStr for Url {
    type Err = UrlError;

    fn from_str(text: &str) -> Result<Self, UrlError> {
        // User information before the host would put a password into a config, and a fragment is
        // never sent.
        if text.len() > MAX_BYTES || text.contains(['#', '@', '\\']) {
            return Err(UrlError::Malformed);
        }
        let uri = text.parse::<Uri>().map_err(|_| UrlError::Malformed)?;
        let host = uri.host().filter(|host| !host.is_empty()).ok_or(UrlError::Malformed)?;
        let is_near = is_loopback(host);
        match uri.scheme_str() {
            Some("https") => {}
            Some("http") if is_near => {}
            Some("http") => return Err(UrlError::Unencrypted),
            _ => return Err(UrlError::Malformed),
        }
        Ok(Self { uri, is_loopback: is_near })
    }
}

fn is_loopback(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    host.eq_ignore_ascii_case("localhost")
        || bare.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_leaves_the_machine_is_encrypted() {
        let check = |text: &str, expected: Result<bool, UrlError>| {
            assert_eq!(text.parse::<Url>().map(|url| url.is_loopback()), expected, "{text}");
        };
        check("https://api.example.com/v1/embeddings", Ok(false));
        check("http://127.0.0.1:11434/v1/embeddings", Ok(true));
        check("http://localhost:8080/v1", Ok(true));
        check("http://LOCALHOST/", Ok(true));
        check("http://[::1]:1/x", Ok(true));
        check("https://127.0.0.1/x", Ok(true));
        check("http://127.0.0.1.example.com/", Err(UrlError::Unencrypted));
        check("http://localhost.example.com/", Err(UrlError::Unencrypted));
        check("http://10.0.0.1/v1", Err(UrlError::Unencrypted));
        for text in ["", "a", "/v1", "ftp://a/b", "https://", "https://a b/", "file:///etc"] {
            check(text, Err(UrlError::Malformed));
        }
        check("https://user:pass@a/b", Err(UrlError::Malformed));
        check("http://localhost#@example.com/", Err(UrlError::Malformed));
        check("http://localhost\\@example.com/", Err(UrlError::Malformed));
    }
}
