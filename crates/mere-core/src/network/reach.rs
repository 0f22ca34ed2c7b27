//! Which addresses belong to the public internet.
//!
//! Everything else is private: this machine, its networks, and ranges for special purposes. An
//! address that carries another in it, as tunnels and translators use them, is as private as the
//! one that it carries. An unknown range is private.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Whether an address belongs to the public internet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AddressReach {
    /// An address of the public internet.
    Public,
    /// Any other address: of this machine, of a local network, or for a special purpose.
    Private,
}

/// The IPv4 ranges that are not public: the first address, and the length of the prefix.
const PRIVATE_V4: [([u8; 4], u32); 17] = [
    ([0, 0, 0, 0], 8),          // this network
    ([10, 0, 0, 0], 8),         // private use
    ([100, 64, 0, 0], 10),      // shared by the customers of a provider
    ([127, 0, 0, 0], 8),        // loopback
    ([168, 63, 129, 16], 32),   // services of a cloud for its own machines
    ([169, 254, 0, 0], 16),     // link-local, with the metadata of clouds
    ([172, 16, 0, 0], 12),      // private use
    ([192, 0, 0, 0], 24),       // protocol assignments
    ([192, 0, 2, 0], 24),       // documentation
    ([192, 88, 99, 0], 24),     // relays of 6to4
    ([192, 168, 0, 0], 16),     // private use
    ([198, 18, 0, 0], 15),      // benchmarks
    ([198, 51, 100, 0], 24),    // documentation
    ([203, 0, 113, 0], 24),     // documentation
    ([224, 0, 0, 0], 4),        // multicast
    ([240, 0, 0, 0], 4),        // reserved, and broadcast
    ([255, 255, 255, 255], 32), // broadcast
];

/// The IPv6 range from which public addresses are taken.
const GLOBAL_V6: ([u16; 8], u32) = ([0x2000, 0, 0, 0, 0, 0, 0, 0], 3);
/// The ranges in it that are not public.
const PRIVATE_V6: [([u16; 8], u32); 4] = [
    ([0x2001, 0, 0, 0, 0, 0, 0, 0], 23), // protocol assignments, with Teredo
    ([0x2001, 0x0db8, 0, 0, 0, 0, 0, 0], 32), // documentation
    ([0x2002, 0, 0, 0, 0, 0, 0, 0], 16), // 6to4
    ([0x3fff, 0, 0, 0, 0, 0, 0, 0], 20), // documentation
];
/// The ranges whose last four bytes are an IPv4 address: mapped, and translated by NAT64.
const EMBEDDING_V6: [([u16; 8], u32); 2] =
    [([0, 0, 0, 0, 0, 0xffff, 0, 0], 96), ([0x0064, 0xff9b, 0, 0, 0, 0, 0, 0], 96)];

impl AddressReach {
    /// Returns the reach of an address.
    pub fn of(address: IpAddr) -> Self {
        let is_public = match address {
            IpAddr::V4(address) => is_public_v4(address),
            IpAddr::V6(address) => is_public_v6(address),
        };
        if is_public { Self::Public } else { Self::Private }
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let is_within = |(start, length): ([u8; 4], u32)| {
        let shift = 32 - length;
        address.to_bits().checked_shr(shift) == Ipv4Addr::from(start).to_bits().checked_shr(shift)
    };
    !PRIVATE_V4.into_iter().any(is_within)
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let is_within = |(start, length): ([u16; 8], u32)| {
        let shift = 128 - length;
        address.to_bits().checked_shr(shift) == Ipv6Addr::from(start).to_bits().checked_shr(shift)
    };
    if EMBEDDING_V6.into_iter().any(is_within) {
        let [.., a, b, c, d] = address.octets();
        return is_public_v4(Ipv4Addr::new(a, b, c, d));
    }
    is_within(GLOBAL_V6) && !PRIVATE_V6.into_iter().any(is_within)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn public_addresses_are_those_of_the_internet() {
        for text in [
            "1.1.1.1",
            "8.8.8.8",
            "9.255.255.255",
            "11.0.0.0",
            "100.63.255.255",
            "100.128.0.0",
            "126.255.255.255",
            "128.0.0.0",
            "168.63.129.15",
            "169.253.255.255",
            "172.15.255.255",
            "172.32.0.0",
            "192.0.1.0",
            "192.167.255.255",
            "198.17.255.255",
            "198.20.0.0",
            "223.255.255.255",
            "2600::1",
            "2001:4860:4860::8888",
            "2606:4700:4700::1111",
            "2a00:1450:4001::1",
            "::ffff:8.8.8.8",
            "64:ff9b::8.8.8.8",
        ] {
            let address = text.parse().expect("an address");
            assert_eq!(AddressReach::of(address), AddressReach::Public, "{text}");
        }
    }

    #[test]
    fn everything_else_is_private() {
        for text in [
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "10.255.255.255",
            "100.64.0.1",
            "100.100.100.200",
            "100.127.255.255",
            "127.0.0.1",
            "127.255.255.254",
            "168.63.129.16",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.192",
            "192.0.2.1",
            "192.88.99.1",
            "192.168.0.1",
            "198.18.0.1",
            "198.19.255.255",
            "198.51.100.7",
            "203.0.113.9",
            "224.0.0.1",
            "239.255.255.255",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            // IPv4-compatible, and translated by other rules than NAT64.
            "::127.0.0.1",
            "::8.8.8.8",
            "::ffff:0:127.0.0.1",
            "::ffff:0:8.8.8.8",
            // IPv4-mapped.
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "::ffff:169.254.169.254",
            "::ffff:0.0.0.0",
            // NAT64.
            "64:ff9b::127.0.0.1",
            "64:ff9b::10.0.0.1",
            "64:ff9b::169.254.169.254",
            "64:ff9b:1::8.8.8.8",
            // 6to4 and Teredo.
            "2002:7f00:1::",
            "2002:a00:1::1",
            "2002:808:808::1",
            "2001::1",
            "2001:0:7f00:1::",
            "2001:10::1",
            "2001:20::1",
            "2001:db8::1",
            "3fff::1",
            "100::1",
            "5f00::1",
            "fc00::1",
            "fd00:ec2::254",
            "fdff::1",
            "fe80::1",
            "febf::1",
            "fec0::1",
            "ff02::1",
            "ff0e::1",
            "1::1",
            "4000::1",
        ] {
            let address = text.parse().expect("an address");
            assert_eq!(AddressReach::of(address), AddressReach::Private, "{text}");
        }
    }
}
