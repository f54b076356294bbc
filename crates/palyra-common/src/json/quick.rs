//! A fast check that accepts most JSON text and leaves the rest to the parser.
//!
//! `serde_json` decides what JSON is. This check accepts only texts that its parser accepts too, in
//! one pass without conversion: numbers near the limits, surrogate escapes and deep
//! nesting are left to the parser. Parsing alone would take a third of the time of a large call.

/// Deepest nesting that is accepted here: one bit for every open bracket.
const MAX_DEPTH: u32 = 120;
/// Longest number that certainly fits, without its exponent.
const MAX_NUMBER_BYTES: usize = 100;

/// Returns whether the text is certainly JSON; false means that the parser must decide.
pub(super) fn is_surely_json(text: &str) -> bool {
    Scanner { bytes: text.as_bytes(), at: 0 }.document().is_some()
}

struct Scanner<'a> {
    bytes: &'a [u8],
    at: usize,
}

/// `None` means that the parser has to decide.
type Seen = Option<()>;

impl Scanner<'_> {
    fn document(&mut self) -> Seen {
        let mut open = Open::default();
        loop {
            self.value(&mut open)?;
            // Closes everything that ends here, then continues with the next value, if there is one.
            loop {
                let byte = self.token();
                match (byte, open.innermost()) {
                    (None, None) => return Some(()),
                    (Some(b','), Some(Bracket::List)) => break,
                    (Some(b','), Some(Bracket::Object)) => {
                        self.at += 1;
                        self.key()?;
                        self.at -= 1;
                        break;
                    }
                    (Some(b']'), Some(Bracket::List)) | (Some(b'}'), Some(Bracket::Object)) => open.pop(),
                    _ => return None,
                }
                self.at += 1;
            }
            self.at += 1;
        }
    }

    /// Scans a whole value, or the beginning of one up to its first scalar.
    fn value(&mut self, open: &mut Open) -> Seen {
        loop {
            let byte = self.token()?;
            match byte {
                b'"' => return self.string(),
                b'-' | b'0'..=b'9' => return self.number(),
                b'[' => {
                    self.at += 1;
                    open.push(Bracket::List)?;
                    if self.token()? == b']' {
                        return Some(());
                    }
                }
                b'{' => {
                    self.at += 1;
                    open.push(Bracket::Object)?;
                    if self.token()? == b'}' {
                        return Some(());
                    }
                    self.key()?;
                }
                b't' => return self.word(b"true"),
                b'f' => return self.word(b"false"),
                b'n' => return self.word(b"null"),
                _ => return None,
            }
        }
    }

    /// Reads a key and its colon.
    fn key(&mut self) -> Seen {
        if self.token()? != b'"' {
            return None;
        }
        self.string()?;
        if self.token()? != b':' {
            return None;
        }
        self.at += 1;
        Some(())
    }

    /// Returns the next byte that is not white space, without consuming it.
    #[inline]
    fn token(&mut self) -> Option<u8> {
        loop {
            let byte = *self.bytes.get(self.at)?;
            if !matches!(byte, b' ' | b'\n' | b'\t' | b'\r') {
                return Some(byte);
            }
            self.at += 1;
        }
    }

    fn word(&mut self, word: &[u8]) -> Seen {
        let end = self.at + word.len();
        let found = self.bytes.get(self.at..end)? == word;
        self.at = end;
        found.then_some(())
    }

    fn number(&mut self) -> Seen {
        let start = self.at;
        if self.bytes.get(self.at) == Some(&b'-') {
            self.at += 1;
        }
        let first = self.bytes.get(self.at).copied();
        let digits = self.digits();
        if digits == 0 || (digits > 1 && first == Some(b'0')) {
            return None;
        }
        if self.bytes.get(self.at) == Some(&b'.') {
            self.at += 1;
            if self.digits() == 0 {
                return None;
            }
        }
        if self.at - start > MAX_NUMBER_BYTES {
            return None;
        }
        if matches!(self.bytes.get(self.at), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.bytes.get(self.at), Some(b'+' | b'-')) {
                self.at += 1;
            }
            if !matches!(self.digits(), 1 | 2) {
                return None;
            }
        }
        Some(())
    }

    fn digits(&mut self) -> usize {
        let start = self.at;
        while self.bytes.get(self.at).is_some_and(u8::is_ascii_digit) {
            self.at += 1;
        }
        self.at - start
    }

    /// Reads a string, from its opening to its closing quote.
    #[inline]
    fn string(&mut self) -> Seen {
        self.at += 1;
        loop {
            self.plain_text();
            match *self.bytes.get(self.at)? {
                b'"' => {
                    self.at += 1;
                    return Some(());
                }
                b'\\' => self.escape()?,
                0..0x20 => return None,
                _ => self.at += 1,
            }
        }
    }

    /// Skips plain text in words, up to a special byte or the last few bytes.
    #[inline]
    fn plain_text(&mut self) {
        while let Some(word) = self.bytes.get(self.at..).and_then(|rest| rest.first_chunk::<8>()) {
            let special = special_bytes(u64::from_le_bytes(*word));
            if special != 0 {
                self.at += special.trailing_zeros() as usize / 8;
                return;
            }
            self.at += 8;
            self.plain_blocks();
        }
    }

    /// Skips plain text in blocks that are compared at once.
    #[inline]
    fn plain_blocks(&mut self) {
        while let Some(block) = self.bytes.get(self.at..).and_then(|rest| rest.first_chunk::<32>()) {
            let special = block.iter().fold(0, |found, byte| {
                found | u8::from(*byte < 0x20) | u8::from(*byte == b'"') | u8::from(*byte == b'\\')
            });
            if special != 0 {
                return;
            }
            self.at += 32;
        }
    }

    fn escape(&mut self) -> Seen {
        match self.bytes.get(self.at + 1)? {
            b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => self.at += 2,
            b'u' => {
                let digits = self.bytes.get(self.at + 2..self.at + 6)?;
                // Surrogates must come in pairs, which the parser checks.
                let surrogate = matches!(digits, [b'd' | b'D', b'8' | b'9' | b'a'..=b'f' | b'A'..=b'F', ..]);
                if surrogate || !digits.iter().all(u8::is_ascii_hexdigit) {
                    return None;
                }
                self.at += 6;
            }
            _ => return None,
        }
        Some(())
    }
}

