//! Answers over all three protocols.

use crate::support::{answer, call, collected, request, rich_answer, text_answer};
use palyra_egress::Redactor;
use palyra_models::testing::{ProviderServer, ServerReply, stream_of};
use palyra_models::{AnswerReader, ModelError, ModelEvent, ModelProvider, Protocol, StopReason, ToolChoice};
use proptest::prelude::*;

/// Returns the events and the result of reading these bytes in parts of the given size.
fn read(protocol: Protocol, bytes: &[u8], size: usize) -> (Vec<ModelEvent>, Result<(), ModelError>) {
    let mut reader = AnswerReader::new(protocol, &request("x"), Redactor::default());
    let mut events = Vec::new();
    for piece in bytes.chunks(size) {
        if let Err(error) = reader.push(piece, &mut events) {
            return (events, Err(error));
        }
    }
    let end = reader.finish(&mut events);
    (events, end)
}

#[tokio::test]
async fn answer_arrives_over_the_wire_on_every_protocol() {
    for protocol in Protocol::ALL {
        let server = ProviderServer::start([ServerReply::Events(rich_answer(), 7)]).await.unwrap();
        let got = answer(&server.provider(protocol, None), request("count")).await.unwrap();
        let expected = collected(rich_answer());
        assert_eq!(got.text, expected.text, "{protocol}");
        assert_eq!(got.reasoning, expected.reasoning, "{protocol}");
        assert_eq!(got.tool_calls, expected.tool_calls, "{protocol}");
        assert_eq!((got.usage, got.stop), (expected.usage, expected.stop), "{protocol}");
    }
}

#[test]
fn stream_reads_the_same_however_it_is_cut() {
    for protocol in Protocol::ALL {
        let text = stream_of(protocol, &rich_answer());
        let (whole, end) = read(protocol, text.as_bytes(), usize::MAX);
        assert_eq!(end, Ok(()));
        for size in 1..text.len() {
            assert_eq!(read(protocol, text.as_bytes(), size), (whole.clone(), Ok(())), "{protocol} {size}");
        }
    }
}

#[test]
fn stream_cut_off_at_any_byte_is_truncated_or_complete() {
    for protocol in Protocol::ALL {
        let text = stream_of(protocol, &rich_answer());
        for length in 0..text.len() {
            let (events, end) = read(protocol, &text.as_bytes()[..length], 64);
            let is_finished = matches!(events.last(), Some(ModelEvent::Finished(_)));
            match end {
                Ok(()) => assert!(is_finished, "{protocol} {length}"),
                Err(ModelError::Truncated | ModelError::MalformedFrame { .. }) => {
                    assert!(!is_finished, "{protocol} {length}");
                }
                Err(error) => panic!("{protocol} {length}: {error}"),
            }
        }
    }
}

#[tokio::test]
async fn stop_reasons_of_every_protocol_are_known() {
    for protocol in Protocol::ALL {
        for reason in [StopReason::EndTurn, StopReason::MaxOutputTokens, StopReason::Refusal] {
            let events = [ModelEvent::Text("a".into()), ModelEvent::Finished(reason.clone())];
            let server = ProviderServer::start([ServerReply::events(events)]).await.unwrap();
            let got = answer(&server.provider(protocol, None), request("x")).await.unwrap();
            assert_eq!(got.stop, Some(reason), "{protocol}");
        }
    }
}

#[tokio::test]
async fn call_that_comes_as_fenced_text_is_a_call_on_every_protocol() {
    let text = "```json\n{\"name\": \"text__count\", \"arguments\": {\"text\": \"a b\"}}\n```";
    for protocol in Protocol::ALL {
        for size in [1, 5, usize::MAX] {
            let server = ProviderServer::start([ServerReply::Events(text_answer(text), size)]).await.unwrap();
            let got = answer(&server.provider(protocol, None), request("x")).await.unwrap();
            assert_eq!(got.tool_calls, [call("call_1", "{\"text\":\"a b\"}")], "{protocol}");
            assert_eq!((got.text.as_str(), got.stop), ("", Some(StopReason::ToolCalls)));
            let mut without = request("x");
            without.tool_choice = ToolChoice::None;
            let got = answer(&server.provider(protocol, None), without).await.unwrap();
            assert_eq!((got.text.as_str(), got.tool_calls.len()), (text, 0), "{protocol}");
        }
    }
}

