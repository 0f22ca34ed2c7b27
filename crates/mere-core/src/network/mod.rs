//! Where a tool may connect to: URLs, hosts that a person granted, and which addresses are private.
//!
//! The text of a host is parsed once into a [`HostName`](crate::address::HostName), and everything
//! that is not plainly one is refused. [`NetworkGrants::permit`] compares it with what was granted, and
//! [`PermittedEndpoint::permit_addresses`] judges the addresses that it leads to; only the
//! [`PermittedAddresses`] that come out of both may be connected to, and they are not resolved
//! again. Nothing is resolved or connected here.

mod endpoint;
mod grants;
mod http_url;
mod reach;

pub use endpoint::NetworkEndpoint;
pub use grants::{NetworkDenial, NetworkGrants, PermittedAddresses, PermittedEndpoint};
pub use http_url::{HttpScheme, HttpUrl, HttpUrlFault, encode_component};
pub use reach::AddressReach;
