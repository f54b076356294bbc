//! An inverted index of tools, and their BM25 scores for a sentence.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde_json::Value;

use crate::words::terms;

mod query;
mod schema_text;

/// Maximum number of tools that [`rank`] returns.
pub const MAX_RANKED: usize = 50;
/// Maximum number of terms taken from one field of a tool.
const MAX_FIELD_TERMS: usize = 2_000;
/// How quickly further occurrences of a term lose weight.
const SATURATION: f64 = 0.9;
/// How much the length of a tool's text reduces its score, from 0 to 1.
const LENGTH_PENALTY: f64 = 0.4;
/// Weight of a term that no tool has, against a match. Such a term is more often a value than a subject.
const UNKNOWN_SHARE: f64 = 0.3;

/// How much a score grows for a sentence that has every term of the tool's name.
const NAME_BONUS: f64 = 0.25;

/// The text of a tool, from its signed manifest.
#[derive(Debug, Clone, Copy)]
pub struct ToolText<'a> {
    /// The tool id, for example `acme.weather.forecast`.
    pub id: &'a str,
    /// The display name; may be empty.
    pub name: &'a str,
    /// A description in one sentence.
    pub description: &'a str,
    /// The JSON Schema of the input.
    pub input_schema: &'a Value,
    /// The example inputs of the manifest.
    pub examples: &'a [Value],
}

/// The search index over a set of tools.
#[derive(Debug, Default)]
pub struct ToolIndex {
    tools: usize,
    postings: HashMap<Box<str>, Term>,
}

#[derive(Debug, Default)]
struct Term {
    /// Weight of the term, which is larger for rarer terms.
    rarity: f64,
    /// The tools whose text contains the term, with its part of their score.
    tools: Vec<(u32, f64)>,
    /// The tools whose name has it, with its share of their name by rarity.
    named: Vec<(u32, f64)>,
}

/// A tool that matches a sentence.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ranked {
    /// The position of the tool in the order in which the index was built.
    pub tool: usize,
    /// Its BM25 score; comparable within one ranking only.
    pub score: f64,
    /// How far it is ahead of the next tool, as a share of its score: 0 for equal scores, 1 without a next tool.
    pub margin: f64,
    /// The share of the sentence that its text explains, by the rarity of terms, from 0 to 1.
    pub coverage: f64,
}

impl ToolIndex {
    /// Indexes tools; positions follow their order.
    pub fn new<'a>(tools: impl IntoIterator<Item = ToolText<'a>>) -> Self {
        let (mut weights, mut names) = (Vec::new(), Vec::new());
        for tool in tools {
            weights.push(weigh(&tool));
            names.push(name_terms(&tool));
        }
        let lengths: Vec<f64> = weights.iter().map(|terms| terms.values().sum()).collect();
        let mean = lengths.iter().sum::<f64>() / lengths.len().max(1) as f64;
        let mut postings: HashMap<Box<str>, Term> = HashMap::new();
        for ((tool, terms), length) in (0_u32..).zip(&weights).zip(&lengths) {
            let norm = SATURATION * (1.0 - LENGTH_PENALTY + LENGTH_PENALTY * length / mean.max(1.0));
            for (term, weight) in terms {
                let entry = postings.entry(term.as_str().into()).or_default();
                entry.tools.push((tool, weight * (SATURATION + 1.0) / (weight + norm)));
            }
        }
        for term in postings.values_mut() {
            term.rarity = rarity(term.tools.len(), weights.len());
        }
        add_names(&mut postings, &names);
        Self { tools: weights.len(), postings }
    }

    /// Returns how many tools it has.
    #[must_use]
    pub fn len(&self) -> usize {
        self.tools
    }

    /// Returns whether the index has no tools.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.tools == 0
    }
}

/// Returns the tools that match a sentence, best first; equal scores keep the order of the index.
#[must_use]
pub fn rank(index: &ToolIndex, text: &str) -> Vec<Ranked> {
    rank_among(index, text, |_| true)
}

