//! Finds numbers in digits and in words, with their units, and lists of them.

use super::found::{Found, FoundValue, Number, Taken};
use super::sentence::{Sentence, TokenKind};
use super::units::{Measure, Unit};

const ONES: [&str; 20] = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
];
const TENS: [&str; 8] = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];
const MULTIPLIERS: [(&str, f64); 8] = [
    ("hundred", 1e2),
    ("thousand", 1e3),
    ("million", 1e6),
    ("billion", 1e9),
    ("trillion", 1e12),
    ("dozen", 12.0),
    ("bn", 1e9),
    ("mn", 1e6),
];

pub(super) fn find(sentence: &Sentence<'_>, taken: &Taken) -> Vec<Found> {
    let mut found = Vec::new();
    let mut index = 0;
    while index < sentence.tokens.len() {
        match number(sentence, index).filter(|_| !taken.has(index)) {
            Some(number) => {
                index = number.to.max(index + 1);
                found.push(number);
            }
            None => index += 1,
        }
    }
    found.extend(periods(sentence));
    found.sort_by_key(|found| found.from);
    let rows = rows(sentence, &found);
    found.extend(rows);
    found
}

fn number(sentence: &Sentence<'_>, index: usize) -> Option<Found> {
    let token = sentence.token(index)?;
    let (mut value, mut to) = match token.kind {
        TokenKind::Number => (token.text.replace(',', "").parse::<f64>().ok()?, index + 1),
        TokenKind::Word => words(sentence, index)?,
        TokenKind::Mark => return None,
    };
    let digits = token.kind == TokenKind::Number;
    let mut from = index;
    let previous = index.checked_sub(1).and_then(|at| sentence.token(at));
    let money = previous.filter(|previous| matches!(previous.text, "$" | "€" | "£" | "¥"));
    let mut unit = money.and_then(|sign| Unit::parse(sign.text));
    if money.is_some() {
        from -= 1;
    }
    if digits && is_negative(sentence, from) {
        from -= 1;
        value = -value;
    }
    let mut year = digits && token.text.len() == 4 && (1_000.0..2_200.0).contains(&value) && unit.is_none();
    if let Some(next) = sentence.token(to) {
        let glued = digits && sentence.joined(to - 1);
        let multiplier = match next.text {
            "k" if glued => Some(1e3),
            "K" | "M" | "B" if glued && money.is_some() => Some(if next.text == "K" {
                1e3
            } else if next.text == "M" {
                1e6
            } else {
                1e9
            }),
            "M" if glued => Some(1e6),
            _ => MULTIPLIERS.iter().find(|(word, _)| *word == next.lower).map(|(_, factor)| *factor),
        };
        if let Some(multiplier) = multiplier.filter(|_| digits) {
            value *= multiplier;
            to += 1;
            year = false;
        }
    }
    // `10th` is ten. Other letters after digits are a unit, or the whole is a name.
    if let Some(next) = sentence.token(to).filter(|next| digits && sentence.joined(to - 1) && next.is_word())
    {
        match Unit::parse(&next.lower) {
            _ if matches!(next.lower.as_str(), "st" | "nd" | "rd" | "th") => to += 1,
            Some(_) => {}
            None if next.lower.len() > 2 || matches!(next.lower.as_str(), "am" | "pm") => return None,
            None => to += 1,
        }
    }
    if let Some((found, after)) = unit_at(sentence, to) {
        unit = unit.or(Some(found));
        // The name of a currency is also a value by itself.
        if found.measure != Measure::Money {
            to = after;
        }
        year &= found.measure == Measure::Share;
    }
    Some(Found { from, to, value: FoundValue::Number(Number { value, unit, year, spelled: !digits }) })
}

/// Finds periods: `the next week` is one week, in addition to the date that it may be.
fn periods(sentence: &Sentence<'_>) -> Vec<Found> {
    let period = |index: usize| {
        let named =
            matches!(sentence.lower(index), "next" | "past" | "last" | "coming" | "upcoming" | "following");
        let unit =
            Unit::parse(sentence.lower(index + 1)).filter(|unit| named && unit.measure == Measure::Time)?;
        let number = Number { value: 1.0, unit: Some(unit), year: false, spelled: true };
        Some(Found { from: index, to: index + 2, value: FoundValue::Number(number) })
    };
    (0..sentence.tokens.len()).filter_map(period).collect()
}

