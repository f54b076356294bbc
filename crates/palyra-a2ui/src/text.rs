//! Text of a document: bounded, and without characters that act on a terminal or reorder a line.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserializer, Error, Visitor};

use crate::limits::{MAX_CELL_BYTES, MAX_LABEL_BYTES, MAX_MARKDOWN_BYTES, MAX_NAME_BYTES, MAX_TEXT_BYTES};

/// Names that would reach the prototype of an object in JavaScript.
const PROTOTYPE_NAMES: [&str; 3] = ["__proto__", "constructor", "prototype"];

/// A rule for strings, checked while the parser still owns the bytes.
pub(crate) trait Rule {
    fn check(text: &str) -> Result<(), String>;
}

/// Ids, field names and column keys.
pub(crate) enum Name {}
/// One line of up to [`MAX_LABEL_BYTES`].
pub(crate) enum Line {}
/// Lines of up to [`MAX_CELL_BYTES`].
pub(crate) enum Lines {}
/// Lines of up to [`MAX_TEXT_BYTES`].
pub(crate) enum Block {}
/// Markdown of up to [`MAX_MARKDOWN_BYTES`], with allowed links only.
pub(crate) enum Document {}

impl Rule for Name {
    fn check(text: &str) -> Result<(), String> {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
        let form = (1..=MAX_NAME_BYTES).contains(&text.len()) && text.bytes().all(plain);
        match () {
            () if !form => Err(format!("expected 1 to {MAX_NAME_BYTES} letters, digits, `_`, `-` and `.`")),
            () if PROTOTYPE_NAMES.contains(&text) => Err(format!("the name `{text}` is reserved")),
            () => Ok(()),
        }
    }
}

impl Rule for Line {
    fn check(text: &str) -> Result<(), String> {
        check(text, MAX_LABEL_BYTES, false)
    }
}

impl Rule for Lines {
    fn check(text: &str) -> Result<(), String> {
        check(text, MAX_CELL_BYTES, true)
    }
}

impl Rule for Block {
    fn check(text: &str) -> Result<(), String> {
        check(text, MAX_TEXT_BYTES, true)
    }
}

impl Rule for Document {
    fn check(text: &str) -> Result<(), String> {
        check(text, MAX_MARKDOWN_BYTES, true)?;
        crate::markdown::check_links(text)
    }
}

fn check(text: &str, max: usize, lines: bool) -> Result<(), String> {
    if text.len() > max {
        return Err(format!("{} bytes are more than {max}", text.len()));
    }
    match text.chars().find(|c| is_refused(*c) && !(lines && matches!(c, '\n' | '\t'))) {
        Some(c) => Err(format!("the character U+{:04X} is not allowed", u32::from(c))),
        None => Ok(()),
    }
}

/// Returns whether a character is a control character or one that reorders or hides text.
///
/// Joiners are allowed: scripts and emoji need them.
pub(crate) fn is_refused(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{061c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{206f}'
            | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// Reads a string that follows a rule.
pub(crate) fn string<'de, D: Deserializer<'de>, R: Rule>(deserializer: D) -> Result<String, D::Error> {
    struct Checked<R>(PhantomData<R>);
    impl<R: Rule> Visitor<'_> for Checked<R> {
        type Value = String;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a string")
        }

        fn visit_str<E: Error>(self, text: &str) -> Result<String, E> {
            R::check(text).map_err(E::custom)?;
            Ok(text.to_owned())
        }
    }
    deserializer.deserialize_str(Checked::<R>(PhantomData))
}

/// Reads an optional string that follows a rule.
pub(crate) fn optional<'de, D: Deserializer<'de>, R: Rule>(
    deserializer: D,
) -> Result<Option<String>, D::Error> {
    string::<D, R>(deserializer).map(Some)
}

/// Reads a list of strings that follow a rule.
pub(crate) fn strings<'de, D: Deserializer<'de>, R: Rule, const MAX: usize>(
    deserializer: D,
) -> Result<Vec<String>, D::Error> {
    let list = crate::bounded::list::<D, Ruled<R>, MAX>(deserializer)?;
    Ok(list.into_iter().map(|Ruled(text, _)| text).collect())
}

/// A string as an element of a list.
struct Ruled<R>(String, PhantomData<R>);

impl<'de, R: Rule> serde::Deserialize<'de> for Ruled<R> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        string::<D, R>(deserializer).map(|text| Self(text, PhantomData))
    }
}
