//! Tests every encoding, split at every position.

use super::Redactor;
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE};
use palyra_common::SecretValue;
use proptest::prelude::*;
use std::borrow::Cow;

fn redactor(secrets: &[&str]) -> Redactor {
    let values: Vec<SecretValue> = secrets.iter().map(|secret| SecretValue::new(*secret)).collect();
    Redactor::new(&values)
}

fn in_pieces(redactor: &Redactor, data: &[u8], size: usize) -> Vec<u8> {
    let mut stream = redactor.stream();
    let mut clean: Vec<u8> = data.chunks(size).flat_map(|piece| stream.push(piece)).collect();
    clean.extend(stream.finish());
    clean
}

#[test]
fn every_form_is_blotted_out_whole() {
    let secret = "p@ss word/\"x\"?";
    let redactor = redactor(&[secret]);
    for form in [
        secret.to_owned(),
        "p%40ss%20word%2F%22x%22%3F".into(),
        "p%40ss+word%2f%22x%22%3f".into(),
        "p@ss+word/\"x\"?".into(),
        "%70@ss word/\"x\"?".into(),
        r#"p@ss word/\"x\"?"#.into(),
        r#"p@ss word\/\"x\"?"#.into(),
        hex::encode(secret),
        hex::encode_upper(secret),
        STANDARD.encode(secret).trim_end_matches('=').to_owned(),
        URL_SAFE.encode(secret).trim_end_matches('=').to_owned(),
        STANDARD.encode(secret).trim_end_matches('=').replace('/', "%2F").replace('+', "%2B"),
        STANDARD.encode(secret).trim_end_matches('=').replace('/', "\\/").replace('+', "\\u002b"),
        r#"p\u0040ss\u0020word\u002F\u0022x\u0022?"#.into(),
        "p&#64;ss word/&quot;x&#x22;?".into(),
    ] {
        let text = format!("<{form}>");
        assert_eq!(redactor.redact_text(&text), "<****>", "{form}");
        assert!(redactor.is_in(text.as_bytes()));
        for size in 1..text.len() {
            assert_eq!(in_pieces(&redactor, text.as_bytes(), size), b"<****>", "{form} in pieces of {size}");
        }
    }
}

/// Encoders differ in what they escape: `&`, `<` and `>`, everything outside ASCII, or every character.
#[test]
fn secret_escaped_by_any_writer_is_masked_whole() {
    let secret = "pä<ss>&wörd😀'\\x";
    let redactor = redactor(&[secret]);
    let json_escaped = |escapes: &dyn Fn(char) -> bool| -> String {
        let escaped = |c: char| -> String {
            match c {
                '\\' => "\\\\".into(),
                c if escapes(c) => {
                    c.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")).collect()
                }
                c => c.into(),
            }
        };
        secret.chars().map(escaped).collect()
    };
    let markup = |hexadecimal: bool| -> String {
        let one = |c: char| {
            if hexadecimal { format!("&#x{:X};", u32::from(c)) } else { format!("&#{};", u32::from(c)) }
        };
        secret.chars().map(one).collect()
    };
    for form in [
        json_escaped(&|c| "&<>".contains(c)),
        json_escaped(&|c| !c.is_ascii()),
        json_escaped(&|c| c == 'ä'),
        json_escaped(&|_| true),
        json_escaped(&|_| true).to_uppercase().replace("\\U", "\\u"),
        secret.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('\'', "&apos;"),
        markup(false),
        markup(true),
    ] {
        let text = format!("<{form}>");
        assert_eq!(redactor.redact_text(&text), "<****>", "{form}");
        for size in 1..text.len() {
            assert_eq!(in_pieces(&redactor, text.as_bytes(), size), b"<****>", "{form} in pieces of {size}");
        }
    }
}

#[test]
fn an_escaped_backslash_does_not_hide_what_follows() {
    let redactor = redactor(&["n\"bcd"]);
    for before in 0..40 {
        let text = format!("{}\\\\n\\\"bcd{}", "x".repeat(before), "y".repeat(200));
        for size in 1..80 {
            let clean = in_pieces(&redactor, text.as_bytes(), size);
            assert!(!clean.ends_with(b"bcd") && !redactor.is_in(&clean), "{before} {size}");
        }
    }
}

#[test]
fn base64_is_found_wherever_the_secret_starts() {
    let redactor = redactor(&["hunter2hunter"]);
    for (before, after) in
        [("", ""), ("u", ""), ("us", ""), ("usr", "!"), ("user:", "!!"), ("", "!"), ("x", "!"), ("xy", "!!!")]
    {
        for engine in [STANDARD, URL_SAFE, STANDARD_NO_PAD] {
            let text = engine.encode(format!("{before}hunter2hunter{after}"));
            let clean = redactor.redact_text(&text).into_owned();
            assert!(clean.contains("****"), "{before}|{after}: {text}");
            let left = clean.replace("****", "").replace('=', "").len();
            let around = (before.len() + after.len()) * 8 / 6;
            assert!(left <= around, "{before}|{after}: {clean} keeps bits of the secret");
        }
    }
}

