//! Decides whether a ranking has one clear match, several or none.

use crate::index::Ranked;

/// Minimum share of a sentence that a tool must explain to be proposed.
const MIN_COVERAGE: f64 = 0.2;
/// Minimum lead over the next tool for a clear match.
const MIN_MARGIN: f64 = 0.1;
/// Maximum number of tools among which a person chooses.
const MAX_CHOICES: usize = 5;
/// Minimum share of the best score that a tool needs to be a choice.
const MIN_SHARE: f64 = 0.6;

/// The decision for a ranking. Tools are identified by their position in the index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// No tool explains enough of the sentence.
    Nothing,
    /// One tool has a clear lead.
    Clear(usize),
    /// These tools have similar scores, best first. A person chooses.
    Several(Vec<usize>),
}

/// Decides which tools to propose for a ranking.
#[must_use]
pub fn decide(ranked: &[Ranked]) -> Decision {
    let Some(best) = ranked.first().filter(|best| best.coverage >= MIN_COVERAGE) else {
        return Decision::Nothing;
    };
    if best.margin >= MIN_MARGIN {
        return Decision::Clear(best.tool);
    }
    let close = ranked.iter().take(MAX_CHOICES).filter(|other| other.score >= best.score * MIN_SHARE);
    Decision::Several(close.map(|other| other.tool).collect())
}
