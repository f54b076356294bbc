//! Cutting texts to a length: untrusted text is shortened before it is shown or stored.

use std::borrow::Cow;

use crate::redact::escape_untrusted;

/// Returns the first characters of a text.
pub fn clip(text: &str, most: usize) -> &str {
    let end = text.char_indices().nth(most).map_or(text.len(), |(end, _)| end);
    text.get(..end).unwrap_or_default()
}

/// Returns the first characters of a text, with an ellipsis if it was longer.
pub fn clip_marked(text: &str, most: usize) -> Cow<'_, str> {
    match clip(text, most) {
        whole if whole.len() == text.len() => Cow::Borrowed(text),
        start => Cow::Owned(format!("{start}…")),
    }
}

/// Returns the first characters of an untrusted text, escaped so that it remains on one line.
pub fn clip_untrusted(text: &str, most: usize) -> String {
    escape_untrusted(clip(text, most))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clip_counts_characters() {
        for (text, most, expected) in [("héllo", 2, "hé"), ("héllo", 5, "héllo"), ("", 3, ""), ("a", 0, "")]
        {
            assert_eq!(clip(text, most), expected);
        }
        assert_eq!(clip_marked("héllo", 2), "hé…");
        assert_eq!(clip_marked("héllo", 5), "héllo");
        assert_eq!(clip_untrusted("a\nb\nc", 3), "a\\u{a}b");
    }
}
