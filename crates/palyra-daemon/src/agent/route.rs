//! Selects tools with the local router: which to propose for a message, and which to offer to a model.

use std::sync::Arc;

use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};
use palyra_agent::{Candidate, Routed, RunState, SMALL_MODEL_TOOLS, ToolCard};
use palyra_router::{Decision, Prefilled, Ranked, ToolIndex, ToolText, decide, fit, rank};
use parking_lot::Mutex;
use serde_json::Value;

/// Maximum number of tools that are offered to a model without selecting the best matches.
const MOST_SHOWN: usize = 20;
/// Number of tools to offer if they are selected.
const SELECTED: usize = 10;
/// Maximum number of results of one search.
const FOUND: usize = 10;

/// Routes a message; for a small model the candidates are always the first matches, never a clear choice.
pub(super) fn route(
    index: &ToolIndex,
    cards: &[ToolCard],
    text: &str,
    now_ms: u64,
    for_small_model: bool,
) -> Routed {
    let now = Timestamp::from_millisecond(i64::try_from(now_ms).unwrap_or_default()).unwrap_or_default();
    let now = Zoned::new(now, TimeZone::system());
    let schema = |tool: usize| cards.get(tool).map_or(&Value::Null, |card| &card.input_schema);
    let fitted = fit(rank(index, text), text, &now, schema);
    let ranked: Vec<Ranked> = fitted.iter().map(|(ranked, _)| *ranked).collect();
    let first = || ranked.iter().take(SMALL_MODEL_TOOLS).map(|one| one.tool).collect();
    let (chosen, clear) = match decide(&ranked) {
        Decision::Nothing => (Vec::new(), false),
        Decision::Clear(_) | Decision::Several(_) if for_small_model => (first(), false),
        Decision::Clear(tool) => (vec![tool], true),
        Decision::Several(tools) => (tools, false),
    };
    let is_chosen = |(ranked, _): &(Ranked, Prefilled)| chosen.contains(&ranked.tool);
    let candidates = fitted.into_iter().filter(is_chosen).filter_map(|(ranked, filled)| {
        let tool_id = cards.get(ranked.tool)?.tool_id.clone();
        Some(Candidate { tool_id, arguments: filled.arguments })
    });
    Routed { candidates: candidates.collect(), clear }
}

/// Returns the ids of tools that match a query, best first.
pub(super) fn search(index: &ToolIndex, cards: &[ToolCard], query: &str) -> Vec<String> {
    let ranked = rank(index, query);
    ranked.iter().filter_map(|one| cards.get(one.tool)).take(FOUND).map(|card| card.tool_id.clone()).collect()
}

/// Returns the tools to offer to a model, and whether there are others to search for.
pub(super) fn select<'c>(
    index: impl FnOnce() -> Arc<ToolIndex>,
    cards: &'c [ToolCard],
    run: &RunState,
) -> (Vec<&'c ToolCard>, bool) {
    if cards.len() <= MOST_SHOWN {
        return (cards.iter().collect(), false);
    }
    let ranked = rank(&index(), &run.text);
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

/// The index of the tools that were ranked last. Building one takes longer than ranking with it, and most sessions use
/// the same tools.
#[derive(Default)]
pub(super) struct IndexCache(Mutex<Option<Indexed>>);

struct Indexed {
    /// The generation of the view that the tools come from.
    generation: u64,
    tools: Vec<String>,
    index: Arc<ToolIndex>,
}

impl IndexCache {
    /// Returns the index of `cards`, which come from a view of at least this generation.
    pub(super) fn get(&self, generation: u64, cards: &[ToolCard]) -> Arc<ToolIndex> {
        let ids = || cards.iter().map(|card| &card.tool_id);
        let known = |indexed: &&Indexed| indexed.generation == generation && indexed.tools.iter().eq(ids());
        if let Some(indexed) = self.0.lock().as_ref().filter(known) {
            return Arc::clone(&indexed.index);
        }
        let index = Arc::new(index(cards));
        let tools = ids().cloned().collect();
        *self.0.lock() = Some(Indexed { generation, tools, index: Arc::clone(&index) });
        index
    }
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
