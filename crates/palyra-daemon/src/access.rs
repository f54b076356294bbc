//! Authentication: tokens, their scopes, and a rate limit for failures.

mod failures;
mod owner_token;

pub use owner_token::{OwnerToken, OwnerTokenError};

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use palyra_common::{Principal, Transport};
use palyra_skills::Sha256Digest;
use palyra_state::State;
use parking_lot::RwLock;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use failures::Failures;

/// Maximum length of a token; a longer one is rejected without hashing it.
const MAX_TOKEN_BYTES: usize = 512;

/// Why a request is not authenticated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// The request has no token.
    #[error("a token is required")]
    NoToken,
    /// The token is unknown, was removed or has expired.
    #[error("invalid token")]
    BadToken,
    /// The address had too many failed authentications.
    #[error("too many wrong tokens: try again later")]
    TooMany,
}

/// Authenticates requests by token.
#[derive(Default)]
pub struct Access {
    owner: RwLock<Option<[u8; 32]>>,
    failures: Failures,
    denials: Failures,
    hosts: RwLock<Vec<String>>,
}

impl Access {
    /// Authenticates the holder of this token as the owner.
    pub fn set_owner(&self, token: &OwnerToken) {
        let digest = token.digest();
        *self.owner.write() = Some(digest);
    }

    /// Names under which this daemon may be addressed, besides those of this machine.
    pub fn allow_hosts(&self, names: Vec<String>) {
        *self.hosts.write() = names.into_iter().map(|name| name.to_ascii_lowercase()).collect();
    }

    /// Sets the number of failures from one address before it is rate-limited.
    pub fn allow_failures(&self, burst: u32) {
        self.failures.set_burst(burst);
    }

    /// Returns whether this is a name of this daemon. A page that rebinds its own DNS name does not know one.
    pub fn is_own_host(&self, host: &str) -> bool {
        let Some((name, address)) = parse_authority(host) else { return false };
        let name = name.to_ascii_lowercase();
        let named = || self.hosts.read().contains(&name);
        name == "localhost" || address.is_some_and(|address| address.is_loopback()) || named()
    }

    /// Counts a rejected request; returns false if its address is rate-limited.
    pub fn count_failure(&self, from: Option<IpAddr>) -> bool {
        self.failures.count(from)
    }

    /// Counts a denial of an authenticated principal; returns false if its address had too many.
    pub fn count_denial(&self, from: Option<IpAddr>) -> bool {
        self.denials.count(from)
    }

    /// Authenticates a request by its token; invalid tokens are counted by address.
    pub fn authenticate(
        &self,
        state: &State,
        token: Option<&str>,
        from: Option<IpAddr>,
        transport: Transport,
    ) -> Result<Principal, Refused> {
        let found = match token {
            None => Err(Refused::NoToken),
            Some(token) if token.len() > MAX_TOKEN_BYTES => Err(Refused::BadToken),
            Some(token) => self.find(state, &Sha256::digest(token.as_bytes()).into(), transport),
        };
        found.map_err(|refused| if self.count_failure(from) { refused } else { Refused::TooMany })
    }

    /// Returns the principal of a token that was authenticated before, or `None` if it was removed since.
    pub(crate) fn recognise(&self, state: &State, token: &str, transport: Transport) -> Option<Principal> {
        self.find(state, &Sha256::digest(token.as_bytes()).into(), transport).ok()
    }

    fn find(&self, state: &State, digest: &[u8; 32], transport: Transport) -> Result<Principal, Refused> {
        let owner = *self.owner.read();
        if owner.is_some_and(|owner| bool::from(owner.ct_eq(digest))) {
            return Ok(Principal::owner(transport));
        }
        let token = state.tokens().find(&Sha256Digest::from_bytes(*digest)).ok_or(Refused::BadToken)?;
        Ok(Principal::token(token.name, *digest, token.scopes, transport))
    }
}

/// Splits `NAME[:PORT]` or `[ADDRESS][:PORT]` into the name, including brackets, and its address, if it is one. Returns
/// `None` for any other text.
fn parse_authority(authority: &str) -> Option<(&str, Option<IpAddr>)> {
    let end = match authority.strip_prefix('[') {
        Some(rest) => rest.find(']')? + 2,
        None => authority.find(':').unwrap_or(authority.len()),
    };
    let (name, port) = authority.split_at_checked(end)?;
    if !port.is_empty() {
        let digits = port.strip_prefix(':')?;
        let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| digits.parse::<u16>().ok())??;
    }
    match name.strip_prefix('[') {
        Some(address) => {
            let address = address.strip_suffix(']')?.parse::<Ipv6Addr>().ok()?;
            Some((name, Some(address.into())))
        }
        None => Some((name, name.parse::<Ipv4Addr>().ok().map(IpAddr::from))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_this_machine_are_its_own() {
        let access = Access::default();
        for own in ["localhost", "LOCALHOST:7437", "127.0.0.1", "127.0.0.1:80", "[::1]:7437", "127.8.8.8"] {
            assert!(access.is_own_host(own), "{own}");
        }
        for other in [
            "",
            "evil.example",
            "localhost.evil.example:7437",
            "10.0.0.1",
            "[::2]",
            "127.0.0.1.evil.example",
            "0.0.0.0",
        ] {
            assert!(!access.is_own_host(other), "{other}");
        }
        access.allow_hosts(vec!["Palyra.Example".into()]);
        assert!(access.is_own_host("palyra.example:443") && !access.is_own_host("a.palyra.example"));
    }

    #[test]
    fn authority_with_anything_beside_name_and_port_is_foreign() {
        let access = Access::default();
        for other in [
            "[::1].evil.example",
            "[::1]@evil.example",
            "[::1]:80@evil.example",
            "[::1",
            "[::1]]",
            "[127.0.0.1]",
            "[::1%lo]",
            "::1",
            "localhost:x.evil",
            "localhost:",
            "localhost:+80",
            "localhost:65536",
            "localhost:80:80",
            "localhost@evil.example",
            "user@localhost",
            "127.0.0.1:80/evil",
            "localhost, evil.example",
            " localhost",
        ] {
            assert!(!access.is_own_host(other), "{other}");
        }
    }
}
