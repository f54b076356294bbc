//! The address of a daemon, and whether a token may be sent to it.

use std::net::IpAddr;
use std::path::PathBuf;
use std::str::FromStr;

use url::{Host, Url};

/// Address of a daemon.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// A Unix socket on this machine.
    Socket(PathBuf),
    /// A URL: `https`, or `http` to a loopback address.
    Url {
        /// True if the connection uses TLS.
        tls: bool,
        /// Host name or IP address.
        host: String,
        /// TCP port.
        port: u16,
    },
}

/// Reason why a URL cannot be used for a daemon.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlaceError {
    /// The text is not a URL.
    #[error("it is not a URL: {0}")]
    NotAUrl(String),
    /// The scheme is not `http` or `https`.
    #[error("its scheme is `{0}`, not `https`")]
    Scheme(String),
    /// The token would be sent unencrypted.
    #[error("the token would be sent unencrypted: use `https`, or `http` with a loopback address")]
    Clear,
    /// The URL has a part that the client does not use.
    #[error("it has {0}, which is not allowed")]
    Extra(&'static str),
    /// The URL has no host.
    #[error("it has no host")]
    NoHost,
}

impl Place {
    /// Returns the `Host` header of requests.
    pub fn host(&self) -> String {
        match self {
            Self::Socket(_) => "localhost".into(),
            Self::Url { host, port, .. } => format!("{host}:{port}"),
        }
    }
}

impl FromStr for Place {
    type Err = PlaceError;

    fn from_str(text: &str) -> Result<Self, PlaceError> {
        let url = Url::parse(text).map_err(|error| PlaceError::NotAUrl(error.to_string()))?;
        let tls = match url.scheme() {
            "https" => true,
            "http" => false,
            other => return Err(PlaceError::Scheme(other.to_owned())),
        };
        if !url.username().is_empty() || url.password().is_some() {
            return Err(PlaceError::Extra("a user name"));
        }
        if url.path() != "/" || url.query().is_some() || url.fragment().is_some() {
            return Err(PlaceError::Extra("a path"));
        }
        let host = url.host().ok_or(PlaceError::NoHost)?;
        if !tls && !is_loopback(&host) {
            return Err(PlaceError::Clear);
        }
        let port = url.port_or_known_default().unwrap_or(443);
        Ok(Self::Url { tls, host: host.to_string(), port })
    }
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Socket(path) => write!(f, "{}", path.display()),
            Self::Url { tls, host, port } => {
                write!(f, "{}://{host}:{port}", if *tls { "https" } else { "http" })
            }
        }
    }
}

/// Returns whether the address is on this machine. A name is not, because it could resolve to any address.
fn is_loopback(host: &Host<&str>) -> bool {
    match host {
        Host::Ipv4(address) => IpAddr::from(*address).is_loopback(),
        Host::Ipv6(address) => IpAddr::from(*address).is_loopback(),
        Host::Domain(name) => *name == "localhost",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_https_and_loopback_get_a_token() {
        for good in
            ["https://palyra.example", "http://127.0.0.1:7437", "http://[::1]:1/", "http://localhost:7437"]
        {
            assert!(good.parse::<Place>().is_ok(), "{good}");
        }
        for (bad, why) in [
            ("http://palyra.example", PlaceError::Clear),
            ("http://10.0.0.1", PlaceError::Clear),
            ("http://localhost.evil.example", PlaceError::Clear),
            ("ftp://localhost", PlaceError::Scheme("ftp".into())),
            ("https://user@palyra.example", PlaceError::Extra("a user name")),
            ("https://palyra.example/v1", PlaceError::Extra("a path")),
        ] {
            assert_eq!(bad.parse::<Place>(), Err(why), "{bad}");
        }
    }
}
