//! Providers that fail, stall or send contradictory data.

use crate::support::{answer, ask, call, request, rich_answer, text_answer};
use palyra_egress::testing::{RawEnd, RawReply, TestServer};
use palyra_egress::{EgressConfig, EgressGuard};
use palyra_models::testing::{ProviderServer, ServerReply};
use palyra_models::{
    Endpoint, HttpProvider, HttpProviderConfig, ModelError, ModelEvent, Protocol, RetryPolicy, StopReason,
    TimeoutPhase, Timeouts,
};
use serde_json::json;
use std::time::Duration;

fn status(status: u16, headers: &[(&str, &str)], body: &str) -> ServerReply {
    let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    ServerReply::Status(status, headers, body.to_owned())
}

/// The only item of a stream that fails before its first event.
async fn failure(protocol: Protocol, replies: Vec<ServerReply>) -> ModelError {
    let server = ProviderServer::start(replies).await.unwrap();
    let mut items = ask(&server.provider(protocol, None), request("x")).await;
    assert_eq!(items.len(), 1, "{items:?}");
    items.remove(0).unwrap_err()
}

#[tokio::test]
async fn rate_limit_and_server_errors_are_retried_until_they_pass() {
    for protocol in Protocol::ALL {
        let replies = [
            status(429, &[("retry-after", "0")], r#"{"error":{"message":"slow down"}}"#),
            status(503, &[], "overloaded"),
            ServerReply::events(text_answer("fine")),
        ];
        let server = ProviderServer::start(replies).await.unwrap();
        let got = answer(&server.provider(protocol, None), request("x")).await.unwrap();
        assert_eq!((got.text.as_str(), server.requests().len()), ("fine", 3), "{protocol}");
    }
}

#[tokio::test]
async fn retries_end_with_the_last_error() {
    for protocol in Protocol::ALL {
        let server = ProviderServer::start([status(500, &[], r#"{"error":"boom"}"#)]).await.unwrap();
        let items = ask(&server.provider(protocol, None), request("x")).await;
        let error = ModelError::ProviderFailed { status: Some(500), message: "boom".into() };
        assert_eq!(items, [Err(error)], "{protocol}");
        assert_eq!(server.requests().len(), 3);
    }
    let wait = failure(Protocol::Responses, vec![status(429, &[("retry-after", "3600")], "later")]).await;
    let expected =
        ModelError::RateLimited { retry_after: Some(Duration::from_secs(3600)), message: "later".into() };
    assert_eq!(wait, expected);
}

#[tokio::test]
async fn rejection_is_returned_at_once_with_provider_message() {
    for protocol in Protocol::ALL {
        let body = r#"{"type":"error","error":{"type":"not_found_error","message":"no model `small`"}}"#;
        let server = ProviderServer::start([status(404, &[], body)]).await.unwrap();
        let items = ask(&server.provider(protocol, None), request("x")).await;
        assert_eq!(items, [Err(ModelError::Refused { status: 404, message: "no model `small`".into() })]);
        assert_eq!(server.requests().len(), 1, "{protocol}");
    }
}

#[tokio::test]
async fn redirect_is_not_followed() {
    let reply = status(307, &[("location", "http://127.0.0.1:1/")], "");
    let error = failure(Protocol::ChatCompletions, vec![reply]).await;
    assert!(matches!(error, ModelError::Refused { status: 307, .. }), "{error:?}");
}

#[tokio::test]
async fn error_inside_the_stream_ends_it_with_the_events_before() {
    let frames = [
        r#"{"choices":[{"index":0,"delta":{"content":"half"}}]}"#.to_owned()
            + "\n\ndata: "
            + r#"{"error":{"message":"out of memory","code":500}}"#,
        r#"{"type":"response.output_text.delta","output_index":0,"delta":"half"}"#.to_owned()
            + "\n\ndata: "
            + r#"{"type":"response.failed","response":{"error":{"code":"server_error","message":"out of memory"}}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"half"}}"#.to_owned()
            + "\n\ndata: "
            + r#"{"type":"error","error":{"type":"overloaded_error","message":"out of memory"}}"#,
    ];
    for (protocol, frames) in Protocol::ALL.into_iter().zip(frames) {
        let server =
            ProviderServer::start([ServerReply::Stream(format!("data: {frames}\n\n"))]).await.unwrap();
        let items = ask(&server.provider(protocol, None), request("x")).await;
        let error = ModelError::ProviderFailed { status: None, message: "out of memory".into() };
        assert_eq!(items, [Ok(ModelEvent::Text("half".into())), Err(error)], "{protocol}");
        assert_eq!(server.requests().len(), 1, "an answer that began is not asked for again");
    }
}

#[tokio::test]
async fn stalled_provider_times_out_before_and_within_its_answer() {
    let short = Duration::from_millis(100);
    for protocol in Protocol::ALL {
        let server =
            ProviderServer::start([ServerReply::Stalled(rich_answer()[..2].to_vec())]).await.unwrap();
        let timeouts = Timeouts { idle: short, ..Timeouts::default() };
        let items = ask(&server.provider_with(protocol, None, timeouts), request("x")).await;
        assert_eq!(
            items.last(),
            Some(&Err(ModelError::TimedOut { phase: TimeoutPhase::Idle })),
            "{protocol}"
        );
        assert_eq!(server.requests().len(), 1);
    }
    let silent = TestServer::raw(RawReply { bytes: Vec::new(), end: RawEnd::Hold }).await.unwrap();
    let timeouts = Timeouts { first_byte: short, ..Timeouts::default() };
    let items = ask(&provider_at(&silent, timeouts), request("x")).await;
    assert_eq!(items, [Err(ModelError::TimedOut { phase: TimeoutPhase::FirstByte })]);
    let timeouts = Timeouts { total: short, ..Timeouts::default() };
    let items = ask(&provider_at(&silent, timeouts), request("x")).await;
    assert_eq!(items, [Err(ModelError::TimedOut { phase: TimeoutPhase::Total })]);
}

/// An answer whose end was received is complete, although the connection stays open.
#[tokio::test]
async fn answer_that_ended_is_complete_without_the_end_of_its_connection() {
    let mut stream = palyra_models::testing::stream_of(Protocol::ChatCompletions, &text_answer("all"));
    stream.truncate(stream.find("data: [DONE]").unwrap());
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n";
    let reply = RawReply { bytes: format!("{head}{stream}").into_bytes(), end: RawEnd::Hold };
    let server = TestServer::raw(reply).await.unwrap();
    let timeouts = Timeouts { idle: Duration::from_millis(100), ..Timeouts::default() };
    let items = ask(&provider_at(&server, timeouts), request("x")).await;
    assert_eq!(items, text_answer("all").into_iter().map(Ok).collect::<Vec<_>>());
}

#[tokio::test]
async fn half_closed_connection_and_missing_end_are_errors() {
    for protocol in Protocol::ALL {
        let server = ProviderServer::start([ServerReply::events(rich_answer()[..2].to_vec())]).await.unwrap();
        let items = ask(&server.provider(protocol, None), request("x")).await;
        assert_eq!(items.last(), Some(&Err(ModelError::Truncated)), "{protocol}");
    }
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
    let chunk = "data: {\"choices\":[{\"delta\":{\"content\":\"half\"}}]}\n\n";
    let bytes = format!("{head}{:x}\r\n{chunk}\r\n", chunk.len()).into_bytes();
    let server = TestServer::raw(RawReply { bytes, end: RawEnd::Close }).await.unwrap();
    let items = ask(&provider_at(&server, Timeouts::default()), request("x")).await;
    assert_eq!(items[0], Ok(ModelEvent::Text("half".into())));
    assert!(matches!(items[1..], [Err(ModelError::Unreachable { .. })]), "{items:?}");
}

#[tokio::test]
async fn malformed_frame_is_named_by_its_number() {
    for protocol in Protocol::ALL {
        for frame in ["{\"choices\": [", "null", "[]", "{\"type\":7}", "{\"choices\":7,\"type\":\"error\"}"] {
            let stream = format!("data: {frame}\n\n");
            let error = failure(protocol, vec![ServerReply::Stream(stream)]).await;
            let is_typed = matches!(
                error,
                ModelError::MalformedFrame { frame: 1, .. } | ModelError::ProviderFailed { .. }
            );
            assert!(is_typed || error == ModelError::Truncated, "{protocol} {frame}: {error:?}");
        }
        let page = status(200, &[("content-type", "text/html")], "<html>");
        let error = failure(protocol, vec![page]).await;
        assert!(matches!(error, ModelError::MalformedFrame { frame: 1, .. }), "{error:?}");
    }
    let broken = ServerReply::Stream("data: {}\n\ndata: {\"a\n\n".into());
    let error = failure(Protocol::ChatCompletions, vec![broken]).await;
    assert!(matches!(error, ModelError::MalformedFrame { frame: 2, .. }), "{error:?}");
}

#[tokio::test]
async fn answers_over_a_limit_end_with_that_limit() {
    let many_calls: String = (0..65)
        .map(|index| json!({"index": index, "id": format!("c{index}"), "function": {"name": "text__count"}}))
        .map(|call| format!("data: {}\n\n", json!({"choices": [{"delta": {"tool_calls": [call]}}]})))
        .collect();
    let long_arguments: String = (0..300)
        .map(|_| json!({"index": 0, "function": {"arguments": "x".repeat(1_000)}}))
        .map(|call| format!("data: {}\n\n", json!({"choices": [{"delta": {"tool_calls": [call]}}]})))
        .collect();
    let long_text =
        format!("data: {}\n\n", json!({"choices": [{"delta": {"content": "x".repeat(1 << 20)}}]}));
    for (stream, expected) in [
        (format!("data: {}", "x".repeat(5 << 20)), "frame bytes"),
        (many_calls, "tool calls"),
        (long_arguments, "tool argument bytes"),
        (long_text.repeat(5), "response bytes"),
    ] {
        let server = ProviderServer::start([ServerReply::Stream(stream)]).await.unwrap();
        let items = ask(&server.provider(Protocol::ChatCompletions, None), request("x")).await;
        let Some(Err(ModelError::LimitReached { what, .. })) = items.last() else { panic!("{expected}") };
        assert_eq!(*what, expected);
    }
}

#[tokio::test]
async fn contradicting_provider_frames_are_rejected_or_resolved_at_the_end() {
    let chat = |frames: &[serde_json::Value]| {
        let frames = frames.iter().map(|frame| format!("data: {frame}\n\n")).collect::<String>();
        ServerReply::Stream(frames + "data: [DONE]\n\n")
    };
    let piece = |index: u64, id: &str, name: &str, arguments: &str| {
        let function = json!({"name": name, "arguments": arguments});
        json!({"choices": [{"delta": {"tool_calls": [{"index": index, "id": id, "function": function}]}}]})
    };
    let renamed = [piece(0, "c1", "text__count", "{"), piece(0, "c1", "mail__send", "}")];
    let error = failure(Protocol::ChatCompletions, vec![chat(&renamed)]).await;
    assert!(matches!(error, ModelError::MalformedFrame { frame: 2, .. }), "{error:?}");

    let end = json!({"choices": [{"delta": {}, "finish_reason": "stop"}]});
    let more = json!({"choices": [{"delta": {"content": "but"}}]});
    let error = failure(Protocol::ChatCompletions, vec![chat(&[end.clone(), more])]).await;
    assert!(matches!(error, ModelError::MalformedFrame { frame: 2, .. }), "{error:?}");

    // Every call has the number 0, and the stop reason does not mention calls.
    let calls = [piece(0, "c1", "text__count", "{}"), piece(0, "c2", "text__count", "{}"), end];
    let server = ProviderServer::start([chat(&calls)]).await.unwrap();
    let got = answer(&server.provider(Protocol::ChatCompletions, None), request("x")).await.unwrap();
    assert_eq!(got.tool_calls, [call("c1", "{}"), call("c2", "{}")]);
    assert_eq!(got.stop, Some(StopReason::ToolCalls));

    // The content of a finished item replaces its deltas.
    let stream = concat!(
        r#"data: {"type":"response.output_item.added","output_index":0,"item":{"type":"function_call","call_id":"c1","name":"text__count","arguments":""}}"#,
        "\n\n",
        r#"data: {"type":"response.function_call_arguments.delta","output_index":0,"delta":"{\"text\":\"old"}"#,
        "\n\n",
        r#"data: {"type":"response.output_item.done","output_index":0,"item":{"type":"function_call","call_id":"c1","name":"text__count","arguments":"{\"text\":\"new\"}"}}"#,
        "\n\n",
        r#"data: {"type":"response.completed","response":{"status":"completed","output":[]}}"#,
        "\n\n",
    );
    // llama.cpp sends no numbers.
    for stream in [stream.to_owned(), stream.replace("\"output_index\":0,", "")] {
        let server = ProviderServer::start([ServerReply::Stream(stream)]).await.unwrap();
        let got = answer(&server.provider(Protocol::Responses, None), request("x")).await.unwrap();
        assert_eq!(got.tool_calls, [call("c1", r#"{"text":"new"}"#)]);
    }
}

#[tokio::test]
async fn call_cut_off_by_the_token_limit_is_no_call() {
    let frames = [
        json!({"choices": [{"delta": {"tool_calls": [{"index": 0, "id": "c", "function": {"name": "text__count", "arguments": "{\"te"}}]}}]}),
        json!({"choices": [{"delta": {}, "finish_reason": "length"}]}),
    ];
    let stream = frames.iter().map(|frame| format!("data: {frame}\n\n")).collect();
    let server = ProviderServer::start([ServerReply::Stream(stream)]).await.unwrap();
    let got = answer(&server.provider(Protocol::ChatCompletions, None), request("x")).await.unwrap();
    assert_eq!((got.tool_calls.len(), got.stop), (0, Some(StopReason::MaxOutputTokens)));
}

#[tokio::test]
async fn this_machine_is_closed_to_a_name_that_resolves_to_it() {
    let server = ProviderServer::start([ServerReply::events(text_answer("x"))]).await.unwrap();
    let port = server.base_url().rsplit(':').next().unwrap().trim_end_matches("/v1").to_owned();
    let resolver = palyra_egress::testing::FixedResolver::new()
        .with("model.example.com", [std::net::Ipv4Addr::LOCALHOST.into()]);
    let config = EgressConfig { resolver: std::sync::Arc::new(resolver), ..EgressConfig::default() };
    let endpoint = Endpoint::new(&format!("https://model.example.com:{port}"), false).unwrap();
    let provider = provider(EgressGuard::new(config).unwrap(), endpoint, Timeouts::default());
    let items = ask(&provider, request("x")).await;
    assert!(matches!(items[..], [Err(ModelError::EgressDenied(_))]), "{items:?}");
    assert_eq!(server.requests().len(), 0);
}

#[tokio::test]
async fn provider_that_is_not_there_is_unreachable() {
    let endpoint = Endpoint::new("http://127.0.0.1:1", true).unwrap();
    let guard = EgressGuard::new(EgressConfig::default()).unwrap();
    let items = ask(&provider(guard, endpoint, Timeouts::default()), request("x")).await;
    assert!(matches!(items[..], [Err(ModelError::Unreachable { .. })]), "{items:?}");
}

fn provider_at(server: &TestServer, timeouts: Timeouts) -> HttpProvider {
    let endpoint = Endpoint::new(&format!("http://{}", server.address()), true).unwrap();
    provider(EgressGuard::new(EgressConfig::default()).unwrap(), endpoint, timeouts)
}

fn provider(guard: EgressGuard, endpoint: Endpoint, timeouts: Timeouts) -> HttpProvider {
    let wait = Duration::from_millis(2);
    let retries = RetryPolicy { max_attempts: 2, first_wait: wait, max_wait: wait };
    let protocol = Protocol::ChatCompletions;
    HttpProvider::new(guard, HttpProviderConfig { protocol, endpoint, key: None, retries, timeouts })
}
