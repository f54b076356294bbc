//! Values recognised by their spelling: quoted text, e-mail addresses, URLs and paths.

use url::Url;

use super::found::{Found, FoundValue};
use super::sentence::Sentence;

/// Opening quotation marks with their closing ones.
const QUOTES: [(char, &[char]); 6] =
    [('"', &['"']), ('\'', &['\'']), ('`', &['`']), ('“', &['”', '“']), ('‘', &['’']), ('«', &['»'])];

pub(super) fn find(sentence: &Sentence<'_>) -> Vec<Found> {
    let text = sentence.text;
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let begins = text[..at].chars().next_back().is_none_or(|before| !before.is_alphanumeric());
        let read = if begins { quoted(rest, c).or_else(|| word(rest)) } else { None };
        let Some((length, value)) = read else {
            at += c.len_utf8();
            continue;
        };
        let (from, to) = sentence.within(at, at + length);
        found.push(Found { from, to, value });
        at += length;
    }
    found
}

fn quoted(rest: &str, open: char) -> Option<(usize, FoundValue)> {
    let (_, closing) = QUOTES.iter().find(|(mark, _)| *mark == open)?;
    let inside = &rest[open.len_utf8()..];
    if inside.starts_with(char::is_whitespace) {
        return None;
    }
    // An apostrophe within a word is not a closing quotation mark.
    let end = inside.char_indices().find(|(at, c)| {
        let after = inside[at + c.len_utf8()..].chars().next();
        closing.contains(c) && *at > 0 && after.is_none_or(|after| !after.is_alphanumeric())
    });
    let (end, close) = end?;
    let value = FoundValue::Quoted(inside[..end].to_owned());
    Some((open.len_utf8() + end + close.len_utf8(), value))
}

/// Reads a word without blanks that is an address or a path.
fn word(rest: &str) -> Option<(usize, FoundValue)> {
    let end = rest.find(|c: char| c.is_whitespace() || "<>\"'`“”‘’«»".contains(c)).unwrap_or(rest.len());
    let word = rest[..end].trim_end_matches(['.', ',', ';', ':', '!', '?', ')', ']', '}']);
    let value = if word.contains("://") {
        Url::parse(word).ok().map(|_| FoundValue::Url(word.to_owned()))
    } else if is_email(word) {
        Some(FoundValue::Email(word.to_owned()))
    } else if is_path(word) {
        Some(FoundValue::Path(word.to_owned()))
    } else {
        is_host(word).then(|| FoundValue::Url(word.to_owned()))
    };
    Some((word.len(), value?))
}

fn is_email(word: &str) -> bool {
    let Some((name, host)) = word.split_once('@') else { return false };
    let name_byte = |byte: u8| byte.is_ascii_alphanumeric() || b"._%+-".contains(&byte);
    !name.is_empty() && name.bytes().all(name_byte) && is_dotted(host)
}

/// Names separated by dots, the last one of letters.
fn is_dotted(host: &str) -> bool {
    let label = |label: &str| {
        !label.is_empty() && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    host.contains('.')
        && host.split('.').all(label)
        && host
            .rsplit('.')
            .next()
            .is_some_and(|last| last.len() >= 2 && last.bytes().all(|byte| byte.is_ascii_alphabetic()))
}

fn is_host(word: &str) -> bool {
    const ENDINGS: [&str; 10] = ["com", "org", "net", "io", "dev", "edu", "gov", "eu", "uk", "de"];
    let host = word.split('/').next().unwrap_or_default();
    is_dotted(host) && host.rsplit('.').next().is_some_and(|last| ENDINGS.contains(&last))
}

fn is_path(word: &str) -> bool {
    const FILES: [&str; 20] = [
        "csv", "json", "txt", "md", "pdf", "png", "jpg", "jpeg", "gif", "xml", "yaml", "yml", "toml", "html",
        "log", "zip", "tar", "gz", "py", "rs",
    ];
    let rooted =
        ["/", "./", "../", "~/"].iter().any(|root| word.len() > root.len() && word.starts_with(root));
    let plain = word.chars().all(|c| c.is_alphanumeric() || "/._-~+@".contains(c));
    let named = word.rsplit_once('.').is_some_and(|(stem, ending)| {
        !stem.is_empty() && FILES.contains(&ending.to_ascii_lowercase().as_str())
    });
    plain && (rooted || named)
}
