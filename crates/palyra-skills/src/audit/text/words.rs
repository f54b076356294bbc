//! Splits a text into words, independent of spelling tricks.
//!
//! Case, accents, look-alike letters, digits used as letters, and separators inside words are normalized in the
//! text and in the phrases alike.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;
use unicode_security::confusable_detection::skeleton;

/// Minimum number of single letters in a row that form one word, for example `i g n o r e`.
const SPACED_LETTERS: usize = 3;

/// The words of a text, in the spelling of [`plain`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Words {
    pub(super) list: Vec<String>,
    /// The words, concatenated without separators.
    pub(super) joined: String,
}

impl Words {
    /// Splits a text into words.
    pub(super) fn of(text: &str) -> Self {
        let mut list: Vec<String> = Vec::new();
        let mut single_letters = 0;
        // An apostrophe is removed, so that `don't` is one word.
        let unquoted = plain(text).replace(['\'', '\u{2019}'], "");
        for word in unquoted.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty()) {
            single_letters = if word.chars().count() == 1 { single_letters + 1 } else { 0 };
            list.push(word.to_owned());
            if single_letters >= SPACED_LETTERS {
                join_last(&mut list, single_letters);
            }
        }
        let joined = list.concat();
        Self { list, joined }
    }

    /// Returns the words of a text with `camelCase` split into two, or `None` if nothing is split.
    pub(super) fn of_camel_case(text: &str) -> Option<Self> {
        let mut split = String::with_capacity(text.len() + 16);
        let mut previous_lower = false;
        for letter in text.chars() {
            if previous_lower && letter.is_uppercase() {
                split.push(' ');
            }
            previous_lower = letter.is_lowercase();
            split.push(letter);
        }
        (split.len() != text.len()).then(|| Self::of(&split))
    }
}

/// Joins the single letters at the end into one word, with the word that earlier ones were joined into.
fn join_last(list: &mut Vec<String>, single_letters: usize) {
    let parts = if single_letters == SPACED_LETTERS { SPACED_LETTERS } else { 2 };
    let word = list.split_off(list.len().saturating_sub(parts)).concat();
    list.push(word);
}

/// Returns the normalized spelling that words are compared in; it is not meant for display.
///
/// Confusable characters are mapped to one letter by Unicode's table, which also writes `m` as `rn`; `l`, `i` and `1`
/// are mapped to `i`.
pub(super) fn plain(text: &str) -> String {
    let unaccented: String =
        text.to_lowercase().nfkd().filter(|letter| !is_combining_mark(*letter)).collect();
    let skeleton: String = skeleton(&unaccented).collect();
    let letter = |letter: char| match letter {
        'l' | '1' | 'ı' => 'i',
        '0' => 'o',
        '3' => 'e',
        '4' | '@' => 'a',
        '5' | '$' => 's',
        '7' => 't',
        other => other,
    };
    skeleton.to_lowercase().chars().map(letter).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn disguises_come_off() {
        let expected = Words::of("ignore previous").list;
        for text in [
            "IGNORE   Previous",
            "1gn0re prev1ous",
            "іgnоrе рrеvіоus",
            "ｉｇｎｏｒｅ ｐｒｅｖｉｏｕｓ",
            "𝐢𝐠𝐧𝐨𝐫𝐞 𝐩𝐫𝐞𝐯𝐢𝐨𝐮𝐬",
            "ïgnöré prévïoüs",
            "ignore_previous",
            "ignore.previous",
        ] {
            assert_eq!(Words::of(text).list, expected, "{text}");
        }
        assert_eq!(Words::of("i g n o r e").list, Words::of("ignore").list);
        assert_eq!(Words::of("don't").list, Words::of("dont").list);
        assert_eq!(
            Words::of_camel_case("contentOfEnvFile").unwrap_or_default(),
            Words::of("content of env file")
        );
        assert_eq!(Words::of_camel_case("content"), None);
    }
}
