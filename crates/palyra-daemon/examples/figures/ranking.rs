//! Measures ranking many tools for a sentence.

use std::time::Instant;

use palyra_router::{ToolIndex, ToolText, rank};
use serde_json::json;

use crate::median;

const VERBS: [&str; 10] =
    ["find", "send", "convert", "count", "list", "translate", "plan", "order", "draw", "check"];
const THINGS: [&str; 20] = [
    "flight", "letter", "currency", "word", "task", "sentence", "route", "pizza", "chart", "weather",
    "invoice", "meeting", "song", "photo", "recipe", "train", "hotel", "stock", "ticket", "lesson",
];
const SENTENCE: &str = "please count the words of the letter about the train to the hotel for a person";

/// Returns the median time of ranking one sentence, in milliseconds.
pub(crate) fn median_ms(tools: usize, rounds: usize) -> f64 {
    let schema = json!({"properties": {"text": {"type": "string", "description": "What it is about."},
        "count": {"type": "integer", "description": "How many results to return."}}});
    let described: Vec<(String, String)> = (0..tools)
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
    let time = |_| {
        let began = Instant::now();
        assert!(!rank(&index, SENTENCE).is_empty(), "a tool matches");
        began.elapsed().as_secs_f64() * 1e3
    };
    median((0..rounds).map(time).collect())
}
