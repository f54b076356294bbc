//! Redaction of bytes that arrive in parts.

use super::{MASK, Redactor, WINDOW_BYTES};

/// Masks secrets in a stream, including secrets that are split between parts.
///
/// It retains only the bytes that later input could complete to a secret, so frames of an event stream pass without
/// delay. [`finish`](Self::finish) returns the rest.
pub struct RedactorStream {
    redactor: Redactor,
    kept: Vec<u8>,
    /// Number of retained bytes that are covered by a mask which was already returned.
    masked: usize,
}

impl RedactorStream {
    pub(super) fn new(redactor: Redactor) -> Self {
        Self { redactor, kept: Vec::new(), masked: 0 }
    }

    /// Adds a part and returns the bytes that cannot belong to a secret.
    pub fn push(&mut self, data: &[u8]) -> Vec<u8> {
        if self.redactor.is_empty() {
            return data.to_vec();
        }
        let mut clean = Vec::with_capacity(data.len());
        for piece in data.chunks(WINDOW_BYTES.max(self.redactor.reach)) {
            self.kept.extend_from_slice(piece);
            // Bytes beyond the reach of every later match are final, and so are those that cannot start one.
            let out_of_reach =
                self.between_escapes((self.kept.len() + 1).saturating_sub(self.redactor.reach));
            let tail = &self.kept[out_of_reach..];
            let closed = self.between_escapes(out_of_reach + self.redactor.open_from(tail));
            self.release(out_of_reach, closed, &mut clean);
        }
        clean
    }

    /// Returns the remaining bytes.
    pub fn finish(mut self) -> Vec<u8> {
        let mut clean = Vec::with_capacity(self.kept.len());
        self.release(self.kept.len(), self.kept.len(), &mut clean);
        clean
    }

    /// Returns the offset, or the one before it if it would separate a backslash from the escaped character.
    fn between_escapes(&self, settled: usize) -> usize {
        let before = self.kept[..settled].iter().rev().take_while(|byte| **byte == b'\\').count();
        settled - before % 2
    }

    /// Moves final bytes to the output: everything before `least`, and up to `most` where no match is split. The
    /// matches after it are found from the end of the last one.
    fn release(&mut self, least: usize, most: usize, clean: &mut Vec<u8>) {
        if most == 0 {
            return;
        }
        let stretches = self.redactor.stretches(&self.kept);
        let cut = stretches.iter().find(|stretch| stretch.start < most && most < stretch.end);
        let settled = cut.map_or(most, |stretch| stretch.start.max(least));
        let mut at = self.masked;
        for stretch in stretches {
            if stretch.start >= settled {
                break;
            }
            // A range that overlaps a mask that was already written only extends it.
            if stretch.start >= at {
                clean.extend_from_slice(&self.kept[at..stretch.start]);
                clean.extend_from_slice(MASK);
            }
            at = at.max(stretch.end);
        }
        if at < settled {
            clean.extend_from_slice(&self.kept[at..settled]);
        }
        self.kept.drain(..settled);
        self.masked = at.saturating_sub(settled);
    }
}

impl std::fmt::Debug for RedactorStream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RedactorStream").field("kept", &self.kept.len()).finish_non_exhaustive()
    }
}
