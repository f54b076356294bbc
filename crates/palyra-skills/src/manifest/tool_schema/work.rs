//! Estimates the cost of checking a value before it is checked.
//!
//! The validator cannot be interrupted, so callers decide with this estimate whether to check a value at all. It is
//! (rules for one value) × (values) + (pattern steps for one byte) × (bytes), each an upper bound. A step is about ten
//! nanoseconds.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::SchemaProblem;

/// Minimum number of steps per value. Also bounds the tree that the text becomes, which takes about this many bytes
/// per value.
pub(super) const STEPS_PER_VALUE: u64 = 64;
/// Maximum number of distinct patterns in a schema; each keeps up to `MAX_PATTERN_TABLE_BYTES` after its first use.
pub(super) const MAX_PATTERNS: usize = 256;
/// Maximum number of characters that all patterns of a schema match together, repetitions included. Bounds the
/// memory for compiling them.
pub(super) const MAX_PATTERN_POSITIONS: u64 = 16_384;
/// Bytes of equal text that are compared in one step.
const BYTES_PER_STEP: usize = 64;
/// Steps per value of `uniqueItems`, which copies and hashes values; large numbers can share a hash with 2,047 others.
const UNIQUE_ITEMS_STEPS: u64 = 256;
/// Steps of `multipleOf` with a fraction, which is exact arithmetic on large integers.
const FRACTION_STEPS: u64 = 128;
/// Number of pattern positions that are matched in one step.
const POSITIONS_PER_STEP: u64 = 4;

/// The cost of a schema for one value and the values below it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SchemaCost {
    /// Number of schemas applied along one path of a value.
    pub(super) visits: u64,
    /// Steps per value.
    pub(super) rules: u64,
    /// Steps per byte of text.
    pub(super) scan: u64,
}

impl SchemaCost {
    pub(super) const NONE: Self = Self { visits: 0, rules: 0, scan: 0 };
    pub(super) const ONE: Self = Self { visits: 1, rules: 1, scan: 0 };

    pub(super) fn plus(self, other: Self) -> Self {
        Self {
            visits: self.visits.saturating_add(other.visits),
            rules: self.rules.saturating_add(other.rules),
            scan: self.scan.saturating_add(other.scan),
        }
    }

    pub(super) fn max(self, other: Self) -> Self {
        Self {
            visits: self.visits.max(other.visits),
            rules: self.rules.max(other.rules),
            scan: self.scan.max(other.scan),
        }
    }

    /// Returns the cost of a schema's own keywords, without its subschemas.
    pub(super) fn of_keywords(
        keywords: &Map<String, Value>,
        patterns: &mut PatternCosts,
    ) -> Result<Self, SchemaProblem> {
        let mut cost = Self::ONE;
        for (keyword, value) in keywords {
            let (rules, scan) = match keyword.as_str() {
                "title" | "description" | "default" | "examples" | "$comment" | "$schema" | "$defs"
                | "definitions" => (0, 0),
                "enum" | "const" | "required" | "dependentRequired" => (size_of_literal(value), 0),
                "properties" => (1 + entries(value), 0),
                "patternProperties" => {
                    let names = value.as_object().into_iter().flatten().map(|(name, _)| name);
                    let scan = names.map(|name| patterns.steps(name)).sum::<Result<u64, _>>()?;
                    (1 + entries(value), scan)
                }
                "pattern" => (1, patterns.steps(value.as_str().unwrap_or_default())?),
                "minLength" | "maxLength" => (1, 1),
                "uniqueItems" => (UNIQUE_ITEMS_STEPS, 1),
                "multipleOf" if value.as_u64().is_none() => (FRACTION_STEPS, 0),
                _ => (1, 0),
            };
            cost = cost.plus(Self { visits: 0, rules, scan });
        }
        Ok(cost)
    }

    /// Returns the steps for checking a text with the given numbers of bytes and values.
    pub(super) fn steps(&self, values: u64, bytes: u64) -> u64 {
        let each = self.rules.saturating_add(2).max(STEPS_PER_VALUE);
        values.saturating_mul(each).saturating_add(bytes.saturating_mul(self.scan))
    }
}

/// Counts the values and names in a JSON text. Each except the first follows a bracket, a comma or a colon, so the
/// count is an upper bound.
pub(super) fn count_values(text: &str) -> u64 {
    let mut count = 1;
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        match byte {
            b'[' | b'{' | b',' | b':' => count += 1,
            b'"' => skip_string(&mut bytes),
            _ => {}
        }
    }
    count
}

fn skip_string(bytes: &mut std::str::Bytes<'_>) {
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => return,
            b'\\' => {
                bytes.next();
            }
            _ => {}
        }
    }
}

fn entries(value: &Value) -> u64 {
    match value {
        Value::Array(items) => items.len() as u64,
        Value::Object(members) => members.len() as u64,
        _ => 1,
    }
}

