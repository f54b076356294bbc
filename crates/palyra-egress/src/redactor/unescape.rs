//! Decodes escaped text for the search, with a mapping to the original bytes.

use memchr::memchr;
use std::ops::Range;

/// Maximum length of a decoded escape: `&#x0000026;` has eleven bytes, and longer ones do not occur in practice.
pub(super) const MAX_ESCAPE_BYTES: usize = 12;

/// An escaping scheme by which an encoder may have written a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Escape {
    /// URL percent-encoding: `%26`.
    Percent,
    /// Escapes of JSON strings: `\u0026`, `\n`, `\/`.
    Json,
    /// References of HTML and XML: `&amp;`, `&#38;`, `&#x26;`.
    Markup,
}

/// Decoded bytes with their original offsets.
pub(super) struct Decoded {
    pub(super) bytes: Vec<u8>,
    /// The original offset of each decoded byte, then the end of the last one.
    starts: Vec<usize>,
}

impl Decoded {
    /// Returns the original range of a range of decoded bytes.
    pub(super) fn origin(&self, stretch: Range<usize>) -> Range<usize> {
        // All bytes of one escaped character have the offset of its escape, so the range covers the whole escape.
        let last = self.starts[stretch.end.saturating_sub(1)];
        let end = self.starts[stretch.end..].iter().copied().find(|start| *start > last);
        self.starts[stretch.start]..end.unwrap_or(last)
    }

    /// Returns the original offset of a decoded byte.
    pub(super) fn start(&self, at: usize) -> usize {
        self.starts[at.min(self.starts.len() - 1)]
    }
}

impl Escape {
    pub(super) const ALL: [Self; 3] = [Self::Percent, Self::Json, Self::Markup];

    /// Decodes each escape once and copies everything else. Returns `None` if there is no escape.
    pub(super) fn decode(self, data: &[u8]) -> Option<Decoded> {
        memchr(self.sign(), data)?;
        let mut decoded =
            Decoded { bytes: Vec::with_capacity(data.len()), starts: Vec::with_capacity(data.len() + 1) };
        let mut at = 0;
        while let Some(&byte) = data.get(at) {
            let escaped = if byte == self.sign() { self.character(&data[at..]) } else { None };
            let (bytes, length) = escaped.unwrap_or((Character::Byte(byte), 1));
            let mut buffer = [0; 4];
            let bytes = match bytes {
                Character::Byte(byte) => {
                    buffer[0] = byte;
                    &buffer[..1]
                }
                Character::Char(c) => c.encode_utf8(&mut buffer).as_bytes(),
            };
            decoded.starts.extend(std::iter::repeat_n(at, bytes.len()));
            decoded.bytes.extend_from_slice(bytes);
            at += length;
        }
        decoded.starts.push(at);
        Some(decoded)
    }

    /// Returns the offsets at which an incomplete escape may start.
    pub(super) fn unfinished(self, data: &[u8]) -> impl Iterator<Item = usize> {
        let from = data.len().saturating_sub(MAX_ESCAPE_BYTES - 1);
        (from..data.len()).filter(move |at| data[*at] == self.sign() && self.could_go_on(&data[at + 1..]))
    }

    /// Returns whether more bytes could complete an escape; `rest` follows its first character.
    fn could_go_on(self, rest: &[u8]) -> bool {
        let all_hex = |digits: &[u8]| digits.iter().all(u8::is_ascii_hexdigit);
        match (self, rest) {
            (_, []) => true,
            (Self::Percent, digits) => digits.len() < 2 && all_hex(digits),
            // The first half of a surrogate pair continues with the escape of the second half.
            (Self::Json, [b'u', digits @ ..]) => match digits.split_at_checked(4) {
                None => all_hex(digits),
                Some((high, low)) => {
                    let prefix = &low[..low.len().min(2)];
                    let is_high = matches!(high, [b'd' | b'D', b'8' | b'9' | b'a' | b'b' | b'A' | b'B', ..]);
                    is_high && all_hex(high) && low.len() < 6 && b"\\u".starts_with(prefix)
                }
            },
            (Self::Json, _) => false,
            (Self::Markup, name) => name.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'#'),
        }
    }

    fn sign(self) -> u8 {
        match self {
            Self::Percent => b'%',
            Self::Json => b'\\',
            Self::Markup => b'&',
        }
    }

    /// Decodes the escape at the start of `rest` and returns its character and length.
    fn character(self, rest: &[u8]) -> Option<(Character, usize)> {
        match self {
            Self::Percent => {
                let byte = hexadecimal(rest.get(1..3)?)?;
                Some((Character::Byte(u8::try_from(byte).ok()?), 3))
            }
            Self::Json => json(rest),
            Self::Markup => markup(rest),
        }
    }
}

enum Character {
    Byte(u8),
    Char(char),
}

fn json(rest: &[u8]) -> Option<(Character, usize)> {
    let plain = |byte: u8| Some((Character::Byte(byte), 2));
    match rest.get(1)? {
        b'n' => plain(b'\n'),
        b'r' => plain(b'\r'),
        b't' => plain(b'\t'),
        b'b' => plain(8),
        b'f' => plain(12),
        b'u' => unicode(rest),
        sign @ (b'"' | b'\\' | b'/' | b'\'') => plain(*sign),
        _ => None,
    }
}

/// Decodes `\u00e9`, or two of them for a character above U+FFFF.
fn unicode(rest: &[u8]) -> Option<(Character, usize)> {
    let first = hexadecimal(rest.get(2..6)?)?;
    if let Some(c) = char::from_u32(first) {
        return Some((Character::Char(c), 6));
    }
    let pair = rest.get(6..12).filter(|pair| pair.starts_with(b"\\u"))?;
    let second = hexadecimal(&pair[2..])?;
    let c = match (first, second) {
        (0xd800..=0xdbff, 0xdc00..=0xdfff) => 0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00),
        _ => return None,
    };
    Some((Character::Char(char::from_u32(c)?), 12))
}

fn markup(rest: &[u8]) -> Option<(Character, usize)> {
    let end = memchr(b';', rest.get(..rest.len().min(MAX_ESCAPE_BYTES))?)?;
    let code = match &rest[1..end] {
        b"amp" => u32::from(b'&'),
        b"lt" => u32::from(b'<'),
        b"gt" => u32::from(b'>'),
        b"quot" => u32::from(b'"'),
        b"apos" => u32::from(b'\''),
        [b'#', b'x' | b'X', digits @ ..] => hexadecimal(digits)?,
        [b'#', digits @ ..] => decimal(digits)?,
        _ => return None,
    };
    Some((Character::Char(char::from_u32(code)?), end + 1))
}

fn hexadecimal(digits: &[u8]) -> Option<u32> {
    number(digits, 16)
}

fn decimal(digits: &[u8]) -> Option<u32> {
    number(digits, 10)
}

fn number(digits: &[u8], radix: u32) -> Option<u32> {
    if digits.is_empty() {
        return None;
    }
    digits.iter().try_fold(0_u32, |number, digit| {
        number.checked_mul(radix)?.checked_add(char::from(*digit).to_digit(radix)?)
    })
}
