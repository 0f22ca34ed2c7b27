use std::net::SocketAddr;

use mere_core::network::{NetworkEndpoint, PermittedAddresses, PermittedEndpoint};

fn reach(endpoint: NetworkEndpoint) -> PermittedEndpoint {
    PermittedEndpoint { endpoint }
}

fn connect(addresses: Vec<SocketAddr>) -> PermittedAddresses {
    PermittedAddresses(addresses)
}

fn main() {
    let _ = (reach, connect);
}
