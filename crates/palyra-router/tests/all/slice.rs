//! Regression test over the sentences, tools and expected calls in `slice.json`.

use palyra_router::{ToolIndex, ToolText, prefill, rank};
use serde_json::Value;

/// Maximum number of sentences with another tool than expected.
const MAX_WRONG_TOOLS: usize = 1;

#[test]
fn slice_is_answered_as_expected() {
    let slice: Value = serde_json::from_str(include_str!("slice.json")).unwrap();
    let now = slice["now"].as_str().unwrap().parse().unwrap();
    let (tools, cases) = (slice["tools"].as_array().unwrap(), slice["cases"].as_array().unwrap());
    let index = ToolIndex::new(tools.iter().map(|tool| ToolText {
        id: tool["id"].as_str().unwrap(),
        name: tool["name"].as_str().unwrap(),
        description: tool["description"].as_str().unwrap(),
        input_schema: &tool["input_schema"],
        examples: &[],
    }));
    let (mut wrong_tools, mut wrong_arguments) = (Vec::new(), Vec::new());
    for case in cases {
        let sentence = case["sentence"].as_str().unwrap();
        let first = rank(&index, sentence).first().map(|ranked| &tools[ranked.tool]["id"]);
        if first != Some(&case["tool"]) {
            wrong_tools.push(format!("{sentence}: {first:?}"));
        }
        let tool = tools.iter().find(|tool| tool["id"] == case["tool"]).unwrap();
        let filled = prefill(&tool["input_schema"], sentence, &now).arguments;
        if Value::Object(filled.clone()) != case["arguments"] {
            wrong_arguments.push(format!("{sentence}: {}", Value::Object(filled)));
        }
    }
    assert!(wrong_tools.len() <= MAX_WRONG_TOOLS, "{wrong_tools:#?}");
    assert!(wrong_arguments.is_empty(), "{wrong_arguments:#?}");
}
