//! The requests that are sent to providers.

use crate::support::{answer, call, request, text_answer};
use palyra_common::JsonText;
use palyra_models::testing::{ProviderServer, ServerReply};
use palyra_models::{Message, ModelRequest, Protocol, ToolChoice};
use serde_json::{Value, json};

/// The body that a request is encoded to.
async fn body(protocol: Protocol, request: ModelRequest) -> Value {
    let server = ProviderServer::start([ServerReply::events(text_answer("ok"))]).await.unwrap();
    answer(&server.provider(protocol, None), request).await.unwrap();
    let sent = &server.requests()[0];
    assert_eq!(sent.headers["content-type"], "application/json");
    serde_json::from_slice(&sent.body).unwrap()
}

fn conversation() -> ModelRequest {
    let mut request = request("count");
    request.messages.push(Message::Assistant {
        text: String::new(),
        tool_calls: vec![call("c1", r#"{"text":"a"}"#), call("c2", "no json")],
        provider_state: Some("from another provider".into()),
    });
    for (id, is_error) in [("c1", false), ("c2", true)] {
        request.messages.push(Message::ToolResult { call_id: id.into(), text: "1".into(), is_error });
    }
    request.messages.push(Message::user("and now?"));
    request.tool_choice = ToolChoice::Required;
    request.temperature = Some(0.0);
    request.max_output_tokens = Some(64);
    request.response_schema = Some(JsonText::parse(r#"{"type":"object"}"#).unwrap());
    request
}

#[tokio::test]
async fn conversation_as_chat_completions() {
    let body = body(Protocol::ChatCompletions, conversation()).await;
    let call = |id: &str, arguments: &str| json!({"id": id, "type": "function", "function": {"name": "text__count", "arguments": arguments}});
    let expected = json!([
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "count"},
        {"role": "assistant", "content": "", "tool_calls": [call("c1", r#"{"text":"a"}"#), call("c2", "no json")]},
        {"role": "tool", "tool_call_id": "c1", "content": "1"},
        {"role": "tool", "tool_call_id": "c2", "content": "1"},
        {"role": "user", "content": "and now?"},
    ]);
    assert_eq!(body["messages"], expected);
    assert_eq!(body["tools"][0]["function"]["parameters"]["type"], "object");
    assert_eq!((&body["tool_choice"], &body["max_tokens"]), (&json!("required"), &json!(64)));
    assert_eq!(body["response_format"]["json_schema"]["schema"], json!({"type": "object"}));
    assert_eq!(body["stream_options"], json!({"include_usage": true}));
}

#[tokio::test]
async fn conversation_as_responses() {
    let body = body(Protocol::Responses, conversation()).await;
    let call = |id: &str, arguments: &str| json!({"type": "function_call", "call_id": id, "name": "text__count", "arguments": arguments});
    let user = |text: &str| json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]});
    let expected = json!([
        user("count"),
        call("c1", r#"{"text":"a"}"#),
        call("c2", "no json"),
        {"type": "function_call_output", "call_id": "c1", "output": "1"},
        {"type": "function_call_output", "call_id": "c2", "output": "1"},
        user("and now?"),
    ]);
    assert_eq!((&body["input"], &body["instructions"]), (&expected, &json!("Be brief.")));
    assert_eq!((&body["store"], &body["max_output_tokens"]), (&json!(false), &json!(64)));
    assert_eq!(body["text"]["format"]["schema"], json!({"type": "object"}));
    assert_eq!(body["tools"][0]["name"], "text__count");
}

#[tokio::test]
async fn conversation_as_messages() {
    let body = body(Protocol::Messages, conversation()).await;
    let use_of =
        |id: &str, input: Value| json!({"type": "tool_use", "id": id, "name": "text__count", "input": input});
    let expected = json!([
        {"role": "user", "content": [{"type": "text", "text": "count"}]},
        {"role": "assistant", "content": [use_of("c1", json!({"text": "a"})), use_of("c2", json!({"arguments": "no json"}))]},
        {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "c1", "content": "1"},
            {"type": "tool_result", "tool_use_id": "c2", "content": "1", "is_error": true},
            {"type": "text", "text": "and now?"},
        ]},
    ]);
    assert_eq!((&body["messages"], &body["system"]), (&expected, &json!("Be brief.")));
    assert_eq!((&body["tool_choice"], &body["max_tokens"]), (&json!({"type": "any"}), &json!(64)));
    assert_eq!(body["output_config"]["format"]["schema"], json!({"type": "object"}));
    let plain = self::body(Protocol::Messages, request("x")).await;
    assert_eq!(plain["max_tokens"], json!(4096));
}

/// Signed reasoning is sent back only to the model that created it, before its calls.
#[tokio::test]
async fn provider_state_returns_to_the_protocol_and_model_that_wrote_it() {
    let stream = concat!(
        r#"data: {"type":"message_start","message":{"usage":{"input_tokens":5,"output_tokens":1,"cache_read_input_tokens":3}}}"#,
        "\n\n",
        r#"data: {"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}"#,
        "\n\n",
        r#"data: {"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hm"}}"#,
        "\n\n",
        r#"data: {"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"s1g"}}"#,
        "\n\n",
        r#"data: {"type":"content_block_stop","index":0}"#,
        "\n\n",
        r#"data: {"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"c1","name":"text__count","input":{}}}"#,
        "\n\n",
        r#"data: {"type":"content_block_stop","index":1}"#,
        "\n\n",
        r#"data: {"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":9}}"#,
        "\n\n",
        r#"data: {"type":"message_stop"}"#,
        "\n\n",
    );
    let server = ProviderServer::start([ServerReply::Stream(stream.into())]).await.unwrap();
    let got = answer(&server.provider(Protocol::Messages, None), request("x")).await.unwrap();
    let usage = got.usage.unwrap();
    assert_eq!((usage.input_tokens, usage.cached_input_tokens, usage.output_tokens), (8, 3, 9));
    assert_eq!(got.tool_calls, [call("c1", "{}")]);
    let mut next = request("x");
    next.messages.push(got.into_message());
    let own = body(Protocol::Messages, next.clone()).await;
    let block = json!({"type": "thinking", "thinking": "hm", "signature": "s1g"});
    assert_eq!(own["messages"][1]["content"][0], block);
    next.model = "another".into();
    let other = body(Protocol::Messages, next.clone()).await;
    assert_eq!(other["messages"][1]["content"][0]["type"], "tool_use");
    next.model = "small".into();
    assert!(!body(Protocol::ChatCompletions, next).await.to_string().contains("s1g"));
}
