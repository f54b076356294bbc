//! `#[tool]`, `plugin!`, the dispatcher and `describe`.

use palyra_plugins_sdk::prelude::*;
use palyra_plugins_sdk::serde_json::{Value, json};
use palyra_plugins_sdk::testing::{Harness, RunError};

palyra_plugins_sdk::plugin! { tools: [echo, half, nothing, unit, aliased, nested::twice] }

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct EchoInput {
    /// What to say.
    text: String,
    #[serde(default)]
    times: u8,
}

#[derive(Serialize, JsonSchema)]
struct EchoOutput {
    text: String,
}

#[tool(id = "acme.echo", description = "Says it back")]
fn echo(input: EchoInput) -> Result<EchoOutput, ToolError> {
    if input.text.is_empty() {
        return Err(
            ToolError::new("nothing_to_say", "the text is empty").with_details(json!({ "field": "text" }))
        );
    }
    Ok(EchoOutput { text: input.text.repeat(input.times.max(1).into()) })
}

#[tool(id = "acme.half", description = "Halves a number")]
fn half(input: f64) -> f64 {
    input / 2.0
}

#[tool(id = "acme.nothing", description = "Takes nothing, returns nothing")]
fn nothing() {}

#[tool(id = "acme.unit", description = "Takes the unit")]
fn unit(_: ()) -> &'static str {
    "done"
}

/// A plain error of the author's own.
struct Mine;

impl From<Mine> for ToolError {
    fn from(_: Mine) -> Self {
        Self::new("mine", "an error of its own")
    }
}

#[tool(id = "acme.aliased", description = "Fails with its own error type")]
fn aliased() -> palyra_plugins_sdk::Result<u8, Mine> {
    Err(Mine)
}

mod nested {
    use palyra_plugins_sdk::prelude::*;

    #[derive(Deserialize, JsonSchema)]
    pub(super) struct Number(i32);

    #[tool(id = "acme.nested.twice", description = "Doubles a number")]
    pub(super) fn twice(input: Number) -> Option<i32> {
        input.0.checked_mul(2)
    }
}

fn call(tool_id: &str, input: Value) -> Result<Value, RunError> {
    Harness::new(&PLUGIN).call(tool_id, &input)
}

fn failure(tool_id: &str, input_json: &str) -> ToolError {
    match Harness::new(&PLUGIN).call_text(tool_id, input_json) {
        Err(RunError::ToolFailed(error)) => error,
        other => panic!("{other:?}"),
    }
}

#[test]
fn every_shape_of_function() {
    assert_eq!(call("acme.echo", json!({ "text": "ab", "times": 2 })), Ok(json!({ "text": "abab" })));
    assert_eq!(call("acme.half", json!(3)), Ok(json!(1.5)));
    assert_eq!(call("acme.nothing", json!({})), Ok(Value::Null));
    assert_eq!(call("acme.unit", json!({})), Ok(json!("done")));
    assert_eq!(call("acme.nested.twice", json!(21)), Ok(json!(42)));
    assert_eq!(call("acme.nested.twice", json!(i32::MAX)), Ok(Value::Null));
    assert_eq!(
        echo(EchoInput { text: "still a function".into(), times: 1 }).unwrap().text,
        "still a function"
    );
}

#[test]
fn errors_of_the_tool() {
    let error = failure("acme.echo", r#"{"text":""}"#);
    assert_eq!((error.code.as_str(), error.details), ("nothing_to_say", Some(json!({ "field": "text" }))));
    assert_eq!(failure("acme.aliased", "{}").code, "mine");
}

#[test]
fn errors_of_the_dispatcher() {
    assert_eq!(failure("acme.ech", "{}").code, "unknown_tool");
    assert_eq!(failure("", "{}").code, "unknown_tool");
    for (tool_id, input) in [
        ("acme.echo", ""),
        ("acme.echo", "{"),
        ("acme.echo", "{}"),
        ("acme.echo", r#"{"text":1}"#),
        ("acme.echo", r#"{"text":"a"} x"#),
        ("acme.echo", r#"{"text":"a","more":1}"#),
        ("acme.nothing", "null"),
        ("acme.nothing", r#"{"a":1}"#),
        ("acme.unit", "1"),
    ] {
        assert_eq!(failure(tool_id, input).code, "invalid_input", "{tool_id} {input}");
    }
    let deep = "[".repeat(100_000);
    assert_eq!(failure("acme.echo", &deep).code, "invalid_input");
}

#[test]
fn described() {
    let described = Harness::new(&PLUGIN).describe().unwrap();
    assert_eq!(described["hooks"], json!([]));
    let tools = described["tools"].as_array().unwrap();
    let ids: Vec<&str> = tools.iter().map(|tool| tool["id"].as_str().unwrap()).collect();
    assert_eq!(
        ids,
        ["acme.echo", "acme.half", "acme.nothing", "acme.unit", "acme.aliased", "acme.nested.twice"]
    );
    assert_eq!(
        tools[0],
        json!({
            "id": "acme.echo",
            "description": "Says it back",
            "input_schema": {
                "type": "object",
                "properties": {
                    "text": { "type": "string", "description": "What to say." },
                    "times": { "type": "integer", "format": "uint8", "minimum": 0, "maximum": 255, "default": 0 },
                },
                "required": ["text"],
                "additionalProperties": false,
            },
            "output_schema": {
                "type": "object",
                "properties": { "text": { "type": "string" } },
                "required": ["text"],
            },
        })
    );
    assert_eq!(tools[2]["input_schema"], json!({ "type": "object", "additionalProperties": false }));
    assert_eq!(tools[2]["output_schema"], json!({ "type": "null" }));
}