#[test]
fn clean_bytes_are_not_copied() {
    let redactor = redactor(&["hunter2"]);
    assert!(matches!(redactor.redact(b"nothing %41 here"), Cow::Borrowed(_)));
    assert!(matches!(super::Redactor::default().redact(b"hunter2"), Cow::Borrowed(_)));
    assert!(redactor.redact_text("x").len() == 1);
}

#[test]
fn short_secrets_are_left_alone() {
    assert!(redactor(&["", "a", "abc"]).is_empty());
    assert_eq!(redactor(&["abcd"]).redact_text("abc abcd"), "abc ****");
}

#[test]
fn overlapping_secrets_leave_nothing_over() {
    let redactor = redactor(&["abcdef", "defghi", "aaaa"]);
    for (text, expected) in
        [("<abcdefghi>", "<****>"), ("<aaaaaaaa>", "<********>"), ("abcdefabcdef", "********")]
    {
        assert_eq!(redactor.redact_text(text), expected);
        for size in 1..text.len() {
            let clean = String::from_utf8(in_pieces(&redactor, text.as_bytes(), size)).unwrap();
            assert!(
                !clean.contains(|c: char| c.is_ascii_alphanumeric()),
                "{text} in pieces of {size}: {clean}"
            );
        }
    }
}

#[test]
fn a_large_body_is_searched_across_its_windows() {
    let redactor = redactor(&["hunter2hunter2"]);
    let encoded = b"%68unter2%68unter2";
    for at in [0, (64 << 10) - 9, (64 << 10) - 1, 64 << 10, 200_000 - encoded.len()] {
        let mut body = vec![b'.'; 200_000];
        body[at..at + encoded.len()].copy_from_slice(encoded);
        let clean = redactor.redact(&body);
        assert_eq!(clean.len(), 200_000 - encoded.len() + 4, "at {at}");
        assert_eq!(&clean[at..at + 4], b"****");
    }
}

#[test]
fn stream_keeps_back_only_what_could_become_a_secret() {
    let mut stream = redactor(&["sk-hunter2"]).stream();
    for frame in ["data: {\"text\":\"a\\n\"}\n\n", "data: [DONE]\n\n", "data: 50% & more\n\n"] {
        assert_eq!(String::from_utf8(stream.push(frame.as_bytes())).unwrap(), frame);
    }
    for (piece, clean) in [("a sk-hu", "a "), ("x", "sk-hux"), ("sk-hunt", ""), ("er2 b\n", "**** b\n")] {
        assert_eq!(String::from_utf8(stream.push(piece.as_bytes())).unwrap(), clean, "{piece}");
    }
}

#[test]
fn debug_shows_no_secret() {
    let redactor = redactor(&["hunter2"]);
    assert!(!format!("{redactor:?} {:?}", redactor.stream()).contains("hunter2"));
}

proptest! {
    #[test]
    fn pieces_give_what_the_whole_gives(
        secret in "[a-c%/+& ]{4,8}",
        parts in prop::collection::vec(("[a-c%/+ .&;\\\\]{0,9}", 0usize..7), 0..6),
        size in 1usize..40,
    ) {
        let redactor = redactor(&[&secret]);
        let mut data = Vec::new();
        for (noise, form) in parts {
            data.extend(noise.bytes());
            match form {
                0 => data.extend(secret.bytes()),
                1 => data.extend(STANDARD.encode(&secret).bytes()),
                2 => data.extend(hex::encode(&secret).bytes()),
                3 => data.extend(secret.bytes().flat_map(|byte| format!("%{byte:02X}").into_bytes())),
                4 => data.extend(secret.bytes().flat_map(|byte| format!("\\u{byte:04x}").into_bytes())),
                5 => data.extend(secret.bytes().flat_map(|byte| format!("&#{byte};").into_bytes())),
                _ => {}
            }
        }
        let whole = redactor.redact(&data);
        prop_assert!(!redactor.is_in(&whole), "{:?} -> {:?}", String::from_utf8_lossy(&data), String::from_utf8_lossy(&whole));
        let pieces = in_pieces(&redactor, &data, size);
        prop_assert!(!redactor.is_in(&pieces), "{:?} -> {:?}", String::from_utf8_lossy(&data), String::from_utf8_lossy(&pieces));
    }
}
