//! The encodings of a secret that are searched for.

use super::unescape::MAX_ESCAPE_BYTES;
use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use memchr::memmem;
use std::ops::Range;
use zeroize::Zeroizing;

/// One encoding of one secret.
pub(super) struct Form {
    /// The index of the secret in the list.
    pub(super) secret: usize,
    /// The bytes to search for.
    pub(super) needle: Zeroizing<Vec<u8>>,
    /// Whether the character before the needle carries some of the secret's bits.
    left: bool,
    /// Whether the character after it does.
    right: bool,
}

impl Form {
    /// Returns the longest range a match can cover: every character in its longest escape, with its neighbours.
    pub(super) fn reach(&self) -> usize {
        (self.needle.len() + 2).saturating_mul(MAX_ESCAPE_BYTES)
    }

    /// Returns the position at which a match that is not complete yet begins at the end of `data`.
    pub(super) fn open_from(&self, data: &[u8]) -> Option<usize> {
        let longest = if self.right { self.needle.len() } else { self.needle.len() - 1 };
        let from = data.len().saturating_sub(longest);
        let start = (from..data.len()).find(|at| self.needle.starts_with(&data[*at..]))?;
        Some(start.saturating_sub(usize::from(self.left)))
    }

    /// Returns the ranges of `data` that hold the form, with the neighbours it shares.
    pub(super) fn stretches(&self, data: &[u8]) -> impl Iterator<Item = Range<usize>> {
        let (left, right, length, end) = (self.left, self.right, self.needle.len(), data.len());
        memmem::find_iter(data, self.needle.as_slice()).map(move |start| {
            start.saturating_sub(usize::from(left))..(start + length + usize::from(right)).min(end)
        })
    }
}

/// Returns every form of one secret, without duplicates.
pub(super) fn forms_of(secret: usize, value: &[u8]) -> Vec<Form> {
    let mut forms: Vec<Form> = Vec::with_capacity(12);
    let mut add = |needle: Vec<u8>, left: bool, right: bool| {
        forms.push(Form { secret, needle: Zeroizing::new(needle), left, right });
    };
    add(value.to_vec(), false, false);
    let hexadecimal = hex::encode(value).into_bytes();
    if hexadecimal.iter().any(u8::is_ascii_lowercase) {
        add(hexadecimal.to_ascii_uppercase(), false, false);
    }
    add(hexadecimal, false, false);
    if value.contains(&b' ') {
        add(replaced(value, b" ", b"+"), false, false);
    }
    for offset in 0..3 {
        let (needle, left, right) = base64_core(value, offset);
        if needle.iter().any(|byte| b"+/".contains(byte)) {
            add(replaced(&needle, b"+/", b"-_"), left, right);
        }
        add(needle, left, right);
    }
    forms
}

/// Returns the base64 characters that depend on the secret alone, if it starts `offset` bytes into a group of
/// three, and whether the neighbour on each side depends on it partly.
fn base64_core(value: &[u8], offset: usize) -> (Vec<u8>, bool, bool) {
    let mut padded = Zeroizing::new(Vec::with_capacity(offset + value.len()));
    padded.resize(offset, 0);
    padded.extend_from_slice(value);
    let mut text = STANDARD_NO_PAD.encode(padded.as_slice()).into_bytes();
    text.truncate(padded.len() * 8 / 6);
    text.drain(..(offset * 8).div_ceil(6));
    (text, offset != 0, !(padded.len() * 8).is_multiple_of(6))
}

fn replaced(bytes: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let swap = |byte: &u8| from.iter().position(|known| known == byte).map_or(*byte, |at| to[at]);
    bytes.iter().map(swap).collect()
}
