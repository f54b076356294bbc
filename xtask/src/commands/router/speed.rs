//! How long it takes to rank 10,000 tools.

use std::time::Instant;

use palyra_router::{ToolIndex, ToolText, rank};
use serde_json::json;

use crate::output;

const TOOLS: usize = 10_000;
const ROUNDS: usize = 200;
const VERBS: [&str; 10] =
    ["find", "send", "convert", "count", "list", "translate", "plan", "order", "draw", "check"];
const THINGS: [&str; 20] = [
    "flight", "letter", "currency", "word", "task", "sentence", "route", "pizza", "chart", "weather",
    "invoice", "meeting", "song", "photo", "recipe", "train", "hotel", "stock", "ticket", "lesson",
];

/// Prints the median and the slowest ranking of one sentence.
pub(super) fn report() {
    let schema = json!({"properties": {"text": {"type": "string", "description": "What it is about."},
        "count": {"type": "integer", "description": "How many results to return."}}});
    let described: Vec<(String, String)> = (0..TOOLS)
        .map(|n| {
            let (verb, thing) = (VERBS[n % VERBS.len()], THINGS[n / VERBS.len() % THINGS.len()]);
            (
                format!("acme.skill_{n}.{verb}_{thing}"),
                format!("Lets a person {verb} a {thing} of series {n} for a day"),
            )
        })
        .collect();
    let index = ToolIndex::new(described.iter().map(|(id, description)| ToolText {
        id,
        name: "",
        description,
        input_schema: &schema,
        examples: &[],
    }));
    let mut times: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            let began = Instant::now();
            let ranked = rank(
                &index,
                "please count the words of the letter about the train to the hotel for a person",
            );
            assert!(!ranked.is_empty(), "a tool matches");
            began.elapsed().as_secs_f64() * 1_000.0
        })
        .collect();
    times.sort_by(f64::total_cmp);
    let build = if cfg!(debug_assertions) { "unoptimised" } else { "release" };
    output::line(&format!(
        "ranking {TOOLS} tools: median {:.2} ms, slowest {:.2} ms of {ROUNDS} ({build} build; goal 5 ms in a release build)",
        times[ROUNDS / 2],
        times[ROUNDS - 1],
    ));
}
