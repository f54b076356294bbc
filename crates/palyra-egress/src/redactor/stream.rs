//! Redaction of bytes that come in pieces, however they are cut.

use super::{MASK, Redactor, WINDOW_BYTES};

/// Blots secrets out of a stream, also where a secret is cut by the end of a piece.
///
/// It keeps back only what later bytes could turn into a secret, so the frames of an event stream pass at once;
/// [`finish`](Self::finish) gives out the rest.
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
            // What is out of reach of every match yet to come is settled, and so is what cannot become one.
            let out_of_reach =
                self.between_escapes((self.kept.len() + 1).saturating_sub(self.redactor.reach));
            let tail = &self.kept[out_of_reach..];
            let closed = self.between_escapes(out_of_reach + self.redactor.open_from(tail));
            self.release(out_of_reach, closed, &mut clean);
        }
        clean
    }

    /// Returns the rest.
    pub fn finish(mut self) -> Vec<u8> {
        let mut clean = Vec::with_capacity(self.kept.len());
        self.release(self.kept.len(), self.kept.len(), &mut clean);
        clean
    }

    /// The same place, or the one before where it would part a backslash from what it escapes.
    fn between_escapes(&self, settled: usize) -> usize {
        let before = self.kept[..settled].iter().rev().take_while(|byte| **byte == b'\\').count();
        settled - before % 2
    }

    /// Gives out what is settled and forgets it: everything before `least`, and up to `most` where no match is cut,
    /// because the matches behind it are found from where the last one ended.
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
