//! Formats JSON text token by token: numbers, keys and their order stay exactly as the guest wrote them.

use palyra_common::JsonText;
use palyra_common::redact::escape_untrusted;

/// Indents JSON for people. Characters that could move the cursor or change the text direction are written as JSON
/// escapes.
pub(crate) fn pretty(text: &JsonText) -> String {
    let mut out = String::with_capacity(text.as_str().len());
    let mut depth = 0_usize;
    let mut tokens = Tokens(text.as_str()).peekable();
    while let Some(token) = tokens.next() {
        match token {
            "{" | "[" => {
                out.push_str(token);
                if !matches!(tokens.peek(), Some(&("}" | "]"))) {
                    depth += 1;
                    break_line(&mut out, depth);
                } else if let Some(end) = tokens.next() {
                    out.push_str(end);
                }
            }
            "}" | "]" => {
                depth = depth.saturating_sub(1);
                break_line(&mut out, depth);
                out.push_str(token);
            }
            "," => {
                out.push(',');
                break_line(&mut out, depth);
            }
            ":" => out.push_str(": "),
            other => escape_into(&mut out, other),
        }
    }
    out
}

pub(crate) fn compact(text: &JsonText) -> String {
    Tokens(text.as_str()).collect()
}

fn break_line(out: &mut String, depth: usize) {
    out.push('\n');
    for _ in 0..depth {
        out.push_str("  ");
    }
}

fn escape_into(out: &mut String, token: &str) {
    let clean =
        |c: char| (' '..='~').contains(&c) || escape_untrusted(c.encode_utf8(&mut [0; 4])).chars().eq([c]);
    for c in token.chars() {
        if clean(c) {
            out.push(c);
        } else {
            c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| out.push_str(&format!("\\u{unit:04x}")));
        }
    }
}

/// Iterator over the tokens of well-formed JSON, without whitespace.
struct Tokens<'a>(&'a str);

impl<'a> Iterator for Tokens<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        self.0 = self.0.trim_start_matches([' ', '\t', '\n', '\r']);
        let length = match self.0.as_bytes().first()? {
            b'"' => string_length(self.0),
            b'{' | b'}' | b'[' | b']' | b',' | b':' => 1,
            _ => self.0.find(['{', '}', '[', ']', ',', ':', ' ', '\t', '\n', '\r']).unwrap_or(self.0.len()),
        };
        let (token, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(token)
    }
}

fn string_length(text: &str) -> usize {
    let mut escaped = false;
    for (index, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return index + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(json: &str) -> JsonText {
        JsonText::parse(json).unwrap()
    }

    #[test]
    fn nothing_but_space_changes() {
        let json = " {\"b\" : [1E+30, 0.10,-0 , {} , [ ] ],\n\"a\":\"x\\\" , {}\" , \"a\":null}\t";
        assert_eq!(compact(&text(json)), r#"{"b":[1E+30,0.10,-0,{},[]],"a":"x\" , {}","a":null}"#);
        let expected = "{\n  \"b\": [\n    1E+30,\n    0.10,\n    -0,\n    {},\n    []\n  ],\n  \"a\": \"x\\\" , {}\",\n  \"a\": null\n}";
        assert_eq!(pretty(&text(json)), expected);
        assert_eq!(compact(&text(expected)), compact(&text(json)));
    }

    #[test]
    fn plain_values() {
        for json in ["1", "\"é 🎈\"", "true", "[]", "{}"] {
            assert_eq!((pretty(&text(json)), compact(&text(json))), (json.to_owned(), json.to_owned()));
        }
    }

    #[test]
    fn a_terminal_is_not_moved() {
        let json = "[\"\u{9b}31m\u{7f}\u{202e}x\u{e0041}\"]";
        assert_eq!(pretty(&text(json)), "[\n  \"\\u009b31m\\u007f\\u202ex\\udb40\\udc41\"\n]");
        let same: serde_json::Value = serde_json::from_str(&pretty(&text(json))).unwrap();
        assert_eq!(same, serde_json::from_str::<serde_json::Value>(json).unwrap());
        assert_eq!(compact(&text(json)), json);
    }
}
