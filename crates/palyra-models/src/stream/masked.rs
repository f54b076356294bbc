//! Masks the provider's key in streamed text, also if it is split between events.

use palyra_egress::{Redactor, RedactorStream};

/// The text of one channel of an answer: output or reasoning.
///
/// The egress guard masks the key in the bytes of a response. A key that a provider repeats piece by piece, one frame
/// after the other, is only whole here.
#[derive(Debug)]
pub(super) struct MaskedText {
    clean: RedactorStream,
    /// The bytes of an incomplete character, whose rest is held back by the redactor.
    cut: Vec<u8>,
}

impl MaskedText {
    pub(super) fn new(redactor: &Redactor) -> Self {
        Self { clean: redactor.stream(), cut: Vec::new() }
    }

    /// Adds text and returns the part that can be shown.
    pub(super) fn push(&mut self, text: &str) -> String {
        self.cut.extend(self.clean.push(text.as_bytes()));
        let whole = match std::str::from_utf8(&self.cut) {
            Ok(text) => text.len(),
            Err(error) => error.valid_up_to(),
        };
        let rest = self.cut.split_off(whole);
        into_text(std::mem::replace(&mut self.cut, rest))
    }

    /// Returns the text that was held back.
    pub(super) fn finish(self) -> String {
        let mut rest = self.cut;
        rest.extend(self.clean.finish());
        into_text(rest)
    }
}

fn into_text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}
