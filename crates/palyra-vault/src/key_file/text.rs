//! The text format of a key file: six lines in one canonical form.

use super::{KdfCost, KeyFileError, KeyFileType};
use crate::cipher::{NONCE_BYTES, TAG_BYTES};

pub(super) const SALT_BYTES: usize = 16;
pub(super) const SEALED_BYTES: usize = 32 + TAG_BYTES;

const FIRST_LINE: &str = "palyra-key-file v1";
const LINES: usize = 6;

/// The fields of a key file.
pub(super) struct Fields {
    pub(super) kind: KeyFileType,
    pub(super) cost: KdfCost,
    pub(super) salt: [u8; SALT_BYTES],
    pub(super) nonce: [u8; NONCE_BYTES],
    pub(super) sealed: [u8; SEALED_BYTES],
}

impl Fields {
    /// Parses the lines. Every number is checked here, before any computation with it.
    pub(super) fn parse(bytes: &[u8]) -> Result<Self, KeyFileError> {
        let not = |line, problem| KeyFileError::NotAKeyFile { line, problem };
        if !bytes.starts_with(b"palyra-key-file ") {
            let looks_raw = matches!(bytes.trim_ascii().len(), 32 | 43 | 44 | 64) || bytes.len() == 32;
            return Err(if looks_raw {
                KeyFileError::RawKey { bytes: bytes.len() }
            } else {
                not(1, "expected `palyra-key-file v1`")
            });
        }
        let text = std::str::from_utf8(bytes).map_err(|_| not(1, "it is not text"))?;
        let body = text.strip_suffix('\n').ok_or_else(|| not(LINES, "the last line has no line break"))?;
        let lines: Vec<&str> = body.split('\n').collect();
        let [first, kind, kdf, salt, nonce, sealed] = lines.as_slice() else {
            return Err(not(lines.len().min(LINES + 1), "expected six lines"));
        };
        if *first != FIRST_LINE {
            return Err(not(1, "its version is not 1"));
        }
        Ok(Self {
            kind: parse_kind(kind).ok_or_else(|| not(2, "expected `type` and a key type"))?,
            cost: parse_cost(kdf)
                .ok_or_else(|| not(3, "expected `kdf argon2id memory=N passes=N lanes=N`"))??,
            salt: parse_hex(salt, "salt ").ok_or_else(|| not(4, "expected `salt` and 32 hex digits"))?,
            nonce: parse_hex(nonce, "nonce ").ok_or_else(|| not(5, "expected `nonce` and 48 hex digits"))?,
            sealed: parse_hex(sealed, "sealed ")
                .ok_or_else(|| not(6, "expected `sealed` and 96 hex digits"))?,
        })
    }

    /// Returns the lines before the sealed key, which are its associated data.
    pub(super) fn head(&self) -> String {
        let [memory, passes, lanes] = self.cost.numbers();
        format!(
            "{FIRST_LINE}\ntype {}\nkdf argon2id memory={memory} passes={passes} lanes={lanes}\nsalt {}\nnonce {}\n",
            self.kind.name(),
            hex::encode(self.salt),
            hex::encode(self.nonce),
        )
    }

    pub(super) fn to_text(&self) -> String {
        format!("{}sealed {}\n", self.head(), hex::encode(self.sealed))
    }
}

fn parse_kind(line: &str) -> Option<KeyFileType> {
    let name = line.strip_prefix("type ")?;
    KeyFileType::ALL.into_iter().find(|kind| kind.name() == name)
}

fn parse_cost(line: &str) -> Option<Result<KdfCost, KeyFileError>> {
    let mut words = line.strip_prefix("kdf argon2id ")?.split(' ');
    let mut number = |prefix| parse_number(words.next()?.strip_prefix(prefix)?);
    let (memory, passes, lanes) = (number("memory=")?, number("passes=")?, number("lanes=")?);
    words.next().is_none().then(|| KdfCost::new(memory, passes, lanes))
}

/// Parses a decimal number without sign or leading zeros; one that does not fit saturates.
fn parse_number(digits: &str) -> Option<u32> {
    let plain = !digits.is_empty() && digits.len() <= 20 && digits.bytes().all(|byte| byte.is_ascii_digit());
    (plain && !digits.starts_with('0')).then(|| digits.parse().unwrap_or(u32::MAX))
}

/// Parses lower-case digits only, so that a key has one text form.
fn parse_hex<const N: usize>(line: &str, prefix: &str) -> Option<[u8; N]> {
    let digits = line.strip_prefix(prefix)?;
    let lower = digits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    let mut bytes = [0; N];
    (lower && hex::decode_to_slice(digits, &mut bytes).is_ok()).then_some(bytes)
}
