//! Canonical JSON: equal values have equal text. Names are sorted, white space is removed, numbers are unchanged.
//!
//! Numbers remain text, because a float would map several numbers to one text: `1.10` and `1.1` are different texts.
//! Characters that terminals hide or that reorder a line are written as JSON escapes. The text can therefore be
//! displayed unchanged, and its digest is the digest of the displayed text.

use super::JsonText;
use crate::redact::{escape_untrusted, needs_escape};
use std::fmt::Write as _;
use std::ops::Range;

/// Returns the canonical text of a JSON value.
///
/// Takes time proportional to the length, times the nesting depth in the worst case.
pub fn canonical_text(json: &JsonText) -> String {
    let text = json.as_str();
    let mut writer = Writer { text, at: 0, out: String::with_capacity(text.len()) };
    match writer.value() {
        Some(()) => writer.out,
        // Unreachable for validated text. The escaped text is as exact, because no other document has it.
        None => escape_untrusted(text),
    }
}

/// Rewrites text that is known to be JSON.
struct Writer<'t> {
    text: &'t str,
    at: usize,
    out: String,
}

impl Writer<'_> {
    fn value(&mut self) -> Option<()> {
        match self.token()? {
            b'{' => self.object(),
            b'[' => self.list(),
            b'"' => {
                let string = self.string()?;
                write_string(&mut self.out, &string);
                Some(())
            }
            _ => self.plain(),
        }
    }

    fn object(&mut self) -> Option<()> {
        self.at += 1;
        self.out.push('{');
        let mut members: Vec<(String, Range<usize>)> = Vec::new();
        while self.next_item(b'}', members.is_empty())? {
            let name = self.string()?;
            let from = self.out.len();
            write_string(&mut self.out, &name);
            self.out.push(':');
            self.token().filter(|byte| *byte == b':')?;
            self.at += 1;
            self.value()?;
            members.push((name, from..self.out.len()));
            self.out.push(',');
        }
        if !members.is_sorted_by(|(one, _), (other, _)| one <= other) {
            self.sort(members)?;
        }
        self.close('}');
        Some(())
    }

    /// Sorts the members of the object at the end of the output by name.
    fn sort(&mut self, mut members: Vec<(String, Range<usize>)>) -> Option<()> {
        let from = members.first()?.1.start;
        let written = self.out.split_off(from);
        members.sort_by(|(one, _), (other, _)| one.cmp(other));
        for (_, range) in members {
            self.out.push_str(written.get(range.start - from..range.end - from)?);
            self.out.push(',');
        }
        Some(())
    }

    fn list(&mut self) -> Option<()> {
        self.at += 1;
        self.out.push('[');
        let mut first = true;
        while self.next_item(b']', first)? {
            first = false;
            self.value()?;
            self.out.push(',');
        }
        self.close(']');
        Some(())
    }

    /// Returns whether another item follows. Skips the comma before it, or the closing bracket.
    fn next_item(&mut self, end: u8, first: bool) -> Option<bool> {
        let byte = self.token()?;
        if byte == end {
            self.at += 1;
            return Some(false);
        }
        if !first {
            self.at += 1;
            self.token()?;
        }
        Some(true)
    }

    fn close(&mut self, bracket: char) {
        if self.out.ends_with(',') {
            self.out.pop();
        }
        self.out.push(bracket);
    }

    /// Reads a string and decodes its escapes.
    fn string(&mut self) -> Option<String> {
        let rest = self.text.get(self.at..)?;
        let mut escaped = false;
        let end = rest.bytes().skip(1).position(|byte| {
            let ends = byte == b'"' && !escaped;
            escaped = byte == b'\\' && !escaped;
            ends
        })?;
        let quoted = rest.get(..end + 2)?;
        self.at += quoted.len();
        serde_json::from_str(quoted).ok()
    }

    /// Copies a number, `true`, `false` or `null` unchanged.
    fn plain(&mut self) -> Option<()> {
        let rest = self.text.get(self.at..)?;
        let ends = |byte: u8| matches!(byte, b',' | b']' | b'}' | b' ' | b'\t' | b'\n' | b'\r');
        let end = rest.bytes().position(ends).unwrap_or(rest.len());
        self.out.push_str(rest.get(..end)?);
        self.at += end;
        Some(())
    }

    /// Skips white space and returns the next byte without consuming it.
    fn token(&mut self) -> Option<u8> {
        let rest = self.text.as_bytes().get(self.at..)?;
        self.at += rest.iter().position(|byte| !matches!(byte, b' ' | b'\t' | b'\n' | b'\r'))?;
        self.text.as_bytes().get(self.at).copied()
    }
}

fn write_string(out: &mut String, text: &str) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            other => push(out, other),
        }
    }
    out.push('"');
}

fn push(out: &mut String, character: char) {
    if needs_escape(character) {
        let mut units = [0; 2];
        for unit in character.encode_utf16(&mut units) {
            // Writing to a `String` is infallible.
            let _ = write!(out, "\\u{unit:04x}");
        }
    } else {
        out.push(character);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn canonical(text: &str) -> String {
        canonical_text(&JsonText::parse(text).unwrap())
    }

    #[test]
    fn names_are_sorted_and_white_space_is_left_out() {
        let text = " { \"b\" : [ 1 , { \"y\" : null , \"x\" : \"a b\" } , [ ] ] , \"a\" : { } } ";
        assert_eq!(canonical(text), r#"{"a":{},"b":[1,{"x":"a b","y":null},[]]}"#);
        assert_eq!(canonical(r#"{"\u0062":1,"a":2}"#), canonical(r#"{"a":2,"b":1}"#));
        assert_eq!(canonical(" true "), "true");
    }

    #[test]
    fn numbers_keep_their_text() {
        for text in ["12345678901234567890123", "12345678901234567890999", "0.1", "0.10", "1e2", "1E+2", "-0"]
        {
            assert_eq!(canonical(text), text);
        }
        assert_ne!(canonical("[12345678901234567890123]"), canonical("[12345678901234567890999]"));
        assert_ne!(canonical("[0.1]"), canonical("[0.1000000000000000055]"));
    }

    #[test]
    fn hidden_characters_are_escaped_and_the_text_stays_json() {
        let text = "{\"a\u{202e}\u{e0041}\":\"x\\u0000\\u007f\\n\u{e9}\"}";
        let written = canonical(text);
        assert_eq!(written, "{\"a\\u202e\\udb40\\udc41\":\"x\\u0000\\u007f\\n\u{e9}\"}");
        let (one, other): (serde_json::Value, serde_json::Value) =
            (serde_json::from_str(text).unwrap(), serde_json::from_str(&written).unwrap());
        assert_eq!(one, other);
    }

    fn json() -> impl Strategy<Value = serde_json::Value> {
        let leaf = prop_oneof![
            Just(serde_json::Value::Null),
            any::<bool>().prop_map(Into::into),
            any::<i64>().prop_map(Into::into),
            ".{0,12}".prop_map(Into::into),
        ];
        leaf.prop_recursive(4, 32, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Into::into),
                prop::collection::vec((".{0,3}", inner), 0..4)
                    .prop_map(|fields| serde_json::Value::Object(fields.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn the_text_means_the_same_and_is_its_own_canonical_text(value in json()) {
            for text in [value.to_string(), serde_json::to_string_pretty(&value).unwrap()] {
                let written = canonical(&text);
                prop_assert_eq!(&serde_json::from_str::<serde_json::Value>(&written).unwrap(), &value);
                prop_assert_eq!(&canonical(&written), &written);
                prop_assert_eq!(&written, &canonical(&value.to_string()));
            }
        }
    }
}
