//! Detects credentials by their complete form, because a prefix alone can be ordinary text.

/// The result of examining a possible credential.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Examined {
    /// Not a credential.
    Nothing,
    /// The first line of a private key, without the key.
    KeyHeader,
    /// A complete credential. `shown` is its start, never the secret part.
    Credential { name: &'static str, shown: String },
}

/// Returns the literals that patterns start with, in the order that [`examine`] expects.
pub(super) fn prefixes() -> impl Iterator<Item = &'static str> {
    TOKENS.iter().map(|token| token.prefix).chain([KEY_HEADER])
}

/// Examines the bytes at `start`, where the prefix number `pattern` was found.
pub(super) fn examine(pattern: usize, bytes: &[u8], start: usize) -> Examined {
    match TOKENS.get(pattern) {
        Some(token) => examine_token(token, bytes, start),
        None => examine_key(bytes, start),
    }
}

struct Token {
    name: &'static str,
    prefix: &'static str,
    parts: &'static [Part],
}

/// One part of a token after its prefix.
enum Part {
    /// A run of characters of a set, with its minimum and maximum length.
    Run(Set, usize, usize),
    /// This exact text.
    Literal(&'static str),
}

#[derive(Clone, Copy)]
enum Set {
    Digits,
    UpperAndDigits,
    LowerHex,
    Alphanumeric,
    /// Letters, digits, `-` and `_`.
    UrlSafe,
}

use Part::{Literal, Run};
use Set::{Alphanumeric, Digits, LowerHex, UpperAndDigits, UrlSafe};

const TOKENS: &[Token] = &[
    Token { name: "AWS access key", prefix: "AKIA", parts: &[Run(UpperAndDigits, 16, 16)] },
    Token { name: "AWS session key", prefix: "ASIA", parts: &[Run(UpperAndDigits, 16, 16)] },
    Token { name: "Google API key", prefix: "AIza", parts: &[Run(UrlSafe, 35, 35)] },
    Token { name: "GitHub token", prefix: "ghp_", parts: &[Run(Alphanumeric, 36, 36)] },
    Token { name: "GitHub token", prefix: "gho_", parts: &[Run(Alphanumeric, 36, 36)] },
    Token { name: "GitHub token", prefix: "ghu_", parts: &[Run(Alphanumeric, 36, 36)] },
    Token { name: "GitHub token", prefix: "ghs_", parts: &[Run(Alphanumeric, 36, 36)] },
    Token { name: "GitHub token", prefix: "ghr_", parts: &[Run(Alphanumeric, 36, 36)] },
    Token {
        name: "GitHub token",
        prefix: "github_pat_",
        parts: &[Run(Alphanumeric, 22, 22), Literal("_"), Run(Alphanumeric, 59, 59)],
    },
    Token { name: "GitLab token", prefix: "glpat-", parts: &[Run(UrlSafe, 20, 20)] },
    Token {
        name: "Slack token",
        prefix: "xoxb-",
        parts: &[
            Run(Digits, 10, 13),
            Literal("-"),
            Run(Digits, 10, 13),
            Literal("-"),
            Run(Alphanumeric, 24, 32),
        ],
    },
    Token {
        name: "Slack webhook",
        prefix: "hooks.slack.com/services/T",
        parts: &[
            Run(UpperAndDigits, 8, 12),
            Literal("/B"),
            Run(UpperAndDigits, 8, 12),
            Literal("/"),
            Run(Alphanumeric, 24, 24),
        ],
    },
    Token { name: "Stripe key", prefix: "sk_live_", parts: &[Run(Alphanumeric, 24, 128)] },
    Token { name: "Stripe key", prefix: "rk_live_", parts: &[Run(Alphanumeric, 24, 128)] },
    Token { name: "OpenAI key", prefix: "sk-proj-", parts: &[Run(UrlSafe, 80, 200)] },
    Token { name: "Anthropic key", prefix: "sk-ant-api03-", parts: &[Run(UrlSafe, 80, 120)] },
    Token { name: "npm token", prefix: "npm_", parts: &[Run(Alphanumeric, 36, 36)] },
    Token { name: "PyPI token", prefix: "pypi-AgEIcHlwaS5vcmc", parts: &[Run(UrlSafe, 50, 250)] },
    Token { name: "Hugging Face token", prefix: "hf_", parts: &[Run(Alphanumeric, 34, 34)] },
    Token { name: "DigitalOcean token", prefix: "dop_v1_", parts: &[Run(LowerHex, 64, 64)] },
    Token {
        name: "SendGrid key",
        prefix: "SG.",
        parts: &[Run(UrlSafe, 22, 22), Literal("."), Run(UrlSafe, 43, 43)],
    },
];

impl Set {
    const fn contains(self, byte: u8) -> bool {
        match self {
            Self::Digits => byte.is_ascii_digit(),
            Self::UpperAndDigits => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Self::LowerHex => matches!(byte, b'0'..=b'9' | b'a'..=b'f'),
            Self::Alphanumeric => byte.is_ascii_alphanumeric(),
            Self::UrlSafe => byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'),
        }
    }
}

fn examine_token(token: &Token, bytes: &[u8], start: usize) -> Examined {
    let before = start.checked_sub(1).and_then(|before| bytes.get(before));
    if before.is_some_and(|byte| is_word(*byte)) {
        return Examined::Nothing;
    }
    let secret_start = start + token.prefix.len();
    let mut end = secret_start;
    for part in token.parts {
        let rest = bytes.get(end..).unwrap_or_default();
        let Some(length) = match_part(part, rest) else { return Examined::Nothing };
        end += length;
    }
    let secret = bytes.get(secret_start..end).unwrap_or_default();
    if bytes.get(end).is_some_and(|byte| is_word(*byte)) || is_placeholder(secret) {
        return Examined::Nothing;
    }
    Examined::Credential { name: token.name, shown: format!("{}…", token.prefix) }
}

fn match_part(part: &Part, rest: &[u8]) -> Option<usize> {
    match part {
        Literal(text) => rest.starts_with(text.as_bytes()).then_some(text.len()),
        Run(set, least, most) => {
            let length = rest.iter().take(most + 1).take_while(|byte| set.contains(**byte)).count();
            (*least..=*most).contains(&length).then_some(length)
        }
    }
}

const fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

/// Recognizes placeholders of documentation, such as `AKIAIOSFODNN7EXAMPLE` and `ghp_xxxxxxxx`.
fn is_placeholder(secret: &[u8]) -> bool {
    const DISTINCT_AT_LEAST: usize = 8;
    let mut seen = [false; 256];
    for byte in secret {
        seen[usize::from(*byte)] = true;
    }
    let distinct = seen.iter().filter(|seen| **seen).count();
    let upper = secret.to_ascii_uppercase();
    distinct < DISTINCT_AT_LEAST || upper.windows(7).any(|window| window == b"EXAMPLE")
}

const KEY_HEADER: &str = "-----BEGIN ";
const KEY_LABELS: [&str; 5] = [
    "PRIVATE KEY-----",
    "RSA PRIVATE KEY-----",
    "EC PRIVATE KEY-----",
    "DSA PRIVATE KEY-----",
    "OPENSSH PRIVATE KEY-----",
];

/// Accepts a first line, base64 of a plausible structure and the start of the last line as a private key.
fn examine_key(bytes: &[u8], start: usize) -> Examined {
    const MAX_KEY_TEXT: usize = 16 << 10;
    const LEAST_KEY_TEXT: usize = 60;
    let rest = bytes.get(start + KEY_HEADER.len()..).unwrap_or_default();
    let Some(label) = KEY_LABELS.iter().find(|label| rest.starts_with(label.as_bytes())) else {
        return Examined::Nothing;
    };
    let body = rest.get(label.len()..).unwrap_or_default();
    // The alphabet has no `-`, so the next line of dashes ends the search.
    let length = body.iter().take(MAX_KEY_TEXT).take_while(|byte| is_key_text(**byte)).count();
    let (text, after) = body.split_at_checked(length).unwrap_or_default();
    // Keys inside string literals have their line ends written as `\n`.
    let first = text.strip_prefix(b"\\n").unwrap_or(text).trim_ascii_start();
    let is_structure = first.starts_with(b"M") || first.starts_with(b"b3BlbnNzaC1rZXkt");
    if after.starts_with(b"-----END ") && length >= LEAST_KEY_TEXT && is_structure {
        return Examined::Credential { name: "private key", shown: format!("{KEY_HEADER}{label}") };
    }
    Examined::KeyHeader
}

const fn is_key_text(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'\n' | b'\r' | b'\\' | b' ' | b'\t')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn examine_text(text: &str) -> Vec<Examined> {
        let mut found = Vec::new();
        for (pattern, prefix) in prefixes().enumerate() {
            for (start, _) in text.match_indices(prefix) {
                found.push(examine(pattern, text.as_bytes(), start));
            }
        }
        found
    }

