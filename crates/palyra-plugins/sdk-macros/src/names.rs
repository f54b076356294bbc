//! The grammars of ids and events, which are checked at compile time with the position in the source.

use syn::{Error, LitStr, Result};

const MAX_ID_BYTES: usize = 60;

/// Checks a tool or hook id: `[a-z0-9_]+(\.[a-z0-9_]+)+`, at most 60 bytes.
pub(crate) fn check_id(id: &LitStr) -> Result<()> {
    let text = id.value();
    let words: Vec<&str> = text.split('.').collect();
    if words.len() < 2 || !words.iter().all(|word| is_word(word)) {
        let message = format!(
            "invalid id `{text}`: use lower-case words of `[a-z0-9_]`, joined by dots, for example `acme.echo`"
        );
        return Err(Error::new(id.span(), message));
    }
    if text.len() > MAX_ID_BYTES {
        return Err(Error::new(id.span(), format!("the id `{text}` is longer than {MAX_ID_BYTES} bytes")));
    }
    Ok(())
}

/// Checks an event kind: `subject:what`.
pub(crate) fn check_event(event: &LitStr) -> Result<()> {
    let text = event.value();
    match text.split_once(':') {
        Some((subject, what)) if is_word(subject) && is_word(what) => Ok(()),
        _ => Err(Error::new(
            event.span(),
            format!("`{text}` is not an event: use a form such as `run:before_tool`"),
        )),
    }
}

fn is_word(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proc_macro2::Span;

    fn literal(text: &str) -> LitStr {
        LitStr::new(text, Span::call_site())
    }

    #[test]
    fn ids() {
        for good in ["acme.echo", "a.b", "acme.notes.add_2", "0.1"] {
            assert!(check_id(&literal(good)).is_ok(), "{good}");
        }
        let long = format!("acme.{}", "x".repeat(56));
        for bad in
            ["", "echo", "acme.", ".echo", "Acme.echo", "acme-notes.echo", "acme..echo", "acme.é", &long]
        {
            assert!(check_id(&literal(bad)).is_err(), "{bad}");
        }
    }

    #[test]
    fn events() {
        for good in ["run:before_tool", "gateway:startup"] {
            assert!(check_event(&literal(good)).is_ok(), "{good}");
        }
        for bad in ["", "run", "run:", ":x", "run:before:tool", "Run:x", "run.x"] {
            assert!(check_event(&literal(bad)).is_err(), "{bad}");
        }
    }
}
