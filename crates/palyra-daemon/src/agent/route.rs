//! Selects tools with the local router: which to propose for a message, and which to offer to a model.

use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};
use palyra_agent::{Candidate, Routed, RunState, SMALL_MODEL_TOOLS, ToolCard};
use palyra_router::{Decision, ToolIndex, ToolText, decide, prefill, rank};

/// Maximum number of tools that are offered to a model without selecting the best matches.
const MOST_SHOWN: usize = 20;
/// Number of tools to offer if they are selected.
const SELECTED: usize = 10;
/// Maximum number of results of one search.
const FOUND: usize = 10;

/// What the router proposes for a message; for a small model always the first tools, if any fits.
pub(super) fn route(cards: &[ToolCard], text: &str, now_ms: u64, for_small_model: bool) -> Routed {
    let ranked = rank(&index(cards), text);
    let first = || ranked.iter().take(SMALL_MODEL_TOOLS).map(|one| one.tool).collect();
    let (chosen, clear) = match decide(&ranked) {
        Decision::Nothing => (Vec::new(), false),
        Decision::Clear(_) | Decision::Several(_) if for_small_model => (first(), false),
        Decision::Clear(tool) => (vec![tool], true),
        Decision::Several(tools) => (tools, false),
    };
    let now = Timestamp::from_millisecond(i64::try_from(now_ms).unwrap_or_default()).unwrap_or_default();
    let now = Zoned::new(now, TimeZone::system());
    let candidates = chosen.into_iter().filter_map(|tool| cards.get(tool)).map(|card| Candidate {
        tool_id: card.tool_id.clone(),
        arguments: prefill(&card.input_schema, text, &now).arguments,
    });
    Routed { candidates: candidates.collect(), clear }
}

/// The ids of the tools that match a query, best first.
pub(super) fn search(cards: &[ToolCard], query: &str) -> Vec<String> {
    let ranked = rank(&index(cards), query);
    ranked.iter().filter_map(|one| cards.get(one.tool)).take(FOUND).map(|card| card.tool_id.clone()).collect()
}

/// The tools a model is shown in a run, and whether there are others it can search for.
pub(super) fn select<'c>(cards: &'c [ToolCard], run: &RunState) -> (Vec<&'c ToolCard>, bool) {
    if cards.len() <= MOST_SHOWN {
        return (cards.iter().collect(), false);
    }
    let ranked = rank(&index(cards), &run.text);
    let selected: Vec<&str> = ranked
        .iter()
        .filter_map(|one| cards.get(one.tool))
        .take(SELECTED)
        .map(|card| card.tool_id.as_str())
        .collect();
    let shown = |card: &&ToolCard| {
        selected.contains(&card.tool_id.as_str()) || run.found_tools.contains(&card.tool_id)
    };
    (cards.iter().filter(shown).collect(), true)
}

fn index(cards: &[ToolCard]) -> ToolIndex {
    ToolIndex::new(cards.iter().map(|card| ToolText {
        id: &card.tool_id,
        name: &card.title,
        description: &card.description,
        input_schema: &card.input_schema,
        examples: &card.examples,
    }))
}
