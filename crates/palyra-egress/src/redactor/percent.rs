//! Percent-encoded text: decoded for the search, with the way back to the original bytes.

use std::ops::Range;

/// Decoded bytes and where each came from.
pub(super) struct Decoded {
    pub(super) bytes: Vec<u8>,
    /// The start of each decoded byte in the original, and the end of the last.
    starts: Vec<usize>,
}

impl Decoded {
    /// The original bytes behind a stretch of decoded ones.
    pub(super) fn origin(&self, stretch: Range<usize>) -> Range<usize> {
        self.starts[stretch.start]..self.starts[stretch.end]
    }
}

/// Decodes each `%XX` once; everything else stays as it is.
pub(super) fn decode(data: &[u8]) -> Decoded {
    let mut decoded =
        Decoded { bytes: Vec::with_capacity(data.len()), starts: Vec::with_capacity(data.len() + 1) };
    let mut at = 0;
    while let Some(&byte) = data.get(at) {
        decoded.starts.push(at);
        match (byte, data.get(at + 1).and_then(hex_digit), data.get(at + 2).and_then(hex_digit)) {
            (b'%', Some(high), Some(low)) => {
                decoded.bytes.push(high << 4 | low);
                at += 3;
            }
            _ => {
                decoded.bytes.push(byte);
                at += 1;
            }
        }
    }
    decoded.starts.push(at);
    decoded
}

fn hex_digit(byte: &u8) -> Option<u8> {
    char::from(*byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}