/// Returns a word whose set top bits mark bytes that end plain text: quotes, backslashes and control characters.
///
/// The lowest mark is exact; marks above it may be wrong.
fn special_bytes(word: u64) -> u64 {
    const ONES: u64 = u64::from_ne_bytes([1; 8]);
    const TOPS: u64 = ONES << 7;
    let zero = |word: u64| word.wrapping_sub(ONES) & !word;
    let control = word.wrapping_sub(ONES * 0x20) & !word;
    (control | zero(word ^ (ONES * u64::from(b'"'))) | zero(word ^ (ONES * u64::from(b'\\')))) & TOPS
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Bracket {
    List,
    Object,
}

/// The open brackets, innermost in the lowest bit.
#[derive(Default)]
struct Open {
    objects: u128,
    depth: u32,
}

impl Open {
    fn push(&mut self, bracket: Bracket) -> Seen {
        if self.depth >= MAX_DEPTH {
            return None;
        }
        self.objects = self.objects << 1 | u128::from(bracket == Bracket::Object);
        self.depth += 1;
        Some(())
    }

    fn pop(&mut self) {
        self.objects >>= 1;
        self.depth -= 1;
    }

    fn innermost(&self) -> Option<Bracket> {
        match (self.depth, self.objects & 1) {
            (0, _) => None,
            (_, 0) => Some(Bracket::List),
            _ => Some(Bracket::Object),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parser_accepts(text: &str) -> bool {
        serde_json::from_str::<serde_json::Value>(text).is_ok()
    }

    fn never_says_yes_alone(text: &str) -> bool {
        !is_surely_json(text) || parser_accepts(text)
    }

    /// Tests every text of up to five of these pieces, which covers all combinations of adjacent tokens.
    #[test]
    fn says_yes_only_to_json() {
        const PIECES: [&str; 19] = [
            "[", "]", "{", "}", ",", ":", "\"a\"", "\"", "\\", "0", "1", "-", ".", "e", "+", " ", "null",
            "u00e9", "\u{1}",
        ];
        let mut texts = vec![String::new()];
        for _ in 0..5 {
            texts = texts.iter().flat_map(|text| PIECES.map(|piece| format!("{text}{piece}"))).collect();
            for text in &texts {
                assert!(never_says_yes_alone(text), "{text:?}");
            }
            // Texts with an invalid start are not extended, which limits the number of texts.
            texts.retain(|text| {
                !text.starts_with([']', '}', ',', ':', '\\', '.', 'e', '+', 'u', '\u{1}', ' '])
            });
        }
    }

    #[test]
    fn says_yes_to_ordinary_json() {
        let nested = format!("{}{}", "[".repeat(120), "]".repeat(120));
        for text in [
            " {\"a\" : [1, -2.5e3, 0.1E-9, true, false, null, {}, []], \"b\\n\\u00e9\": \"a long text, longer than a block of thirty-two bytes\"} ",
            "0",
            "\"\"",
            &nested,
        ] {
            assert!(is_surely_json(text), "{text}");
            assert!(parser_accepts(text), "{text}");
        }
    }

    fn json() -> impl Strategy<Value = String> {
        let leaf = prop_oneof![
            any::<f64>().prop_map(|number| format!("{number:e}")),
            any::<i64>().prop_map(|number| number.to_string()),
            ".{0,80}".prop_map(|text| serde_json::Value::from(text).to_string()),
        ];
        leaf.prop_recursive(4, 32, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4)
                    .prop_map(|items| format!("[{}]", items.join(", "))),
                inner.prop_map(|item| format!("{{\"key\":{item}}}")),
            ]
        })
    }

    proptest! {
        #[test]
        fn one_changed_character_is_judged_like_the_parser_does(text in json(), at in any::<prop::sample::Index>(), new in any::<char>()) {
            let mut characters: Vec<char> = text.chars().collect();
            prop_assert!(never_says_yes_alone(&text));
            let at = at.index(characters.len());
            characters[at] = new;
            prop_assert!(never_says_yes_alone(&characters.into_iter().collect::<String>()));
        }
    }
}
