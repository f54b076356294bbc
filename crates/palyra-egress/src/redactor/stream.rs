//! Redaction of bytes that come in pieces, however they are cut.

use super::{MASK, Redactor, WINDOW_BYTES};

/// Blots secrets out of a stream, also where a secret is cut by the end of a piece.
///
/// It keeps back as many bytes as the longest match can cover; [`finish`](Self::finish) gives them out.
pub struct RedactorStream {
    redactor: Redactor,
    kept: Vec<u8>,
    /// How many of the kept bytes lie under a mask that was given out already.
    masked: usize,
}

impl RedactorStream {
    pub(super) fn new(redactor: Redactor) -> Self {
        Self { redactor, kept: Vec::new(), masked: 0 }
    }

    /// Takes the next piece and returns what is clean for sure.
    pub fn push(&mut self, data: &[u8]) -> Vec<u8> {
        if self.redactor.is_empty() {
            return data.to_vec();
        }
        let mut clean = Vec::with_capacity(data.len());
        for piece in data.chunks(WINDOW_BYTES.max(self.redactor.reach)) {
            self.kept.extend_from_slice(piece);
            // A match that starts before this point lies in the kept bytes as a whole.
            let settled = (self.kept.len() + 1).saturating_sub(self.redactor.reach);
            self.release(self.between_escapes(settled), &mut clean);
        }
        clean
    }

    /// Returns the rest.
    pub fn finish(mut self) -> Vec<u8> {
        let mut clean = Vec::with_capacity(self.kept.len());
        self.release(self.kept.len(), &mut clean);
        clean
    }

    /// The same place, or the one before where it would part a backslash from what it escapes.
    fn between_escapes(&self, settled: usize) -> usize {
        let before = self.kept[..settled].iter().rev().take_while(|byte| **byte == b'\\').count();
        settled - before % 2
    }

    /// Gives out everything before `settled`, and forgets it.
    fn release(&mut self, settled: usize, clean: &mut Vec<u8>) {
        if settled == 0 {
            return;
        }
        let mut at = self.masked;
        for stretch in self.redactor.stretches(&self.kept) {
            if stretch.start >= settled {
                break;
            }
            // A stretch that overlaps what is under a mask already only makes that mask wider.
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
