//! The network grants of a run, and the permission to connect.
//!
//! A connection takes two steps, each with its own proof: the endpoint is one that was granted
//! ([`PermittedEndpoint`]), and all addresses that its name leads to are ones that the grant allows
//! ([`PermittedAddresses`]). Connections are made to the latter only, so a name that leads
//! elsewhere a moment later changes nothing.

use std::net::{IpAddr, SocketAddr};

use super::endpoint::NetworkEndpoint;
use super::reach::AddressReach;
use crate::address::HostName;
use crate::chain::{GrantedHost, HostReach};

/// All hosts that a person granted to a tool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NetworkGrants(Vec<GrantedHost>);

/// An endpoint that was granted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PermittedEndpoint {
    endpoint: NetworkEndpoint,
    reach: HostReach,
}

/// Addresses that may be connected to; there is at least one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PermittedAddresses(Vec<SocketAddr>);

/// The reason why no connection is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
pub enum NetworkDenial {
    /// The host was not granted, or not with this port.
    #[error("the host was not granted to this tool")]
    NotGranted,
    /// The host leads to a private address, and was granted as a public one.
    #[error("the host leads to a private address, which needs a grant of its own")]
    PrivateAddress,
    /// The name leads nowhere.
    #[error("the name of the host leads to no address")]
    NoAddress,
}

impl NetworkGrants {
    /// Returns the grants for these hosts.
    pub fn new(hosts: Vec<GrantedHost>) -> Self {
        Self(hosts)
    }

    /// Reports whether nothing was granted.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Permits an endpoint that was granted. If it was granted both ways, the wider grant counts.
    pub fn permit(&self, endpoint: NetworkEndpoint) -> Result<PermittedEndpoint, NetworkDenial> {
        let granted =
            self.0.iter().filter(|granted| granted.target.covers(&endpoint.host, endpoint.port));
        let reach = granted.map(|granted| granted.reach).max().ok_or(NetworkDenial::NotGranted)?;
        let permitted = PermittedEndpoint { endpoint, reach };
        // What needs no resolver is told before anything is resolved.
        match &permitted.endpoint.host {
            HostName::Address(address) => permitted.check_reach(*address)?,
            HostName::Name(_) => {}
        }
        Ok(permitted)
    }
}

impl PermittedEndpoint {
    /// Returns the endpoint.
    pub fn endpoint(&self) -> &NetworkEndpoint {
        &self.endpoint
    }

    /// Permits the addresses that a name was resolved to; `resolved` is not looked at if the host
    /// is an address itself. One address that the grant does not allow refuses all of them.
    pub fn permit_addresses(
        &self,
        resolved: &[IpAddr],
    ) -> Result<PermittedAddresses, NetworkDenial> {
        let own;
        let addresses = match &self.endpoint.host {
            HostName::Address(address) => {
                own = [*address];
                &own[..]
            }
            HostName::Name(_) => resolved,
        };
        if addresses.is_empty() {
            return Err(NetworkDenial::NoAddress);
        }
        addresses.iter().try_for_each(|address| self.check_reach(*address))?;
        let port = self.endpoint.port;
        let addresses = addresses.iter().map(|address| SocketAddr::new(*address, port));
        Ok(PermittedAddresses(addresses.collect()))
    }

    fn check_reach(&self, address: IpAddr) -> Result<(), NetworkDenial> {
        match (self.reach, AddressReach::of(address)) {
            (HostReach::Public, AddressReach::Private) => Err(NetworkDenial::PrivateAddress),
            _ => Ok(()),
        }
    }
}

impl PermittedAddresses {
    /// Returns the addresses, in the order in which they are tried.
    pub fn as_slice(&self) -> &[SocketAddr] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grants(hosts: &[(&str, HostReach)]) -> NetworkGrants {
        let host = |(target, reach): &(&str, HostReach)| GrantedHost {
            target: target.parse().expect(target),
            reach: *reach,
        };
        NetworkGrants::new(hosts.iter().map(host).collect())
    }

    fn check(
        grants: &NetworkGrants,
        endpoint: &str,
        resolved: &[&str],
    ) -> Result<usize, NetworkDenial> {
        let resolved = resolved.iter().map(|text| text.parse().expect(text)).collect::<Vec<_>>();
        let permitted = grants.permit(endpoint.parse().expect(endpoint))?;
        permitted.permit_addresses(&resolved).map(|addresses| addresses.as_slice().len())
    }

    #[test]
    fn a_public_grant_never_leads_to_a_private_address() {
        use HostReach::{Private, Public};
        use NetworkDenial::{NoAddress, NotGranted, PrivateAddress};
        let public = grants(&[("a.example", Public), ("127.0.0.1", Public), ("8.8.8.8", Public)]);
        let private = grants(&[("a.example", Private), ("[::1]:8080", Private)]);
        let both = grants(&[("a.example", Public), ("a.example", Private)]);
        for (grants, endpoint, resolved, expected) in [
            (&public, "a.example:443", &["1.1.1.1"][..], Ok(1)),
            (&public, "a.example:443", &["1.1.1.1", "2606:4700::1"], Ok(2)),
            (&public, "a.example:443", &["1.1.1.1", "10.0.0.1"], Err(PrivateAddress)),
            (&public, "a.example:443", &["::ffff:127.0.0.1"], Err(PrivateAddress)),
            (&public, "a.example:443", &[], Err(NoAddress)),
            (&public, "a.example:8443", &["1.1.1.1"], Err(NotGranted)),
            (&public, "b.example:443", &["1.1.1.1"], Err(NotGranted)),
            (&public, "127.0.0.1:80", &[], Err(PrivateAddress)),
            (&public, "8.8.8.8:443", &["10.0.0.1"], Ok(1)),
            (&private, "a.example:443", &["10.0.0.1", "1.1.1.1"], Ok(2)),
            (&private, "[::1]:8080", &[], Ok(1)),
            (&private, "[::1]:8081", &[], Err(NotGranted)),
            (&both, "a.example:80", &["10.0.0.1"], Ok(1)),
            (&NetworkGrants::default(), "a.example:443", &["1.1.1.1"], Err(NotGranted)),
        ] {
            assert_eq!(check(grants, endpoint, resolved), expected, "{endpoint} {resolved:?}");
        }
    }
}