/// Returns the steps for comparing a value with a literal: one per value, plus its text.
fn size_of_literal(value: &Value) -> u64 {
    match value {
        Value::Array(items) => items.iter().map(size_of_literal).fold(1, u64::saturating_add),
        Value::Object(members) => {
            let member = |(name, value): (&String, &Value)| text_steps(name) + size_of_literal(value);
            members.iter().map(member).fold(1, u64::saturating_add)
        }
        Value::String(text) => text_steps(text),
        Value::Null | Value::Bool(_) | Value::Number(_) => 1,
    }
}

fn text_steps(text: &str) -> u64 {
    1 + (text.len() / BYTES_PER_STEP) as u64
}

/// The costs of the patterns of one schema, each counted once.
#[derive(Default)]
pub(super) struct PatternCosts {
    seen: HashMap<String, u64>,
    positions: u64,
}

impl PatternCosts {
    fn steps(&mut self, pattern: &str) -> Result<u64, SchemaProblem> {
        if let Some(steps) = self.seen.get(pattern) {
            return Ok(*steps);
        }
        let positions = positions(pattern);
        self.positions = self.positions.saturating_add(positions);
        if self.seen.len() >= MAX_PATTERNS || self.positions > MAX_PATTERN_POSITIONS {
            return Err(SchemaProblem::Patterns);
        }
        let steps = 1 + positions / POSITIONS_PER_STEP;
        self.seen.insert(pattern.to_owned(), steps);
        Ok(steps)
    }
}

/// Counts the characters that a pattern matches, times their repetitions: the states that can be active at once.
fn positions(pattern: &str) -> u64 {
    // `groups` has the sum of each open group; `last` is the atom that a repetition would apply to.
    let mut groups = vec![0_u64];
    let mut last = 0_u64;
    let mut characters = pattern.chars().peekable();
    while let Some(character) = characters.next() {
        let atom = match character {
            '(' => {
                groups.push(0);
                last = 0;
                continue;
            }
            ')' => groups.pop().unwrap_or_default(),
            '{' => {
                let text: String = characters.by_ref().take_while(|next| *next != '}').collect();
                let times = repetitions(&text);
                add(&mut groups, last.saturating_mul(times.saturating_sub(1)));
                last = last.saturating_mul(times);
                continue;
            }
            '[' => {
                skip_class(&mut characters);
                1
            }
            '\\' => {
                characters.next();
                // The braces of `\p{L}` and `\u{1F600}` are not a repetition.
                if characters.peek() == Some(&'{') {
                    characters.by_ref().find(|next| *next == '}');
                }
                1
            }
            '*' | '+' | '?' | '|' | '^' | '$' => continue,
            _ => 1,
        };
        add(&mut groups, atom);
        last = atom;
    }
    groups.into_iter().fold(0, u64::saturating_add)
}

fn add(groups: &mut Vec<u64>, positions: u64) {
    match groups.last_mut() {
        Some(sum) => *sum = sum.saturating_add(positions),
        None => groups.push(positions),
    }
}

/// Returns the larger number of `n`, `n,` or `n,m`; text that is not a repetition counts as the maximum.
fn repetitions(text: &str) -> u64 {
    let number = |part: &str| part.trim().parse::<u64>().ok();
    match text.split_once(',') {
        None => number(text),
        Some((least, most)) => number(most).or_else(|| number(least).map(|least| least.saturating_add(1))),
    }
    .unwrap_or(MAX_PATTERN_POSITIONS)
    .max(1)
}

fn skip_class(characters: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    characters.next_if_eq(&'^');
    characters.next_if_eq(&']');
    let mut depth = 1;
    while let Some(character) = characters.next() {
        match character {
            '\\' => {
                characters.next();
            }
            '[' => depth += 1,
            ']' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_counted_without_reading_them() {
        for (text, expected) in [
            ("1", 1),
            ("\"a,b:[{\"", 1),
            (r#""\\""#, 1),
            (r#"["\"",1]"#, 3),
            ("[1,2,3]", 4),
            (r#"{"a":1,"b":[{}]}"#, 7),
        ] {
            assert_eq!(count_values(text), expected, "{text}");
        }
    }

    #[test]
    fn positions_count_repetitions() {
        for (pattern, expected) in [
            ("", 0),
            ("^abc$", 3),
            ("[a-z]+", 1),
            ("^[0-9a-f]{8}-[0-9a-f]{4}$", 13),
            ("(ab){10}", 20),
            ("((a{10}){10}){10}", 1_000),
            (r"\p{L}{3}", 3),
            (r"a\{3", 3),
            ("[]a]{2,5}", 5),
            ("x{4,}", 5),
        ] {
            assert_eq!(positions(pattern), expected, "{pattern}");
        }
        assert!(positions("a{999999999}{999999999}{999999999}") > MAX_PATTERN_POSITIONS);
    }
}
