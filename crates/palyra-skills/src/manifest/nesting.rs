//! A bound on nesting, which the parser's lexer checks before any recursive structure is built.
//!
//! The parser bounds brackets but not dotted keys, and a table a hundred thousand keys deep overflows the
//! stack when it is dropped.

use std::ops::Range;

use toml_parser::Source;
use toml_parser::lexer::TokenKind;

/// Maximum levels of tables, arrays and dotted keys in one statement.
pub(super) const MAX_LEVELS: usize = 64;

/// Finds the first token that exceeds the maximum depth.
pub(super) fn check_nesting(text: &str) -> Result<(), Range<usize>> {
    // Dots of the keys around each open bracket, and of the key being read.
    let mut around: Vec<usize> = Vec::new();
    let (mut outer, mut dots) = (0, 0);
    for token in Source::new(text).lex() {
        match token.kind() {
            TokenKind::Dot => dots += 1,
            TokenKind::LeftSquareBracket | TokenKind::LeftCurlyBracket => {
                around.push(dots + 1);
                outer += dots + 1;
                dots = 0;
            }
            TokenKind::RightSquareBracket | TokenKind::RightCurlyBracket => {
                outer -= around.pop().unwrap_or(0);
                dots = 0;
            }
            TokenKind::Comma => dots = 0,
            TokenKind::Newline if around.is_empty() => dots = 0,
            _ => {}
        }
        if outer + dots > MAX_LEVELS {
            return Err(token.span().start()..token.span().end());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn deep(head: &str, part: &str, times: usize, tail: &str) -> bool {
        check_nesting(&format!("{head}{}{tail}", part.repeat(times))).is_err()
    }

    #[test]
    fn every_way_of_nesting_is_counted() {
        assert!(!deep("a = ", "[", 60, ""));
        assert!(deep("a = ", "[", 20_000, ""));
        assert!(deep("a = ", "{a=", 20_000, ""));
        assert!(deep("", "a.", 20_000, "a = 1"));
        assert!(deep("[", "a.", 20_000, "a]"));
        assert!(deep("[[", "a.", 20_000, "a]]"));
        assert!(deep("x = ", "{a.a.a\n.a.a.a=", 20, ""));
        assert!(!deep("x = [", "1.5, ", 20_000, "]"));
        assert!(!deep("x = [\n", "1.5,\n", 20_000, "]"));
        assert!(!deep("", "a.b = 1.5\n", 20_000, ""));
        assert!(!deep("x = '", "[.{", 20_000, "'"));
    }
}
