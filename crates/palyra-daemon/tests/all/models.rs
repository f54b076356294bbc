//! Models over the API: added, tested against a scripted provider, and removed.

use crate::daemon::Daemon;
use palyra_api::models::{AddModelRequest, ModelPrice};
use palyra_common::{ErrorCode, Scope, SecretValue};
use palyra_models::testing::{ProviderServer, ServerReply};
use palyra_models::{ModelEvent, StopReason, ToolCall, Usage};

const KEY: &str = "sk-0123456789abcdef";

/// Returns a response in three pieces.
fn counting() -> ServerReply {
    let usage = Usage { input_tokens: 20, output_tokens: 10, ..Usage::default() };
    let text = |text: &str| ModelEvent::Text(text.into());
    let end = [ModelEvent::Usage(usage), ModelEvent::Finished(StopReason::EndTurn)];
    ServerReply::events([text("1 "), text("2 "), text("3")].into_iter().chain(end))
}

fn calling() -> ServerReply {
    let call =
        ToolCall { id: "c".into(), name: "report_ready".into(), arguments: r#"{"word":"ready"}"#.into() };
    ServerReply::events([ModelEvent::ToolCall(call), ModelEvent::Finished(StopReason::ToolCalls)])
}

fn request(name: &str, protocol: &str, base_url: String) -> AddModelRequest {
    AddModelRequest {
        name: name.into(),
        protocol: protocol.into(),
        base_url,
        model: "small".into(),
        key: Some("global/model_key".into()),
        allow_loopback: true,
        price: Some(ModelPrice { input: 1_000_000, output: 2_000_000 }),
        ..AddModelRequest::default()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn model_is_tested_over_every_protocol_with_its_key_from_the_vault() {
    let daemon = Daemon::open().await;
    let client = daemon.over_socket();
    let secret = "global/model_key".parse().unwrap();
    daemon.state().vault_store().put_secret(&secret, &SecretValue::new(KEY), "owner").unwrap();
    for protocol in ["chat-completions", "responses", "messages"] {
        let server = ProviderServer::start([counting(), calling()]).await.unwrap();
        let added = client.add_model(&request(protocol, protocol, server.base_url())).await.unwrap();
        assert_eq!((added.name.as_str(), added.key.as_deref()), (protocol, Some("global/model_key")));
        let test = client.test_model(protocol).await.unwrap();
        assert!(test.answers && test.streams && test.calls_tools, "{test:?}");
        assert_eq!((test.failure, test.tool_failure), (None, None));
        assert_eq!((test.usage.unwrap().input_tokens, test.cost), (20, Some(40)));
        let header = if protocol == "messages" { "x-api-key" } else { "authorization" };
        let sent = server.requests();
        assert_eq!(sent.len(), 2);
        assert!(sent.iter().all(|request| request.headers[header].to_str().unwrap().ends_with(KEY)));
    }
    let list = client.models().await.unwrap();
    assert_eq!((list.models.len(), list.default.as_deref()), (3, Some("chat-completions")));
    assert!(!format!("{list:?}").contains(KEY));
    assert!(client.set_default_model("messages").await.unwrap().is_default);
    client.remove_model("messages").await.unwrap();
    assert_eq!(client.models().await.unwrap().default, None);
}

#[tokio::test(flavor = "multi_thread")]
async fn provider_that_refuses_is_a_finding_without_the_key() {
    let daemon = Daemon::open().await;
    let client = daemon.over_socket();
    let body = format!(r#"{{"error":{{"message":"Incorrect API key provided: {KEY}"}}}}"#);
    let server = ProviderServer::start([ServerReply::Status(401, Vec::new(), body)]).await.unwrap();
    client.add_model(&request("m", "responses", server.base_url())).await.unwrap();

    let missing = client.test_model("m").await.unwrap_err().into_problem();
    assert_eq!(missing.code, ErrorCode::NotFound);
    assert!(missing.hints[0].contains("palyra vault put global/model_key"), "{missing:?}");

    let secret = "global/model_key".parse().unwrap();
    daemon.state().vault_store().put_secret(&secret, &SecretValue::new(KEY), "owner").unwrap();
    let test = client.test_model("m").await.unwrap();
    let failure = test.failure.unwrap();
    assert!(!test.answers && failure.message.contains("Incorrect API key provided: ****"), "{failure:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn model_without_tool_calls_is_reported() {
    let daemon = Daemon::open().await;
    let client = daemon.over_socket();
    let refusal = r#"{"error":{"message":"tools are not supported"}}"#;
    let replies = [counting(), ServerReply::Status(400, Vec::new(), refusal.into())];
    let server = ProviderServer::start(replies).await.unwrap();
    let request = AddModelRequest { key: None, ..request("m", "chat-completions", server.base_url()) };
    client.add_model(&request).await.unwrap();
    let test = client.test_model("m").await.unwrap();
    assert!(test.answers && !test.calls_tools);
    assert!(test.tool_failure.unwrap().message.contains("tools are not supported"));
}

#[tokio::test(flavor = "multi_thread")]
async fn bad_requests_are_refused_with_their_field_and_scopes_are_kept() {
    let daemon = Daemon::open().await;
    let client = daemon.over_socket();
    let local =
        AddModelRequest { allow_loopback: false, ..request("m", "messages", "http://127.0.0.1:1".into()) };
    let refused = client.add_model(&local).await.unwrap_err().into_problem();
    assert_eq!(
        (refused.code, refused.details["field"].as_str()),
        (ErrorCode::InvalidSetting, Some("base_url"))
    );
    assert_eq!(refused.hints, ["add `--allow-loopback`"]);
    let unknown = request("m", "telepathy", "https://api.example.com".into());
    let refused = client.add_model(&unknown).await.unwrap_err().into_problem();
    assert_eq!(refused.code, ErrorCode::Usage);

    let reader = daemon.over_tcp_as(&daemon.token_with("reader", &[Scope::Read]));
    assert_eq!(reader.models().await.unwrap().models.len(), 0);
    let valid = request("m", "messages", "https://api.example.com".into());
    let refused = reader.add_model(&valid).await.unwrap_err().into_problem();
    assert_eq!(refused.code, ErrorCode::Forbidden);
    let refused = reader.test_model("m").await.unwrap_err().into_problem();
    assert_eq!(refused.code, ErrorCode::Forbidden);
}
