//! One-time codes: limited in number, short-lived, and removed by their first use.

use subtle::ConstantTimeEq;

/// Lifetime of a code in milliseconds.
const LIFETIME_MS: u64 = 60_000;
/// Maximum number of valid codes; another one removes the oldest.
const MAX_OPEN: usize = 8;

/// Codes that were not used yet.
#[derive(Default)]
pub(super) struct Codes(Vec<Code>);

struct Code {
    digest: [u8; 32],
    expires_ms: u64,
}

impl Codes {
    /// Adds the code with this digest; returns its expiry time in Unix milliseconds.
    pub(super) fn add(&mut self, digest: [u8; 32], now_ms: u64) -> u64 {
        self.forget_expired(now_ms);
        if self.0.len() >= MAX_OPEN {
            self.0.remove(0);
        }
        let expires_ms = now_ms.saturating_add(LIFETIME_MS);
        self.0.push(Code { digest, expires_ms });
        expires_ms
    }

    /// Returns whether the code exists, and removes it.
    pub(super) fn redeem(&mut self, digest: &[u8; 32], now_ms: u64) -> bool {
        self.forget_expired(now_ms);
        let found = self.0.iter().position(|code| bool::from(code.digest.ct_eq(digest)));
        found.map(|index| self.0.remove(index)).is_some()
    }

    fn forget_expired(&mut self, now_ms: u64) {
        self.0.retain(|code| code.expires_ms > now_ms);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_redeemed_once_and_within_its_minute() {
        let mut codes = Codes::default();
        assert_eq!(codes.add([1; 32], 1_000), 61_000);
        assert!(!codes.redeem(&[2; 32], 1_000));
        assert!(codes.redeem(&[1; 32], 60_999));
        assert!(!codes.redeem(&[1; 32], 60_999));
        codes.add([3; 32], 1_000);
        assert!(!codes.redeem(&[3; 32], 61_000));
    }

    #[test]
    fn ninth_code_pushes_out_the_oldest() {
        let mut codes = Codes::default();
        for number in 0..=8 {
            codes.add([number; 32], 0);
        }
        assert!(!codes.redeem(&[0; 32], 0));
        assert!((1..=8).all(|number| codes.redeem(&[number; 32], 0)));
    }
}
