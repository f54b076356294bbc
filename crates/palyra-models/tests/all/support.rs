//! Helpers to send requests and to compare answers.

use futures::StreamExt;
use palyra_common::JsonText;
use palyra_models::{
    Message, ModelAnswer, ModelError, ModelEvent, ModelProvider, ModelRequest, StopReason, ToolCall,
    ToolSpec, Usage,
};

/// A request with one tool.
pub(crate) fn request(text: &str) -> ModelRequest {
    let input_schema =
        JsonText::parse(r#"{"type":"object","properties":{"text":{"type":"string"}}}"#).unwrap();
    let tool = ToolSpec { name: "text__count".into(), description: "Count words".into(), input_schema };
    ModelRequest {
        model: "small".into(),
        system: "Be brief.".into(),
        messages: vec![Message::user(text)],
        tools: vec![tool],
        ..ModelRequest::default()
    }
}

/// Collects all items of a stream.
pub(crate) async fn ask(
    provider: &impl ModelProvider,
    request: ModelRequest,
) -> Vec<Result<ModelEvent, ModelError>> {
    provider.stream(request).collect().await
}

/// Collects the complete response.
pub(crate) async fn answer(
    provider: &impl ModelProvider,
    request: ModelRequest,
) -> Result<ModelAnswer, ModelError> {
    let mut answer = ModelAnswer::default();
    for event in ask(provider, request).await {
        answer.apply(event?);
    }
    Ok(answer)
}

pub(crate) fn call(id: &str, arguments: &str) -> ToolCall {
    ToolCall { id: id.into(), name: "text__count".into(), arguments: arguments.into() }
}

/// An answer with every kind of content.
pub(crate) fn rich_answer() -> Vec<ModelEvent> {
    vec![
        ModelEvent::Reasoning("Zählen wir.".into()),
        ModelEvent::Text("I count 😀 \"words\"\n".into()),
        ModelEvent::ToolCall(call("c1", r#"{"text":"to be\nor not"}"#)),
        ModelEvent::ToolCall(call("c2", r#"{"text":""}"#)),
        ModelEvent::Usage(Usage { input_tokens: 11, output_tokens: 22, ..Usage::default() }),
        ModelEvent::Finished(StopReason::ToolCalls),
    ]
}

pub(crate) fn text_answer(text: &str) -> Vec<ModelEvent> {
    vec![ModelEvent::Text(text.into()), ModelEvent::Finished(StopReason::EndTurn)]
}

/// Applies the events to an answer.
pub(crate) fn collected(events: impl IntoIterator<Item = ModelEvent>) -> ModelAnswer {
    let mut answer = ModelAnswer::default();
    events.into_iter().for_each(|event| answer.apply(event));
    answer
}