/// Returns whether a number has a minus sign. A hyphen between two words or numbers is not one.
fn is_negative(sentence: &Sentence<'_>, number: usize) -> bool {
    let Some(at) = number.checked_sub(1) else { return false };
    let minus = matches!(sentence.tokens[at].text, "-" | "−") && sentence.joined(at);
    minus && (at == 0 || !sentence.joined(at - 1) || matches!(sentence.tokens[at - 1].text, "(" | "[" | ","))
}

fn unit_at(sentence: &Sentence<'_>, at: usize) -> Option<(Unit, usize)> {
    let token = sentence.token(at)?;
    if matches!(token.lower.as_str(), "square" | "sq" | "cubic") {
        // An area is not a length, but the number itself remains valid.
        return None;
    }
    let unit = Unit::parse(token.text)?;
    // A unit is rejected before `/` or `^`: `5 m` is a length, `5 m/s` is not.
    let compound =
        sentence.token(at + 1).is_some_and(|next| matches!(next.text, "/" | "^") && sentence.joined(at));
    (!compound).then_some((unit, at + 1))
}

/// Parses a number in words: `twenty-five`, `three hundred`, `a dozen`.
fn words(sentence: &Sentence<'_>, index: usize) -> Option<(f64, usize)> {
    let position = |list: &[&str], word: &str| list.iter().position(|known| *known == word);
    let small = |word: &str| -> Option<f64> {
        let (tens, ones) = word.split_once('-').unwrap_or((word, ""));
        if ones.is_empty() {
            let tens = position(&TENS, tens).map(|tens| (tens as f64 + 2.0) * 10.0);
            return tens.or_else(|| position(&ONES, word).map(|ones| ones as f64));
        }
        let tens = position(&TENS, tens)? as f64;
        Some((tens + 2.0) * 10.0 + position(&ONES, ones)? as f64)
    };
    let word = sentence.lower(index);
    let factor = |at: usize| {
        MULTIPLIERS.iter().find(|(word, _)| *word == sentence.lower(at)).map(|(_, factor)| *factor)
    };
    if matches!(word, "a" | "an") {
        return factor(index + 1).map(|factor| (factor, index + 2));
    }
    if matches!(word, "decade" | "decades") {
        return Some((10.0, index + 1));
    }
    let mut value = small(word)?;
    let mut to = index + 1;
    if value >= 20.0
        && let Some(ones) = small(sentence.lower(to)).filter(|ones| (1.0..10.0).contains(ones))
    {
        value += ones;
        to += 1;
    }
    while let Some(factor) = factor(to) {
        value *= factor;
        to += 1;
    }
    Some((value, to))
}

/// Finds lists of numbers, separated by commas or `and`.
fn rows(sentence: &Sentence<'_>, found: &[Found]) -> Vec<Found> {
    let mut rows = Vec::new();
    let mut start = 0;
    while start < found.len() {
        let mut end = start + 1;
        while end < found.len() && follows(sentence, found[end - 1].to, found[end].from) {
            end += 1;
        }
        let numbers: Vec<f64> =
            found[start..end].iter().filter_map(|found| found.number()).map(|number| number.value).collect();
        if numbers.len() > 1 {
            let (from, to) = (found[start].from, found[end - 1].to);
            rows.push(Found { from, to, value: FoundValue::Numbers(numbers) });
        }
        start = end;
    }
    rows
}

/// Returns whether there are only separators between two positions.
pub(super) fn follows(sentence: &Sentence<'_>, from: usize, to: usize) -> bool {
    from < to && to - from <= 2 && (from..to).all(|at| matches!(sentence.lower(at), "," | "and" | "&" | "or"))
}

impl Found {
    pub(super) fn number(&self) -> Option<Number> {
        match self.value {
            FoundValue::Number(number) => Some(number),
            _ => None,
        }
    }
}
