//! Splits a sentence into words, numbers and marks.

use crate::words::{is_stop_word, stem};

/// A text with its tokens.
pub(super) struct Sentence<'t> {
    pub(super) text: &'t str,
    pub(super) tokens: Vec<Token<'t>>,
}

/// A word, a number or a mark, with its position.
#[derive(Debug)]
pub(super) struct Token<'t> {
    pub(super) text: &'t str,
    pub(super) lower: String,
    pub(super) stem: String,
    pub(super) kind: TokenKind,
    /// The start, in bytes.
    pub(super) start: usize,
    /// The end, in bytes.
    pub(super) end: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// Letters, with digits, hyphens and apostrophes between them.
    Word,
    /// Digits, with separators between them.
    Number,
    /// A single other character.
    Mark,
}

impl<'t> Sentence<'t> {
    pub(super) fn read(text: &'t str) -> Self {
        let mut tokens = Vec::new();
        let mut start = 0;
        while let Some(first) = text[start..].chars().next() {
            if first.is_whitespace() {
                start += first.len_utf8();
                continue;
            }
            let (kind, length) = next(&text[start..], first);
            tokens.push(Token::new(&text[start..start + length], kind, start));
            start += length;
        }
        Self { text, tokens }
    }

    /// Returns how many numbers are between two tokens.
    pub(super) fn numbers(&self, from: usize, to: usize) -> usize {
        let tokens = self.tokens.get(from..to).unwrap_or_default();
        tokens.iter().filter(|token| token.kind == TokenKind::Number).count()
    }

    pub(super) fn token(&self, index: usize) -> Option<&Token<'t>> {
        self.tokens.get(index)
    }

    /// Returns the token at an index in lower case; empty past the end.
    pub(super) fn lower(&self, index: usize) -> &str {
        self.tokens.get(index).map_or("", |token| &token.lower)
    }

    /// Returns the text from one token up to, but not including, another.
    pub(super) fn span(&self, from: usize, to: usize) -> &'t str {
        match (self.tokens.get(from), to.checked_sub(1).and_then(|last| self.tokens.get(last))) {
            (Some(first), Some(last)) if last.end >= first.start => &self.text[first.start..last.end],
            _ => "",
        }
    }

    /// Returns the range of tokens that overlap a range of bytes.
    pub(super) fn within(&self, start: usize, end: usize) -> (usize, usize) {
        let from = self.tokens.partition_point(|token| token.end <= start);
        let to = self.tokens.partition_point(|token| token.start < end);
        (from, to.max(from))
    }

    /// Returns whether a token and the next one are adjacent, without white space.
    pub(super) fn joined(&self, index: usize) -> bool {
        match (self.tokens.get(index), self.tokens.get(index + 1)) {
            (Some(token), Some(next)) => token.end == next.start,
            _ => false,
        }
    }
}

impl<'t> Token<'t> {
    fn new(text: &'t str, kind: TokenKind, start: usize) -> Self {
        let lower = text.to_lowercase();
        let bare = lower.strip_suffix("'s").or_else(|| lower.strip_suffix("’s")).unwrap_or(&lower);
        let stem = stem(bare);
        Self { text, lower, stem, kind, start, end: start + text.len() }
    }

    pub(super) fn is_word(&self) -> bool {
        self.kind == TokenKind::Word
    }

    pub(super) fn is_stop_word(&self) -> bool {
        is_stop_word(&self.lower)
    }

    pub(super) fn is_capitalised(&self) -> bool {
        self.is_word() && self.text.chars().next().is_some_and(char::is_uppercase)
    }

    /// Returns whether the token ends a clause.
    pub(super) fn ends_clause(&self) -> bool {
        matches!(self.text, "." | "?" | "!" | ";" | ":")
    }
}

fn next(rest: &str, first: char) -> (TokenKind, usize) {
    if first.is_ascii_digit() {
        return (TokenKind::Number, number_length(rest));
    }
    if first.is_alphanumeric() || first == '_' {
        return (TokenKind::Word, word_length(rest));
    }
    (TokenKind::Mark, first.len_utf8())
}

/// Returns the length of a number. A separator is part of it only between digits: `1,200.5` but `3,4`.
fn number_length(rest: &str) -> usize {
    let bytes = rest.as_bytes();
    let digits = |from: usize| bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut length = digits(0);
    while bytes.get(length) == Some(&b',') && length <= 3 + 4 * (length / 4) && digits(length + 1) == 3 {
        length += 4;
    }
    if bytes.get(length) == Some(&b'.') && digits(length + 1) > 0 {
        length += 1 + digits(length + 1);
    }
    length
}

fn word_length(rest: &str) -> usize {
    let mut end = 0;
    let mut chars = rest.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let inside = matches!(c, '\'' | '’' | '-')
            && chars.peek().is_some_and(|(_, next)| next.is_alphanumeric())
            && at > 0;
        if !(c.is_alphanumeric() || c == '_' || inside) {
            break;
        }
        end = at + c.len_utf8();
    }
    end
}
