//! Address ranges that are blocked, and the configuration that opens them.

use ipnet::IpNet;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// An address that may not be connected to, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ClosedAddress {
    pub(crate) address: IpAddr,
    pub(crate) why: &'static str,
}

/// Returns why requests to an address are refused; none for one that is globally reachable or opened by `allow`.
pub fn closed_address(address: IpAddr, allow: &[IpNet]) -> Option<&'static str> {
    judge(address, allow).err().map(|closed| closed.why)
}

/// Accepts an address that is globally reachable or that an operator opened.
///
/// For an address that contains an IPv4 address, both must be open: opening a whole translation prefix does
/// not open the private addresses behind it. Only a range of exactly this one address does.
pub(crate) fn judge(address: IpAddr, allow: &[IpNet]) -> Result<(), ClosedAddress> {
    let Some(why) = closed(address) else { return Ok(()) };
    let mut opened = false;
    for range in allow.iter().filter(|range| range.contains(&address)) {
        if range.prefix_len() == range.max_prefix_len() {
            return Ok(());
        }
        opened = true;
    }
    if !opened {
        return Err(ClosedAddress { address, why });
    }
    match embedded_v4(address) {
        Some(inner) => {
            judge(inner.into(), allow).map_err(|closed| ClosedAddress { address, why: closed.why })
        }
        None => Ok(()),
    }
}

/// Returns the description of an address that is not globally reachable.
fn closed(address: IpAddr) -> Option<&'static str> {
    let listed = CLOSED.iter().find(|(range, _)| range.contains(&address)).map(|(_, why)| *why);
    match address {
        IpAddr::V4(_) => listed,
        // Only 2000::/3 is allocated for the global internet.
        IpAddr::V6(v6) => listed.or((v6.segments()[0] & 0xe000 != 0x2000).then_some("a reserved address")),
    }
}

/// Returns the IPv4 address inside of a translated, tunnelled or mapped IPv6 address.
fn embedded_v4(address: IpAddr) -> Option<Ipv4Addr> {
    let IpAddr::V6(address) = address else { return None };
    let octets = address.octets();
    let last = Ipv4Addr::new(octets[12], octets[13], octets[14], octets[15]);
    match address.segments() {
        // The loopback and unspecified addresses are in the IPv4-compatible range but contain no IPv4 address.
        [0, 0, 0, 0, 0, 0, 0, 0 | 1] => None,
        [0, 0, 0, 0, 0, 0, _, _]
        | [0, 0, 0, 0, 0, 0xffff, _, _]
        | [0, 0, 0, 0, 0xffff, 0, _, _]
        | [0x64, 0xff9b, 0, 0, 0, 0, _, _]
        | [0x64, 0xff9b, 1, ..] => Some(last),
        [0x2002, ..] => Some(Ipv4Addr::new(octets[2], octets[3], octets[4], octets[5])),
        [0x2001, 0, ..] => Some(Ipv4Addr::from_bits(!last.to_bits())),
        _ => None,
    }
}

const fn v4(a: u8, b: u8, c: u8, d: u8, prefix: u8) -> IpNet {
    IpNet::new_assert(IpAddr::V4(Ipv4Addr::new(a, b, c, d)), prefix)
}

const fn v6(head: [u16; 4], tail: [u16; 4], prefix: u8) -> IpNet {
    let address = Ipv6Addr::new(head[0], head[1], head[2], head[3], tail[0], tail[1], tail[2], tail[3]);
    IpNet::new_assert(IpAddr::V6(address), prefix)
}

const ZERO: [u16; 4] = [0; 4];