    fn is_credential(text: &str) -> bool {
        examine_text(text).iter().any(|examined| matches!(examined, Examined::Credential { .. }))
    }

    #[test]
    fn complete_credentials_are_found_and_cut_short() {
        let key = format!("key = \"AKIA{}\"", "Z7QWERTYUIOP4XCV");
        assert!(is_credential(&key));
        let github = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
        assert!(is_credential(&github));
        for examined in examine_text(&github) {
            assert!(!format!("{examined:?}").contains("a1B2"), "{examined:?}");
        }
        let pem =
            format!("-----BEGIN PRIVATE KEY-----\nMC4CAQAw{}\n-----END PRIVATE KEY-----", "A1b2".repeat(14));
        assert!(is_credential(&pem));
    }

    #[test]
    fn words_prefixes_and_placeholders_are_not_credentials() {
        for text in [
            "AKIA",
            "AKIAIOSFODNN7EXAMPLE",
            "AKIAAAAAAAAAAAAAAAAA",
            "AKIAZ7QWERTYUIOP4XCVZZ",
            "xAKIAZ7QWERTYUIOP4XCV",
            "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
            "hf_transfer is a package",
            "npm_config_registry",
            "-----BEGIN CERTIFICATE-----",
            "-----BEGIN PUBLIC KEY-----",
        ] {
            assert!(!is_credential(text), "{text}");
        }
        assert_eq!(examine_text("-----BEGIN RSA PRIVATE KEY-----\\n"), [Examined::KeyHeader]);
    }
}
