//! Small-model mode end to end: the router ranks, the model fills in, a person confirms.

use crate::daemon::Daemon;
use crate::sessions::{call, session, settled, yes};
use palyra_api::models::AddModelRequest;
use palyra_api::sessions::{AgentRunStatus, PauseKind};
use palyra_daemon::ModelSource;
use palyra_models::ModelError;
use palyra_models::testing::{Script, ScriptedProvider};
use serde_json::{Value, json};
use std::sync::Arc;

fn small(daemon: &Daemon, scripts: Vec<Script>) -> ScriptedProvider {
    let provider = ScriptedProvider::new(scripts);
    daemon.app.set_model(Some(ModelSource::new("tiny", Arc::new(provider.clone())).small()));
    provider
}

#[tokio::test(flavor = "multi_thread")]
async fn small_model_fills_in_arguments_that_a_person_confirms() {
    let daemon = Daemon::with_bench().await;
    let client = daemon.over_tcp();
    let refused = ModelError::Refused { status: 400, message: "response_format is not supported".into() };
    let echo = call("acme.bench.echo", r#"{"n":7}"#);
    let provider = small(
        &daemon,
        vec![
            Script::text(r#"{"name":"acme__bench__echo","arguments":{"n":7}}"#),
            Script::Fails(Vec::new(), refused),
            Script::calls([echo.clone(), echo]),
        ],
    );
    for requests in [1, 3] {
        let session = session(&client, &[]).await;
        let run = client.say(&session, "please echo the number 7").await.unwrap();
        let run = settled(&client, &run.run_id).await;
        let pause = run.pause.clone().unwrap();
        assert_eq!((run.status, pause.kind), (AgentRunStatus::Paused, PauseKind::Form), "{run:?}");
        let surface = client.surface(&session, pause.surface.as_deref().unwrap()).await.unwrap();
        assert_eq!(surface.document["components"][2]["props"]["fields"][0]["default"], 7);
        client.answer_pause(&pause.pause_id, &yes(&pause, Some(json!({ "n": 7 })))).await.unwrap();
        let run = settled(&client, &run.run_id).await;
        assert_eq!((run.status, run.used.tool_calls), (AgentRunStatus::Finished, 1));
        assert_eq!(provider.requests().len(), requests, "the model is not asked about the result");
    }
    let asked = provider.requests();
    let schema: Value = serde_json::from_str(asked[0].response_schema.as_ref().unwrap().as_str()).unwrap();
    let only = json!({ "const": "acme__bench__echo" });
    assert!(
        schema["properties"]["name"] == only || schema["anyOf"].as_array().unwrap().len() <= 5,
        "{schema}"
    );
    assert_eq!((asked[0].temperature, asked[0].tools.len()), (Some(0.0), 0));
    assert!((1..=5).contains(&asked[2].tools.len()) && asked[2].response_schema.is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn sentence_that_matches_no_tool_never_reaches_a_small_model() {
    let daemon = Daemon::with_bench().await;
    let client = daemon.over_tcp();
    let provider = small(&daemon, Vec::new());
    let session = session(&client, &[]).await;
    let run = client.say(&session, "quantum zebra sonata").await.unwrap();
    assert_eq!(settled(&client, &run.run_id).await.status, AgentRunStatus::Finished);
    assert!(provider.requests().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn small_is_a_setting_of_the_model() {
    let daemon = Daemon::start().await;
    let client = daemon.over_socket();
    let request = AddModelRequest {
        name: "tiny".into(),
        protocol: "chat-completions".into(),
        base_url: "http://127.0.0.1:9".into(),
        model: "m".into(),
        allow_loopback: true,
        small: true,
        ..AddModelRequest::default()
    };
    assert!(client.add_model(&request).await.unwrap().small);
    let large = AddModelRequest { name: "large".into(), small: false, ..request };
    assert!(!client.add_model(&large).await.unwrap().small);
}
