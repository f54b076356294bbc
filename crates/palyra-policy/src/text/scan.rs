//! Scans the text before the parser sees it, to find the rules and to check their length and depth.
//!
//! The parser recurses without a limit, so a text that would exhaust the stack must not reach it.

use super::{MAX_RULE_DEPTH, MAX_RULE_TOKENS, PolicyProblem, PolicyTextError, error_at};
use palyra_common::limits::{MAX_POLICY_BYTES, MAX_POLICY_RULES};
use std::ops::Range;

/// Returns the ranges of the rules in a text that is safe to parse.
pub(super) fn find_rules(text: &str) -> Result<Vec<Range<usize>>, PolicyTextError> {
    if text.len() > MAX_POLICY_BYTES {
        return Err(error_at(text, 0, PolicyProblem::TooLong { bytes: text.len() }));
    }
    let mut rules = Vec::new();
    let (mut start, mut last, mut tokens, mut depth) = (None, 0, 0_usize, 0_usize);
    for token in Tokens::new(text) {
        let refuse = |problem| Err(error_at(text, token.start, problem));
        let begin = *start.get_or_insert(token.start);
        last = token.end;
        tokens += 1;
        match text.as_bytes().get(token.start) {
            Some(b'(' | b'[' | b'{') => depth += 1,
            Some(b')' | b']' | b'}') => depth = depth.saturating_sub(1),
            _ => {}
        }
        if tokens > MAX_RULE_TOKENS {
            return Err(error_at(text, begin, PolicyProblem::RuleTooLong));
        }
        if depth > MAX_RULE_DEPTH {
            return refuse(PolicyProblem::TooDeep);
        }
        if text.get(token.clone()) == Some(";") {
            if rules.len() == MAX_POLICY_RULES {
                return refuse(PolicyProblem::TooManyRules);
            }
            rules.push(begin..token.end);
            (start, tokens, depth) = (None, 0, 0);
        }
    }
    // The text after the last `;` is not a rule; the parser reports why.
    rules.extend(start.map(|begin| begin..last));
    Ok(rules)
}

/// Returns whether a decision may depend on `context.arguments`; false positives are possible.
pub(crate) fn reads_arguments(text: &str) -> bool {
    let mut tokens = Tokens::new(text).map(|token| text.get(token).unwrap_or_default()).peekable();
    while let Some(token) = tokens.next() {
        let whole_context = token == "context" && !matches!(tokens.peek(), Some(&("." | "has")));
        if whole_context || token.contains("arguments") {
            return true;
        }
    }
    false
}

/// Words, strings and single signs of a text, without space and comments.
struct Tokens<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Tokens<'t> {
    fn new(text: &'t str) -> Self {
        Self { text, at: 0 }
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn skip_blanks(&mut self) {
        loop {
            let rest = self.rest();
            let trimmed = rest.trim_start();
            self.at += rest.len() - trimmed.len();
            if !trimmed.starts_with("//") {
                return;
            }
            self.at += trimmed.find(['\n', '\r']).unwrap_or(trimmed.len());
        }
    }
}

impl Iterator for Tokens<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        self.skip_blanks();
        let (rest, start) = (self.rest(), self.at);
        let first = rest.chars().next()?;
        self.at += match first {
            '"' => string_length(rest),
            _ if is_word(first) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            _ => first.len_utf8(),
        };
        Some(start..self.at)
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Returns the length of a string with its quotes; an unterminated one extends to the end.
fn string_length(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_end_at_semicolons_outside_of_strings_and_comments() {
        let text = "// a; b\n@id(\"x;\\\";\") permit (principal); // c;\nforbid; rest";
        let rules: Vec<&str> = find_rules(text).unwrap().into_iter().map(|rule| &text[rule]).collect();
        assert_eq!(rules, ["@id(\"x;\\\";\") permit (principal);", "forbid;", "rest"]);
        assert!(find_rules(" // nothing\n").unwrap().is_empty());
        let without_end = find_rules("\"no end;").unwrap();
        assert_eq!((without_end.len(), without_end.first()), (1, Some(&(0..8))));
    }

    #[test]
    fn long_and_deep_rules_are_refused_before_they_are_parsed() {
        let problem = |text: &str| find_rules(text).unwrap_err().problem;
        assert_eq!(problem(&"(".repeat(MAX_RULE_DEPTH + 1)), PolicyProblem::TooDeep);
        assert_eq!(problem(&"!a".repeat(MAX_RULE_TOKENS)), PolicyProblem::RuleTooLong);
        assert_eq!(problem(&"a;".repeat(MAX_POLICY_RULES + 1)), PolicyProblem::TooManyRules);
        let bytes = MAX_POLICY_BYTES + 1;
        assert_eq!(problem(&" ".repeat(bytes)), PolicyProblem::TooLong { bytes });
    }

    #[test]
    fn arguments_are_read_only_by_name_or_as_a_whole() {
        for text in ["context.arguments", "context[\"arguments\"]", "context == principal", "context"] {
            assert!(reads_arguments(text), "{text}");
        }
        for text in ["context.face == Face::\"mcp\"", "context has face", "// context.arguments", "contexts"]
        {
            assert!(!reads_arguments(text), "{text}");
        }
    }
}