/// The special-purpose ranges, the narrower one first.
const CLOSED: &[(IpNet, &str)] = &[
    (v4(127, 0, 0, 0, 8), "a loopback address"),
    (v4(10, 0, 0, 0, 8), "a private address"),
    (v4(172, 16, 0, 0, 12), "a private address"),
    (v4(192, 168, 0, 0, 16), "a private address"),
    (v4(169, 254, 169, 254, 32), "a cloud metadata address"),
    (v4(168, 63, 129, 16, 32), "a cloud metadata address"),
    (v4(169, 254, 0, 0, 16), "a link-local address"),
    (v4(100, 64, 0, 0, 10), "a shared (CGNAT) address"),
    (v4(0, 0, 0, 0, 32), "the unspecified address"),
    (v4(0, 0, 0, 0, 8), "an address of this network"),
    (v4(192, 0, 0, 0, 24), "a protocol-assignment address"),
    (v4(192, 0, 2, 0, 24), "a documentation address"),
    (v4(198, 51, 100, 0, 24), "a documentation address"),
    (v4(203, 0, 113, 0, 24), "a documentation address"),
    (v4(192, 88, 99, 0, 24), "a 6to4 relay address"),
    (v4(198, 18, 0, 0, 15), "a benchmarking address"),
    (v4(224, 0, 0, 0, 4), "a multicast address"),
    (v4(255, 255, 255, 255, 32), "the broadcast address"),
    (v4(240, 0, 0, 0, 4), "a reserved address"),
    (v6(ZERO, [0, 0, 0, 1], 128), "a loopback address"),
    (v6(ZERO, ZERO, 128), "the unspecified address"),
    (v6(ZERO, ZERO, 96), "an IPv4-compatible address"),
    (v6(ZERO, [0, 0xffff, 0, 0], 96), "an IPv4-mapped address"),
    (v6(ZERO, [0xffff, 0, 0, 0], 96), "an IPv4-translated address"),
    (v6([0x64, 0xff9b, 0, 0], ZERO, 96), "a NAT64 address"),
    (v6([0x64, 0xff9b, 1, 0], ZERO, 48), "a NAT64 address"),
    (v6([0x100, 0, 0, 0], ZERO, 64), "a discard address"),
    (v6([0x2001, 0, 0, 0], ZERO, 32), "a Teredo address"),
    (v6([0x2001, 2, 0, 0], ZERO, 48), "a benchmarking address"),
    (v6([0x2001, 0, 0, 0], ZERO, 23), "a protocol-assignment address"),
    (v6([0x2001, 0xdb8, 0, 0], ZERO, 32), "a documentation address"),
    (v6([0x3fff, 0, 0, 0], ZERO, 20), "a documentation address"),
    (v6([0x2002, 0, 0, 0], ZERO, 16), "a 6to4 address"),
    (v6([0xfd00, 0xec2, 0, 0], [0, 0, 0, 0x254], 128), "a cloud metadata address"),
    (v6([0xfc00, 0, 0, 0], ZERO, 7), "a unique-local address"),
    (v6([0xfe80, 0, 0, 0], ZERO, 10), "a link-local address"),
    (v6([0xfec0, 0, 0, 0], ZERO, 10), "a site-local address"),
    (v6([0xff00, 0, 0, 0], ZERO, 8), "a multicast address"),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn why(address: &str, allow: &[&str]) -> Option<&'static str> {
        let allow: Vec<IpNet> = allow.iter().map(|range| range.parse().unwrap()).collect();
        judge(address.parse().unwrap(), &allow).err().map(|closed| closed.why)
    }

    #[test]
    fn g08_g09_closed_addresses() {
        for (address, expected) in [
            ("127.0.0.1", "a loopback address"),
            ("127.255.255.254", "a loopback address"),
            ("10.1.2.3", "a private address"),
            ("172.31.255.255", "a private address"),
            ("192.168.0.1", "a private address"),
            ("169.254.169.254", "a cloud metadata address"),
            ("168.63.129.16", "a cloud metadata address"),
            ("169.254.1.1", "a link-local address"),
            ("100.64.0.1", "a shared (CGNAT) address"),
            ("100.100.100.200", "a shared (CGNAT) address"),
            ("0.0.0.0", "the unspecified address"),
            ("0.1.2.3", "an address of this network"),
            ("192.0.0.192", "a protocol-assignment address"),
            ("203.0.113.9", "a documentation address"),
            ("198.19.0.1", "a benchmarking address"),
            ("224.0.0.251", "a multicast address"),
            ("240.0.0.1", "a reserved address"),
            ("255.255.255.255", "the broadcast address"),
            ("::1", "a loopback address"),
            ("::", "the unspecified address"),
            ("::7f00:1", "an IPv4-compatible address"),
            ("::ffff:8.8.8.8", "an IPv4-mapped address"),
            ("::ffff:0:127.0.0.1", "an IPv4-translated address"),
            ("64:ff9b::8.8.8.8", "a NAT64 address"),
            ("64:ff9b:1::1", "a NAT64 address"),
            ("100::1", "a discard address"),
            ("2001::1", "a Teredo address"),
            ("2001:2::1", "a benchmarking address"),
            ("2001:20::1", "a protocol-assignment address"),
            ("2001:db8::1", "a documentation address"),
            ("3fff::1", "a documentation address"),
            ("2002:7f00:1::", "a 6to4 address"),
            ("fd00:ec2::254", "a cloud metadata address"),
            ("fd12::1", "a unique-local address"),
            ("fe80::1", "a link-local address"),
            ("fec0::1", "a site-local address"),
            ("ff02::1", "a multicast address"),
            ("4000::1", "a reserved address"),
            ("5f00::1", "a reserved address"),
        ] {
            assert_eq!(why(address, &[]), Some(expected), "{address}");
            let alone = IpNet::from(address.parse::<IpAddr>().unwrap());
            assert_eq!(judge(alone.addr(), &[alone]), Ok(()), "{address} opened alone");
        }
    }

    #[test]
    fn open_addresses() {
        for address in [
            "8.8.8.8",
            "1.1.1.1",
            "172.32.0.1",
            "100.128.0.1",
            "192.0.1.1",
            "2606:4700::1111",
            "2001:4860::8888",
        ] {
            assert_eq!(why(address, &[]), None, "{address}");
        }
    }

    #[test]
    fn a_range_opens_what_it_contains() {
        assert_eq!(why("10.1.2.3", &["10.0.0.0/8"]), None);
        assert_eq!(why("10.1.2.3", &["10.2.0.0/16", "::/0"]), Some("a private address"));
        assert_eq!(why("::1", &["::/0"]), None);
        assert_eq!(why("::1", &["0.0.0.0/0"]), Some("a loopback address"));
        assert_eq!(why("::ffff:10.1.2.3", &["10.0.0.0/8"]), Some("an IPv4-mapped address"));
    }

    #[test]
    fn a_translation_range_does_not_open_what_is_behind_it() {
        let nat64 = "64:ff9b::/96";
        assert_eq!(why("64:ff9b::8.8.8.8", &[nat64]), None);
        assert_eq!(why("64:ff9b::169.254.169.254", &[nat64]), Some("a cloud metadata address"));
        assert_eq!(why("64:ff9b::10.0.0.1", &[nat64, "10.0.0.0/8"]), None);
        assert_eq!(why("64:ff9b::10.0.0.1", &["64:ff9b::10.0.0.1/128"]), None);
        assert_eq!(why("2002:a00:1::1", &["2002::/16"]), Some("a private address"));
        assert_eq!(why("2001:0:1:2:3:4:80ff:fffe", &["2001::/32"]), Some("a loopback address"));
        assert_eq!(why("::ffff:127.0.0.1", &["::/0"]), Some("a loopback address"));
    }
}
