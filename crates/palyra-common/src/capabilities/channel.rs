//! Names of channels in grants and messages.

use super::GrantSyntaxError;
use super::lattice::Authority;
use std::fmt;
use std::str::FromStr;

/// The name of a channel: `[a-z0-9][a-z0-9._-]*`, at most 64 bytes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChannelName(String);

impl ChannelName {
    /// Returns the name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for ChannelName {
    type Err = GrantSyntaxError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit();
        let fits = (1..=64).contains(&text.len())
            && text.bytes().all(|b| plain(b) || matches!(b, b'.' | b'_' | b'-'))
            && text.bytes().next().is_some_and(plain);
        if !fits {
            return Err(GrantSyntaxError::part(
                "channel name",
                text,
                "expected `[a-z0-9][a-z0-9._-]*`, at most 64 bytes",
            ));
        }
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Display for ChannelName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Authority for ChannelName {
    fn is_within(&self, other: &Self) -> bool {
        self == other
    }

    fn meet(&self, other: &Self) -> Option<Self> {
        (self == other).then(|| self.clone())
    }
}
