//! One port of one host: what is connected to.

use std::fmt;
use std::str::FromStr;

use crate::address::{HostName, NetworkTarget, NetworkTargetError};

/// One port of one host.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NetworkEndpoint {
    /// The host.
    pub host: HostName,
    /// The port.
    pub port: u16,
}

impl NetworkEndpoint {
    /// Parses a host with or without a port. Names of hosts are the same in capital letters, and
    /// programs write them so; they are compared in small ones.
    pub(super) fn parse(text: &str, usual_port: Option<u16>) -> Result<Self, NetworkTargetError> {
        let NetworkTarget { host, port } = text.to_ascii_lowercase().parse()?;
        Ok(Self { host, port: port.or(usual_port).ok_or(NetworkTargetError::Port)? })
    }
}

impl FromStr for NetworkEndpoint {
    type Err = NetworkTargetError;

    fn from_str(text: &str) -> Result<Self, NetworkTargetError> {
        Self::parse(text, None)
    }
}

impl fmt::Display for NetworkEndpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.host, self.port)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_endpoint_has_a_port() {
        for (text, expected) in [
            ("a.example:443", Some("a.example:443")),
            ("A.Example:443", Some("a.example:443")),
            ("[::1]:80", Some("[::1]:80")),
            ("[::FFFF:127.0.0.1]:80", Some("[::ffff:127.0.0.1]:80")),
            ("a.example", None),
            ("a.example:", None),
            ("a.example:0", None),
            ("a.example:080", None),
            ("a.example:443:443", None),
            ("user@a.example:443", None),
            ("a.example:443/", None),
            ("", None),
            (":443", None),
        ] {
            let endpoint = text.parse::<NetworkEndpoint>().ok().map(|one| one.to_string());
            assert_eq!(endpoint.as_deref(), expected, "{text}");
        }
    }
}
