//! Secret values, which are not printed, and escaping of untrusted text.

use std::fmt;
use zeroize::Zeroizing;

/// Secret bytes, which print as `****`, are wiped when dropped and are read only through [`Self::expose`].
#[derive(Clone, PartialEq, Eq)]
pub struct SecretValue(Zeroizing<Vec<u8>>);

impl SecretValue {
    /// Wraps the bytes.
    pub fn new(bytes: impl Into<Vec<u8>>) -> Self {
        Self(Zeroizing::new(bytes.into()))
    }

    /// Returns the bytes; each call of it deserves attention in a review.
    pub fn expose(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for SecretValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretValue(****)")
    }
}

impl fmt::Display for SecretValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("****")
    }
}

/// Escapes control, bidi and other invisible characters so that text from a guest stays on its line.
pub fn escape_untrusted(text: &str) -> String {
    if text.bytes().all(|byte| matches!(byte, b'\t' | b' '..=b'~')) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c == '\t' || !needs_escape(c) {
            out.push(c);
        } else {
            out.extend(c.escape_unicode());
        }
    }
    out
}

pub(crate) fn needs_escape(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{00ad}' | '\u{061c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_do_not_print() {
        let secret = SecretValue::new("hunter2");
        assert_eq!(format!("{secret} {secret:?}"), "**** SecretValue(****)");
        assert_eq!(secret.expose(), b"hunter2");
    }

    #[test]
    fn untrusted_text_stays_on_its_line() {
        assert_eq!(escape_untrusted("a\nb\x1b[31m\u{202e}é"), r"a\u{a}b\u{1b}[31m\u{202e}é");
    }
}
