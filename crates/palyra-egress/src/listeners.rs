//! Palyra's own listeners, which are refused regardless of grants.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};

/// The listeners that are refused as a target.
pub(crate) struct RefusedListeners(Vec<SocketAddr>);

impl RefusedListeners {
    pub(crate) fn new(listeners: Vec<SocketAddr>) -> Self {
        Self(listeners.into_iter().map(|at| SocketAddr::new(at.ip().to_canonical(), at.port())).collect())
    }

    /// Returns whether a connection to this target would reach one of the listeners.
    pub(crate) fn contain(&self, target: SocketAddr) -> bool {
        let address = reached(target.ip());
        self.0.iter().filter(|listener| listener.port() == target.port()).any(|listener| {
            if listener.ip().is_unspecified() { is_this_machine(address) } else { listener.ip() == address }
        })
    }
}

/// Returns the address the kernel connects to: the unspecified one means loopback.
fn reached(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(Ipv4Addr::UNSPECIFIED) => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(Ipv6Addr::UNSPECIFIED) => Ipv6Addr::LOCALHOST.into(),
        other => other,
    }
}

/// Returns whether the route to an address ends on this machine; no packet is sent.
fn is_this_machine(address: IpAddr) -> bool {
    if address.is_loopback() {
        return true;
    }
    let any: IpAddr =
        if address.is_ipv4() { Ipv4Addr::UNSPECIFIED.into() } else { Ipv6Addr::UNSPECIFIED.into() };
    let source = UdpSocket::bind((any, 0)).and_then(|socket| {
        socket.connect((address, 9))?;
        socket.local_addr()
    });
    source.is_ok_and(|source| source.ip() == address)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(listener: &str, target: &str) -> bool {
        RefusedListeners::new(vec![listener.parse().unwrap()]).contain(target.parse().unwrap())
    }

    #[test]
    fn own_listeners() {
        for (listener, target, expected) in [
            ("127.0.0.1:80", "127.0.0.1:80", true),
            ("127.0.0.1:80", "127.0.0.1:81", false),
            ("127.0.0.1:80", "127.0.0.2:80", false),
            ("127.0.0.1:80", "[::ffff:127.0.0.1]:80", true),
            ("127.0.0.1:80", "0.0.0.0:80", true),
            ("[::1]:80", "[::]:80", true),
            ("0.0.0.0:80", "127.9.9.9:80", true),
            ("[::]:80", "127.0.0.1:80", true),
            ("[::]:80", "[::1]:80", true),
            ("0.0.0.0:80", "192.0.2.1:80", false),
        ] {
            assert_eq!(refused(listener, target), expected, "{listener} {target}");
        }
    }
}
