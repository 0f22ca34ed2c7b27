//! The hosts that a tool may ask for: a DNS name or an IP address, and a port.
//!
//! A host is spelled in exactly one way. Other spellings of an address, such as `127.1`,
//! `0x7f000001` or `017700000001`, are refused, because programs disagree on what they mean.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

/// The longest DNS name, in bytes.
const MAX_HOST_BYTES: usize = 253;
/// The longest label of a DNS name, in bytes.
const MAX_LABEL_BYTES: usize = 63;
/// The ports that a target without a port means: those of `http` and `https`.
pub const WEB_PORTS: [u16; 2] = [80, 443];

/// A host: a DNS name in lower case, or an IP address in its canonical form.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HostName {
    /// A DNS name in lower case, without a dot at its end. Names in other scripts are written in
    /// their ASCII form, `xn--…`.
    Name(String),
    /// An IP address.
    Address(IpAddr),
}

/// The text is not a host in its canonical form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a host must be a DNS name in lower case such as `api.example.org`, or an IP address such as \
     `192.0.2.1` or `[2001:db8::1]`"
)]
pub struct HostNameError;

impl HostName {
    /// Parses the text of an IPv6 address without its brackets.
    fn parse_bracketed(text: &str) -> Result<Self, HostNameError> {
        let address = text.parse::<Ipv6Addr>().map_err(|_| HostNameError)?;
        let canonical = address.to_string() == text;
        canonical.then_some(Self::Address(address.into())).ok_or(HostNameError)
    }
}

impl FromStr for HostName {
    type Err = HostNameError;

    fn from_str(text: &str) -> Result<Self, HostNameError> {
        if let Some(inner) = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            return Self::parse_bracketed(inner);
        }
        let labels = || text.split('.');
        if text.len() > MAX_HOST_BYTES || !labels().all(is_label) {
            return Err(HostNameError);
        }
        // A name whose last label is a number is an address in some spelling, or nothing.
        if labels().next_back().is_some_and(is_number) {
            let address = text.parse::<Ipv4Addr>().map_err(|_| HostNameError)?;
            return Ok(Self::Address(address.into()));
        }
        Ok(Self::Name(text.to_owned()))
    }
}

fn is_label(label: &str) -> bool {
    let is_character = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_');
    (1..=MAX_LABEL_BYTES).contains(&label.len())
        && label.bytes().all(is_character)
        && !label.starts_with('-')
        && !label.ends_with('-')
}

/// Reports whether programs could take a label for a number, in whatever base.
fn is_number(label: &str) -> bool {
    let hexadecimal = label.strip_prefix("0x");
    label.bytes().all(|byte| byte.is_ascii_digit())
        || hexadecimal.is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

impl fmt::Display for HostName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => f.write_str(name),
            Self::Address(IpAddr::V4(address)) => write!(f, "{address}"),
            Self::Address(IpAddr::V6(address)) => write!(f, "[{address}]"),
        }
    }
}

/// A host and a port that a tool asks for, or that a person grants.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NetworkTarget {
    /// The host.
    pub host: HostName,
    /// The port; `None` means those of `http` and `https`, [`WEB_PORTS`].
    pub port: Option<u16>,
}

/// The text is not `HOST` or `HOST:PORT`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NetworkTargetError {
    /// The text is a URL.
    #[error(
        "a host is written alone, such as `example.com` or `example.com:8443`, without `http://`"
    )]
    Url,
    /// The host is not valid.
    #[error(transparent)]
    Host(#[from] HostNameError),
    /// The port is not valid.
    #[error("a port must be a number from 1 to 65535")]
    Port,
}

impl NetworkTarget {
    /// Reports whether a connection to this host and port is what the target names.
    pub fn covers(&self, host: &HostName, port: u16) -> bool {
        let is_port = match self.port {
            Some(own) => own == port,
            None => WEB_PORTS.contains(&port),
        };
        is_port && self.host == *host
    }

    /// Reports whether everything that `other` names is named by this target too.
    pub fn includes(&self, other: &Self) -> bool {
        match other.port {
            Some(port) => self.covers(&other.host, port),
            None => WEB_PORTS.iter().all(|port| self.covers(&other.host, *port)),
        }
    }
}

impl FromStr for NetworkTarget {
    type Err = NetworkTargetError;

    fn from_str(text: &str) -> Result<Self, NetworkTargetError> {
        if text.contains("://") {
            return Err(NetworkTargetError::Url);
        }
        let (host, port) = match text.rsplit_once(':') {
            Some((host, port)) if !port.ends_with(']') => (host, Some(port)),
            _ => (text, None),
        };
        let host = host.parse()?;
        let port = port.map(parse_port).transpose()?;
        Ok(Self { host, port })
    }
}

fn parse_port(text: &str) -> Result<u16, NetworkTargetError> {
    let number = text.parse::<u16>().ok().filter(|number| *number > 0);
    number.filter(|number| number.to_string() == text).ok_or(NetworkTargetError::Port)
}

impl fmt::Display for NetworkTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.port {
            Some(port) => write!(f, "{}:{port}", self.host),
            None => write!(f, "{}", self.host),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_prints_as_it_was_written() {
        for text in [
            "api.example.org",
            "api.example.org:8443",
            "localhost:3000",
            "xn--bcher-kva.example",
            "_dmarc.example.org",
            "192.0.2.1",
            "192.0.2.1:80",
            "[2001:db8::1]",
            "[::1]:8080",
        ] {
            let target = text.parse::<NetworkTarget>().expect(text);
            assert_eq!(target.to_string(), text);
        }
    }

    #[test]
    fn a_host_name_has_at_most_253_bytes() {
        for (last, is_taken) in [(60, true), (61, true), (62, false)] {
            let labels = [63, 63, 63, last].map(|length| "a".repeat(length));
            let name = labels.join(".");
            assert_eq!(name.parse::<HostName>().is_ok(), is_taken, "{}", name.len());
        }
    }

    #[test]
    fn every_other_spelling_is_refused() {
        for text in [
            "",
            ".",
            "a..b",
            "a.",
            ".a",
            "A.example",
            "a b",
            "a/b",
            "a@b",
            "http://a",
            "-a",
            "a-",
            "127.1",
            "0x7f.1",
            "0x7f000001",
            "2130706433",
            "017700000001",
            "127.0.0.01",
            "127.0.0.256",
            "1.2.3.4.5",
            "[127.0.0.1]",
            "::1",
            "[::0001]",
            "[::1%eth0]",
            "[::1",
            "a:0",
            "a:080",
            "a:65536",
            "a:+80",
            "a:",
            "bücher.example",
            "127.0.0.1",
            "a\u{2024}b",
        ] {
            let expected = text == "127.0.0.1";
            assert_eq!(text.parse::<NetworkTarget>().is_ok(), expected, "{text}");
        }
        assert!("a".repeat(64).parse::<HostName>().is_err());
        assert!(format!("{}a", "a.".repeat(127)).parse::<HostName>().is_err());
    }

    #[test]
    fn a_target_without_a_port_means_the_web() {
        let target = |text: &str| text.parse::<NetworkTarget>().expect("a target");
        let host = "a.example".parse().expect("a host");
        let ports = [80, 443, 22].map(|port| target("a.example").covers(&host, port));
        assert_eq!(ports, [true, true, false]);
        assert!(target("a.example").includes(&target("a.example:443")));
        assert!(!target("a.example:443").includes(&target("a.example")));
        assert!(!target("a.example").includes(&target("b.a.example")));
    }
}
