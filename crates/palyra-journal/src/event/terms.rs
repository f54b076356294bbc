//! Search terms of events as bits of a set, computed by the appending thread, so that the writer only sets bits.

use sha2::{Digest, Sha256};

/// Number of bits in a set of terms: 16 for each of 1,024 events.
pub(crate) const TERM_BITS: usize = 16 * 1_024;
/// Number of bits that a term sets. With one term per event, about one in a thousand blocks is a false positive.
const PROBES: usize = 7;

/// A value that events can be searched by.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Term<'a> {
    Kind(&'a str),
    Run(&'a str),
    Skill(&'a str),
}

impl Term<'_> {
    /// Returns the bits of this term.
    pub(crate) fn bits(self) -> [u16; PROBES] {
        let (tag, text) = match self {
            Self::Kind(text) => (b'k', text),
            Self::Run(text) => (b'r', text),
            Self::Skill(text) => (b's', text),
        };
        let hash: [u8; 32] = Sha256::new().chain_update([tag]).chain_update(text).finalize().into();
        let mut bits = [0; PROBES];
        for (bit, pair) in bits.iter_mut().zip(hash.chunks_exact(2)) {
            let number = pair.iter().rev().fold(0, |number, byte| number << 8 | usize::from(*byte));
            *bit = (number % TERM_BITS) as u16;
        }
        bits
    }
}

/// The bits of all terms of one event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct EventTerms {
    bits: [[u16; PROBES]; 3],
    count: usize,
}

impl EventTerms {
    /// Computes the terms of an event with these fields.
    pub(crate) fn new(kind: &str, run: Option<&str>, skill: Option<&str>) -> Self {
        let terms = [Some(Term::Kind(kind)), run.map(Term::Run), skill.map(Term::Skill)];
        let (mut bits, mut count) = ([[0; PROBES]; 3], 0);
        for (place, term) in bits.iter_mut().zip(terms.into_iter().flatten()) {
            *place = term.bits();
            count += 1;
        }
        Self { bits, count }
    }

    /// Returns the bits of all terms.
    pub(crate) fn bits(&self) -> impl Iterator<Item = u16> + '_ {
        self.bits.iter().take(self.count).flatten().copied()
    }
}
