//! Ranking of tools for a sentence.

use palyra_router::{Decision, ToolIndex, ToolText, decide, rank};
use serde_json::{Value, json};

pub(crate) struct Tool {
    pub(crate) id: &'static str,
    pub(crate) name: &'static str,
    pub(crate) description: &'static str,
    pub(crate) schema: Value,
}

pub(crate) fn index(tools: &[Tool]) -> ToolIndex {
    ToolIndex::new(tools.iter().map(|tool| ToolText {
        id: tool.id,
        name: tool.name,
        description: tool.description,
        input_schema: &tool.schema,
        examples: &[],
    }))
}

fn tools() -> Vec<Tool> {
    let text = json!({"type": "object", "required": ["text"],
        "properties": {"text": {"type": "string", "description": "The text."}}});
    vec![
        Tool {
            id: "palyra.counter_wat.add",
            name: "Add",
            schema: json!({"properties": {"step": {"type": "integer"}}}),
            description: "Adds a step to the counter and returns its value",
        },
        Tool {
            id: "palyra.notes_js.add",
            name: "Add a note",
            schema: text.clone(),
            description: "Keeps a note and returns its id and how many there are",
        },
        Tool {
            id: "palyra.wordcount_c.count",
            name: "Count words",
            schema: text,
            description: "Counts the words and bytes of a text, and the words of all texts so far",
        },
    ]
}

#[test]
fn sentence_is_matched_to_its_tool() {
    let tools = tools();
    let index = index(&tools);
    for (sentence, id) in [
        ("how many words are in 'to be or not to be'", "palyra.wordcount_c.count"),
        ("make a note: buy milk", "palyra.notes_js.add"),
        ("add 5 to the counter", "palyra.counter_wat.add"),
    ] {
        let ranked = rank(&index, sentence);
        assert_eq!(tools[ranked[0].tool].id, id, "{sentence}: {ranked:?}");
        assert_eq!(decide(&ranked), Decision::Clear(ranked[0].tool), "{sentence}: {ranked:?}");
    }
    assert_eq!(decide(&rank(&index, "what is the capital of Brazil?")), Decision::Nothing);
    assert_eq!(decide(&rank(&index, "")), Decision::Nothing);
}

#[test]
fn equal_tools_are_a_choice_in_the_order_of_the_index() {
    let mut twice = tools();
    twice.extend(tools());
    let ranked = rank(&index(&twice), "count words");
    assert_eq!(decide(&ranked), Decision::Several(vec![2, 5]));
    assert_eq!(ranked[0].margin, 0.0);
}
