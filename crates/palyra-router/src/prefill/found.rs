//! Finds possible values in a sentence.

use jiff::Zoned;
use jiff::civil::{Date, Time};
use serde_json::Value;

use super::sentence::Sentence;
use super::units::Unit;
use super::{currencies, dates, literals, marks, names, numbers};

/// Maximum number of candidates. A sentence with more is not a request.
const MAX_FOUND: usize = 256;

/// A possible value with the tokens it was parsed from.
#[derive(Debug, Clone)]
pub(super) struct Found {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) value: FoundValue,
}

#[derive(Debug, Clone)]
pub(super) enum FoundValue {
    Number(Number),
    Moment {
        date: Option<Date>,
        time: Option<Time>,
        text: String,
    },
    Email(String),
    Url(String),
    Path(String),
    Quoted(String),
    /// Words that begin with a capital letter.
    Name(String),
    /// Consecutive words that are neither names nor common words.
    Phrase(String),
    /// A currency by its code.
    Currency(&'static str),
    /// Numbers in a row.
    Numbers(Vec<f64>),
    /// Texts in a row.
    Texts(Vec<String>),
    /// A list or an object, written out.
    Literal(Value),
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Number {
    pub(super) value: f64,
    pub(super) unit: Option<Unit>,
    /// Whether the number may be a year.
    pub(super) year: bool,
    /// Whether the number is written as a word.
    pub(super) spelled: bool,
}

/// Finds possible values in a sentence, sorted by position.
pub(super) fn find(sentence: &Sentence<'_>, now: &Zoned) -> Vec<Found> {
    let mut found = marks::find(sentence);
    let mut taken = Taken(vec![false; sentence.tokens.len()]);
    taken.add(&found);
    let literals = literals::find(sentence, &taken);
    let dates = dates::find(sentence, &taken, now);
    taken.add(&dates);
    // The numbers of a list are also values by themselves.
    found.extend(numbers::find(sentence, &taken));
    taken.add(&literals);
    let quoted: Vec<Found> = found.iter().filter(|found| found.text().is_some()).cloned().collect();
    found.extend(names::find(sentence, &taken, &quoted));
    found.extend(literals);
    found.extend(dates);
    found.extend(currencies::find(sentence));
    found.sort_by_key(|found| (found.from, found.to));
    found.truncate(MAX_FOUND);
    found
}

/// The tokens that already belong to a value.
pub(super) struct Taken(Vec<bool>);

impl Taken {
    pub(super) fn has(&self, token: usize) -> bool {
        self.0.get(token).copied().unwrap_or(false)
    }

    fn add(&mut self, found: &[Found]) {
        for found in found {
            if let Some(tokens) = self.0.get_mut(found.from..found.to) {
                tokens.fill(true);
            }
        }
    }
}

impl Found {
    /// Returns whether the value is recognised by its spelling alone: quoted text, addresses and paths.
    pub(super) fn is_verbatim(&self) -> bool {
        matches!(
            self.value,
            FoundValue::Quoted(_)
                | FoundValue::Email(_)
                | FoundValue::Url(_)
                | FoundValue::Path(_)
                | FoundValue::Literal(_)
        )
    }

    /// Returns whether both use the same tokens; an amount of money is a number and a currency.
    pub(super) fn overlaps(&self, other: &Self) -> bool {
        let currency = |found: &Self| matches!(found.value, FoundValue::Currency(_));
        let money = |found: &Self| found.number().is_some();
        if (currency(self) && money(other)) || (currency(other) && money(self)) {
            return false;
        }
        self.from < other.to && other.from < self.to
    }
}