#[tokio::test]
async fn answer_that_does_not_stream_is_read_whole() {
    let bodies = [
        r#"{"choices":[{"message":{"role":"assistant","content":"hi","tool_calls":[{"id":"c","type":"function","function":{"name":"text__count","arguments":"{}"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":1,"completion_tokens":2}}"#,
        r#"{"status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"hi"}]},{"type":"function_call","call_id":"c","name":"text__count","arguments":"{}"}],"usage":{"input_tokens":1,"output_tokens":2}}"#,
        r#"{"type":"message","content":[{"type":"text","text":"hi"},{"type":"tool_use","id":"c","name":"text__count","input":{}}],"stop_reason":"tool_use","usage":{"input_tokens":1,"output_tokens":2}}"#,
    ];
    for (protocol, body) in Protocol::ALL.into_iter().zip(bodies) {
        let headers = vec![("content-type".to_owned(), "application/json; charset=utf-8".to_owned())];
        let reply = ServerReply::Status(200, headers, body.to_owned());
        let server = ProviderServer::start([reply]).await.unwrap();
        let got = answer(&server.provider(protocol, None), request("x")).await.unwrap();
        assert_eq!((got.text.as_str(), got.tool_calls), ("hi", vec![call("c", "{}")]), "{protocol}");
        assert_eq!(got.usage.unwrap().output_tokens, 2);
    }
}

#[tokio::test]
async fn dropped_stream_closes_its_connection() {
    let server = ProviderServer::start([ServerReply::Stalled(rich_answer()[..2].to_vec())]).await.unwrap();
    let provider = server.provider(Protocol::ChatCompletions, None);
    let mut stream = provider.stream(request("x"));
    assert!(matches!(futures::StreamExt::next(&mut stream).await, Some(Ok(ModelEvent::Reasoning(_)))));
    drop(stream);
    server.until_closed().await;
}

proptest! {
    /// No bytes make a reader panic, yield anything behind the end, or depend on how they are cut.
    #[test]
    fn hostile_stream_reads_the_same_however_it_is_cut(
        lines in prop::collection::vec(prop_oneof![
            "[ -~\n]{0,40}",
            prop::sample::select(fragments()),
        ], 0..12),
        size in 1usize..50,
        which in 0usize..3,
    ) {
        let text: String = lines.iter().map(|line| format!("data: {line}\n\n")).collect();
        let protocol = Protocol::ALL[which];
        let (whole, end) = read(protocol, text.as_bytes(), usize::MAX);
        let finished = whole.iter().position(|event| matches!(event, ModelEvent::Finished(_)));
        prop_assert!(finished.is_none_or(|at| at + 1 == whole.len() && end.is_ok()));
        prop_assert_eq!(read(protocol, text.as_bytes(), size), (whole, end));
    }
}

/// Frames that mean something to one of the protocols, whole and cut.
fn fragments() -> Vec<String> {
    let frames = Protocol::ALL.iter().flat_map(|protocol| {
        let text = stream_of(*protocol, &rich_answer());
        let lines = text.lines().filter_map(|line| line.strip_prefix("data: ").map(str::to_owned));
        lines.collect::<Vec<_>>()
    });
    let frames: Vec<String> = frames.collect();
    let cut = frames.iter().map(|frame| frame.chars().take(frame.len() / 2).collect());
    cut.collect::<Vec<String>>().into_iter().chain(frames.clone()).collect()
}
