//! The scripted provider keeps the contract of a stream.

use futures::executor::block_on;
use futures::{FutureExt, StreamExt};
use palyra_models::testing::{Script, ScriptedProvider};
use palyra_models::{
    Message, ModelAnswer, ModelError, ModelEvent, ModelProvider, ModelRequest, StopReason, ToolCall, Usage,
};

fn request(text: &str) -> ModelRequest {
    ModelRequest { model: "m".into(), messages: vec![Message::user(text)], ..ModelRequest::default() }
}

#[test]
fn scripts_answer_requests_in_order_and_requests_are_remembered() {
    let provider = ScriptedProvider::new([Script::text("one"), Script::text("two")]);
    for expected in ["one", "two"] {
        let events: Vec<_> = block_on(provider.stream(request(expected)).collect());
        let end = Ok(ModelEvent::Finished(StopReason::EndTurn));
        assert_eq!(events, [Ok(ModelEvent::Text(expected.into())), end]);
    }
    assert_eq!(provider.requests(), [request("one"), request("two")]);
    let events: Vec<_> = block_on(provider.stream(request("three")).collect());
    assert!(matches!(events[..], [Err(ModelError::InvalidRequest { .. })]));
}

#[test]
fn answer_without_finish_is_truncated_and_a_stall_yields_nothing_more() {
    let text = ModelEvent::Text("half".into());
    let provider =
        ScriptedProvider::new([Script::Events(vec![text.clone()]), Script::Stalls(vec![text.clone()])]);
    let events: Vec<_> = block_on(provider.stream(request("a")).collect());
    assert_eq!(events, [Ok(text.clone()), Err(ModelError::Truncated)]);
    let mut stalled = provider.stream(request("b"));
    assert_eq!(block_on(stalled.next()), Some(Ok(text)));
    assert_eq!(stalled.next().now_or_never(), None);
}

#[test]
fn answer_collects_events_into_a_message_that_reads_back() {
    let call = ToolCall { id: "c1".into(), name: "text__count".into(), arguments: "{\"a\":1}".into() };
    let usage = Usage { input_tokens: 3, output_tokens: 4, ..Usage::default() };
    let mut answer = ModelAnswer::default();
    for event in [
        ModelEvent::Text("a".into()),
        ModelEvent::Reasoning("r".into()),
        ModelEvent::Text("b".into()),
        ModelEvent::ToolCall(call.clone()),
        ModelEvent::Usage(Usage::default()),
        ModelEvent::Usage(usage),
        ModelEvent::Finished(StopReason::ToolCalls),
    ] {
        let json = serde_json::to_string(&event).unwrap();
        assert_eq!(serde_json::from_str::<ModelEvent>(&json).unwrap(), event);
        answer.apply(event);
    }
    assert_eq!((answer.usage, answer.stop.clone()), (Some(usage), Some(StopReason::ToolCalls)));
    let message = answer.into_message();
    let expected = Message::Assistant { text: "ab".into(), tool_calls: vec![call], provider_state: None };
    assert_eq!(message, expected);
    let json = serde_json::to_string(&message).unwrap();
    assert_eq!(serde_json::from_str::<Message>(&json).unwrap(), message);
}
