//! Whether a ranking has one answer, several, or none.

use crate::index::Ranked;

/// Share of a sentence that a tool has to explain before it is proposed.
const MIN_COVERAGE: f64 = 0.2;
/// Lead over the next tool that makes a choice clear.
const MIN_MARGIN: f64 = 0.1;
/// Most tools between which a person is asked to choose.
const MAX_CHOICES: usize = 5;
/// Share of the best score that a tool needs to be among the choices.
const MIN_SHARE: f64 = 0.6;

/// What a ranking says about which tool is meant; tools by their position in the index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// No tool explains enough of the sentence.
    Nothing,
    /// One tool is clearly ahead.
    Clear(usize),
    /// These tools are close together, best first; a person chooses.
    Several(Vec<usize>),
}

/// Decides what to propose for a ranking.
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
