//! `palyra.text_tools.change_case`: the same letters, large or small.

use crate::Changed;
use palyra_plugins_sdk::prelude::*;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CaseInput {
    /// The text.
    text: String,
    /// The case to change it to.
    to: Case,
}

#[derive(Clone, Copy, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
enum Case {
    Upper,
    Lower,
    Title,
    Sentence,
    Camel,
    Snake,
    Kebab,
}

#[tool(
    id = "palyra.text_tools.change_case",
    description = "Changes the case of a text: upper, lower, title or sentence case, or camel, snake or kebab case for names in code"
)]
pub(crate) fn change_case(input: CaseInput) -> Changed {
    let text = &input.text;
    let text = match input.to {
        Case::Upper => text.to_uppercase(),
        Case::Lower => text.to_lowercase(),
        Case::Title => {
            capitals(text, |before| !before.is_some_and(|c| c.is_alphanumeric() || is_apostrophe(c)))
        }
        Case::Sentence => sentences(text),
        Case::Camel => camel(&parts(text)),
        Case::Snake => parts(text).join("_"),
        Case::Kebab => parts(text).join("-"),
    };
    Changed { text }
}

fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '’')
}

/// Lower case, with a capital wherever the character before says so.
fn capitals(text: &str, begins: impl Fn(Option<char>) -> bool) -> String {
    let mut before = None;
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match begins(before) {
            true => out.extend(c.to_uppercase()),
            false => out.extend(c.to_lowercase()),
        }
        before = Some(c);
    }
    out
}

/// Lower case, with a capital at the beginning of each sentence.
fn sentences(text: &str) -> String {
    let mut ended = true;
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match ended && c.is_alphanumeric() {
            true => out.extend(c.to_uppercase()),
            false => out.extend(c.to_lowercase()),
        }
        ended = matches!(c, '.' | '!' | '?' | '\n') || (ended && !c.is_alphanumeric());
    }
    out
}

fn camel(parts: &[String]) -> String {
    let capital = |part: &String| capitals(part, |before| before.is_none());
    let rest = parts.iter().skip(1).map(capital);
    parts.first().cloned().into_iter().chain(rest).collect()
}

/// The words of a text or of a name in code, in lower case: `parseHTTPReply` has three.
fn parts(text: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let letters: Vec<char> = text.chars().collect();
    for (index, c) in letters.iter().copied().enumerate() {
        let before = index.checked_sub(1).and_then(|index| letters.get(index)).copied();
        let after = letters.get(index + 1).copied();
        let starts = c.is_uppercase()
            && (before.is_some_and(|before| before.is_lowercase() || before.is_numeric())
                || (before.is_some_and(char::is_uppercase) && after.is_some_and(char::is_lowercase)));
        if starts || !c.is_alphanumeric() {
            parts.push(String::new());
        }
        if let Some(part) = parts.last_mut().filter(|_| c.is_alphanumeric()) {
            part.extend(c.to_lowercase());
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}
