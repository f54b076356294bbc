//! Two short requests that show what a model can do.

use std::time::{Duration, Instant};

use futures::StreamExt;
use palyra_api::models::ModelTest;
use palyra_common::JsonText;
use palyra_models::{
    Message, ModelAnswer, ModelError, ModelEvent, ModelProvider, ModelRequest, ToolChoice, ToolSpec, Usage,
};
use palyra_state::models::ModelRecord;

use crate::to_api::ToApi;

/// Maximum number of output tokens, enough for the expected answers at negligible cost.
const MAX_OUTPUT_TOKENS: u32 = 512;
const TOOL: &str = "report_ready";
const TOOL_SCHEMA: &str = r#"{"type":"object","properties":{"word":{"type":"string"}},"required":["word"]}"#;

/// Result of one test request.
#[derive(Default)]
struct Asked {
    first_piece: Option<Duration>,
    total: Duration,
    pieces: usize,
    answer: ModelAnswer,
    error: Option<ModelError>,
}

/// Tests a model with a request for text, then with one for a tool call.
pub(crate) async fn probe(provider: &impl ModelProvider, record: &ModelRecord) -> ModelTest {
    let text = ask(provider, request(record, "Count from 1 to 10, separated by spaces.")).await;
    let mut tool = Asked::default();
    if text.error.is_none() {
        let mut with_tool = request(record, "Call the tool report_ready with the word \"ready\".");
        with_tool.tools = tool_spec().into_iter().collect();
        with_tool.tool_choice = ToolChoice::Required;
        tool = ask(provider, with_tool).await;
    }
    let used = [text.answer.usage, tool.answer.usage].into_iter().flatten().reduce(Usage::plus);
    let answers = text.error.is_none();
    ModelTest {
        name: record.name.clone(),
        answers,
        first_piece_ms: text.first_piece.map(milliseconds),
        total_ms: answers.then(|| milliseconds(text.total)),
        streams: text.pieces > 1,
        calls_tools: tool.answer.tool_calls.iter().any(|call| call.name == TOOL),
        cost: used.and_then(|used| record.cost(used)),
        usage: used.to_api(),
        failure: text.error.to_api(),
        tool_failure: tool.error.to_api(),
    }
}

async fn ask(provider: &impl ModelProvider, request: ModelRequest) -> Asked {
    let started = Instant::now();
    let mut asked = Asked::default();
    let mut events = provider.stream(request);
    while let Some(event) = events.next().await {
        match event {
            Ok(event) => {
                if matches!(event, ModelEvent::Text(_) | ModelEvent::Reasoning(_) | ModelEvent::ToolCall(_)) {
                    asked.first_piece.get_or_insert_with(|| started.elapsed());
                    asked.pieces += 1;
                }
                asked.answer.apply(event);
            }
            Err(error) => asked.error = Some(error),
        }
    }
    asked.total = started.elapsed();
    asked
}

fn request(record: &ModelRecord, text: &str) -> ModelRequest {
    ModelRequest {
        model: record.model.clone(),
        messages: vec![Message::user(text)],
        max_output_tokens: Some(
            record.max_output_tokens.map_or(MAX_OUTPUT_TOKENS, |most| most.min(MAX_OUTPUT_TOKENS)),
        ),
        ..ModelRequest::default()
    }
}

fn tool_spec() -> Option<ToolSpec> {
    Some(ToolSpec {
        name: TOOL.to_owned(),
        description: "Report that you are ready".to_owned(),
        input_schema: JsonText::parse(TOOL_SCHEMA).ok()?,
    })
}

fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