/// Returns the tools that match a sentence among those that `offered` accepts by their position.
///
/// The rarity of terms follows from all tools of the index.
pub fn rank_among(index: &ToolIndex, text: &str, offered: impl Fn(usize) -> bool) -> Vec<Ranked> {
    let mut scores = vec![Score::default(); index.tools];
    let mut possible = 0.0;
    for (term, weight) in query::terms_of(text) {
        let Some(term) = index.postings.get(term.as_str()) else {
            possible += weight * UNKNOWN_SHARE * rarity(0, index.tools);
            continue;
        };
        possible += weight * term.rarity;
        for &(tool, share) in &term.tools {
            if let Some(score) = scores.get_mut(tool as usize) {
                score.text += weight * term.rarity * share;
                score.covered += weight * term.rarity;
            }
        }
        for &(tool, share) in &term.named {
            if let Some(score) = scores.get_mut(tool as usize) {
                score.named += weight * share;
            }
        }
    }
    let scored = scores.into_iter().enumerate().filter(|(tool, score)| score.text > 0.0 && offered(*tool));
    let mut ranked: Vec<Ranked> = scored
        .map(|(tool, Score { text, covered, named })| {
            let score = text * (1.0 + NAME_BONUS * named);
            Ranked { tool, score, margin: 1.0, coverage: covered / possible }
        })
        .collect();
    if ranked.len() > MAX_RANKED + 1 {
        ranked.select_nth_unstable_by(MAX_RANKED, best_first);
        ranked.truncate(MAX_RANKED + 1);
    }
    sort(&mut ranked);
    ranked.truncate(MAX_RANKED);
    ranked
}

/// The parts of the score of one tool for a sentence.
#[derive(Debug, Clone, Copy, Default)]
struct Score {
    /// The BM25 score of its text.
    text: f64,
    /// The rarity of the terms that it shares with the sentence.
    covered: f64,
    /// The share of its name that is in the sentence.
    named: f64,
}

fn best_first(a: &Ranked, b: &Ranked) -> Ordering {
    b.score.total_cmp(&a.score).then(a.tool.cmp(&b.tool))
}

/// Sorts tools by their scores and sets their margins.
pub(crate) fn sort(ranked: &mut [Ranked]) {
    ranked.sort_unstable_by(best_first);
    let next: Vec<f64> = ranked.iter().skip(1).map(|ranked| ranked.score).collect();
    for (ranked, next) in ranked.iter_mut().zip(next) {
        ranked.margin = (ranked.score - next) / ranked.score;
    }
}

/// Returns the weight of a term that occurs in `with` of `all` tools.
fn rarity(with: usize, all: usize) -> f64 {
    let (with, all) = (with as f64, all as f64);
    (1.0 + (all - with + 0.5) / (with + 0.5)).ln()
}

/// Returns the terms of a tool with their weights; those of its id and name weigh more than those of its arguments.
fn weigh(tool: &ToolText<'_>) -> BTreeMap<String, f64> {
    let words = schema_text::read(tool.input_schema, tool.examples);
    let mut weights = BTreeMap::new();
    let mut add = |text: &str, weight: f64| {
        for term in terms(text).take(MAX_FIELD_TERMS) {
            *weights.entry(term).or_default() += weight;
        }
    };
    add(own_id(tool), 3.0);
    add(tool.name, 2.0);
    add(tool.description, 2.0);
    add(&words.names, 1.0);
    add(&words.values, 0.5);
    add(&words.descriptions, 0.5);
    weights
}

/// Returns an id without its publisher, which would match every tool of that publisher.
fn own_id<'a>(tool: &ToolText<'a>) -> &'a str {
    tool.id.split_once('.').map_or(tool.id, |(_, rest)| rest)
}

fn name_terms(tool: &ToolText<'_>) -> BTreeSet<String> {
    terms(own_id(tool)).chain(terms(tool.name)).take(MAX_FIELD_TERMS).collect()
}

/// Adds to each term the tools whose names contain it, with its share of the rarity of the name.
fn add_names(postings: &mut HashMap<Box<str>, Term>, names: &[BTreeSet<String>]) {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for term in names.iter().flatten() {
        *counts.entry(term).or_default() += 1;
    }
    let rarity = |term: &String| rarity(counts.get(term.as_str()).copied().unwrap_or(0), names.len());
    for (tool, name) in (0_u32..).zip(names) {
        let whole: f64 = name.iter().map(rarity).sum();
        for term in name {
            if let Some(posting) = postings.get_mut(term.as_str()) {
                posting.named.push((tool, rarity(term) / whole));
            }
        }
    }
}
