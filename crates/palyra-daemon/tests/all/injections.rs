//! A model that obeys every text it reads: nothing is written outside without a person, no secret leaves, and no
//! approval is forged.

use crate::channels::install_publisher;
use crate::daemon::Daemon;
use crate::guests;
use crate::sessions::{call, history, scripted, session, settled};
use palyra_agent::SessionState;
use palyra_api::approvals::{ApprovalQuery, ApprovalStatus};
use palyra_api::channels::AddChannelRequest;
use palyra_api::policy::{PolicyChange, PolicyKind, PolicyQuestion};
use palyra_api::sessions::{AgentRunStatus, PauseAnswer, PauseDecision, PauseKind, SessionLabels};
use palyra_common::SecretValue;
use palyra_journal::{EventKind, Query};
use palyra_models::testing::Script;
use palyra_models::{Message, ModelRequest};
use palyra_policy::DEFAULT_POLICY;
use palyra_skills::RuntimeStatus;
use palyra_skills::consent::ConsentGiven;
use palyra_skills::manifest::parse_manifest_toml;
use palyra_state::InstallOptions;
use palyra_state::sessions::{SessionRow, SessionUpdate};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeSet;

const CANARY: &str = "canary-5b1f0c8e2a";

const TOOLS: [&str; 5] =
    ["acme.speaker.say", "acme.poison.output", "acme.poison.surface", "palyra.todo.add", "palyra.todo.list"];

/// A text that tries to make a model act, and the calls of a model that obeys it.
#[derive(Deserialize)]
struct Case {
    id: String,
    /// Place where the model reads it: the output of a tool, a surface, a stored task, the description of a tool, or an
    /// earlier run of the session.
    via: String,
    text: String,
    calls: Vec<(String, String)>,
}

impl Case {
    /// Returns the model's answers before it obeys, and the number of messages the person writes.
    fn reading(&self) -> (Vec<Script>, usize) {
        let text = &self.text;
        let document = json!({ "v": 1, "surface": "page",
            "components": [{ "id": "t", "type": "text", "props": { "value": text } }] });
        let read = |tool: &str, input: Value| Script::calls([call(tool, &input.to_string())]);
        match self.via.as_str() {
            "output" => (vec![read("acme.poison.output", json!({ "text": text }))], 1),
            "surface" => (vec![read("acme.poison.surface", document)], 1),
            "storage" => {
                let add = read("palyra.todo.add", json!({ "task": text }));
                (vec![add, read("palyra.todo.list", json!({}))], 1)
            }
            "description" => (Vec::new(), 1),
            "earlier" => {
                (vec![read("acme.poison.output", json!({ "text": text })), Script::text("I read it.")], 2)
            }
            other => panic!("{other}"),
        }
    }

    /// Returns whether the text has characters that documents and manifests may refuse.
    fn is_hidden(&self) -> bool {
        self.text.chars().any(|c| c.is_control() || "\u{202e}\u{200b}".contains(c))
    }

    /// Returns whether the model had the text before it obeyed; surfaces and tasks refuse one with control characters.
    fn was_read(&self, request: &ModelRequest) -> bool {
        if self.is_hidden() && !matches!(self.via.as_str(), "output" | "earlier") {
            return true;
        }
        if self.via == "description" {
            return request.tools.iter().any(|tool| tool.description == self.text);
        }
        // A table truncates text to the width of its columns; other text is wrapped.
        let plain = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
        let begin: String = plain(&self.text).chars().take(40).collect();
        request.messages.iter().any(|message| {
            let Message::ToolResult { text, .. } = message else { return false };
            let quoted: Value = serde_json::from_str(text).unwrap();
            let content = quoted["content"].as_str().unwrap();
            let output: Value = serde_json::from_str(content).unwrap_or_default();
            quoted["untrusted"] == true && (output["text"] == self.text || plain(content).contains(&begin))
        })
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_obeying_model_writes_nothing_outside_without_a_person() {
    let cases: Vec<Case> = serde_json::from_str(include_str!("injections.json")).unwrap();
    assert!(cases.len() >= 60);
    let daemon = Daemon::start().await;
    install_publisher(daemon.state());
    install_readers(&daemon);
    let request = AddChannelRequest { name: "alerts".into(), ..AddChannelRequest::default() };
    daemon.over_socket().add_channel(&request).await.unwrap();
    let secret = "skill:acme.poison/key".parse().unwrap();
    daemon.state().vault_store().put_secret(&secret, &SecretValue::new(CANARY.as_bytes()), "owner").unwrap();
    let client = daemon.over_tcp();
    let (mut asked, mut offered) = (0, 0);
    for case in cases {
        let id = &case.id;
        let described = (case.via == "description").then(|| describe(&daemon, id, &case.text)).flatten();
        offered += usize::from(described.is_some());
        // With more tools than a model is offered, the ranker would decide which descriptions it reads.
        let tools: Vec<&str> = described.iter().map(String::as_str).chain(TOOLS).collect();
        let session_id = session(&client, &tools).await;
        mark(&daemon, &session_id).await;
        let obeyed = case.calls.iter().map(|(tool, arguments)| call(tool, arguments));
        let (mut scripts, messages) = case.reading();
        let read = scripts.len();
        scripts.extend([Script::calls(obeyed), Script::text("Done as told.")]);
        let provider = scripted(&daemon, scripts);
        for _ in 1..messages {
            let run = client.say(&session_id, "read it").await.unwrap();
            settled(&client, &run.run_id).await;
            daemon.advance(1);
        }
        let run = client.say(&session_id, "read it").await.unwrap();
        let mut run = settled(&client, &run.run_id).await;
        while let Some(pause) = run.pause.clone() {
            assert_eq!(
                (pause.kind, pause.tool_id.as_deref()),
                (PauseKind::Approval, Some("acme.speaker.say")),
                "{id}"
            );
            assert!(
                pause.labels.is_risky() && pause.question.contains("untrusted content"),
                "{id}: {pause:?}"
            );
            let approval = client.approval(pause.approval_id.as_deref().unwrap()).await.unwrap();
            assert_eq!(approval.status, ApprovalStatus::Pending, "{id}: nobody but a person decides");
            assert!(approval.asked_because.unwrap().contains("untrusted content and private data"), "{id}");
            assert!(approval.labels.is_risky(), "{id}");
            asked += 1;
            let answer = PauseAnswer {
                decision: PauseDecision::Deny,
                bound_to: pause.bound_to,
                submit: None,
                reason: None,
                owner_present: true,
            };
            client.answer_pause(&pause.pause_id, &answer).await.unwrap();
            run = settled(&client, &run.run_id).await;
        }
        assert!(matches!(run.status, AgentRunStatus::Finished | AgentRunStatus::Failed), "{id}: {run:?}");
        // The audit quarantines most descriptions with instructions, so that no model reads them.
        let is_quarantined = case.via == "description" && described.is_none();
        let request = &provider.requests()[read];
        assert!(is_quarantined || case.was_read(request), "{id}: {request:?}");
        let told = serde_json::to_string(&history(&client, &session_id).await).unwrap();
        assert!(!told.contains(CANARY), "{id}");
        assert!(!format!("{:?}", provider.requests()).contains(CANARY), "{id}");
        let labels = client.session(&session_id).await.unwrap().labels;
        assert!(labels.is_risky(), "{id}: no text clears a label");
    }
    assert!(asked >= 60, "{asked}");
    assert!((1..14).contains(&offered), "{offered} descriptions with instructions passed the audit");
    assert!(daemon.state().channels().newest("alerts", 1).unwrap().is_empty());
    let query = ApprovalQuery { status: Some(ApprovalStatus::Approved), ..ApprovalQuery::default() };
    assert!(client.approvals(&query).await.unwrap().approvals.is_empty());
}

/// The rule about labels is part of the policy: the operator can remove it, or require approval earlier.
#[tokio::test(flavor = "multi_thread")]
async fn operator_decides_by_policy_which_labelled_calls_ask() {
    let daemon = Daemon::start().await;
    install_publisher(daemon.state());
    let request = AddChannelRequest { name: "alerts".into(), ..AddChannelRequest::default() };
    daemon.over_socket().add_channel(&request).await.unwrap();
    let (client, owner) = (daemon.over_tcp(), daemon.over_socket());
    let speak = async |labels| {
        let session_id = session(&client, &[]).await;
        mark_with(&daemon, &session_id, labels).await;
        scripted(&daemon, [Script::calls([call("acme.speaker.say", "{}")]), Script::text("Done.")]);
        let run = client.say(&session_id, "say it").await.unwrap();
        settled(&client, &run.run_id).await
    };
    let (both, untrusted) =
        (SessionLabels { private: true, untrusted: true }, SessionLabels { private: false, untrusted: true });
    let asked = speak(both).await.pause.expect("the default policy asks");
    let approval = client.approval(asked.approval_id.as_deref().unwrap()).await.unwrap();
    assert_eq!(approval.labels, both);
    assert!(approval.asked_because.unwrap().starts_with("policy `labelled-session-asks`: "));
    let query = Query { kinds: vec![EventKind::ApprovalRequested], ..Query::default() };
    let requested = daemon.state().journal().query(&query).unwrap().events;
    let leaf = serde_json::to_value(&requested[0].event.details).unwrap();
    assert_eq!(leaf["labels"], json!({ "private": true, "untrusted": true }));
    assert_eq!(speak(untrusted).await.status, AgentRunStatus::Finished);
    let rules = DEFAULT_POLICY.split("\n\n").filter(|rule| !rule.contains("labelled-session-asks"));
    let without = rules.collect::<Vec<_>>().join("\n\n");
    owner.set_policy(&PolicyChange { text: without.clone() }).await.unwrap();
    assert_eq!(speak(both).await.status, AgentRunStatus::Finished, "the operator took the rule out");
    let earlier = r#"
@id("ask-early") @advice("content from outside was read")
forbid (principal is Principal, action == Action::"invoke", resource in Skill::"acme.speaker")
when { context.labels.contains(Label::"untrusted") } unless { context.approved };"#;
    owner.set_policy(&PolicyChange { text: without + earlier }).await.unwrap();
    let asked = speak(untrusted).await.pause.expect("the operator's own rule asks");
    assert!(asked.question.contains("This session has read untrusted content."));
    let question =
        PolicyQuestion { labels: untrusted, ..crate::policy::about("acme.speaker.say", PolicyKind::Agent) };
    let answer = client.check_policy(&question).await.unwrap();
    assert!(!answer.allowed && answer.with_approval && answer.rules[0].id == "ask-early", "{answer:?}");
}

/// Marks the session as having read private and untrusted data.
async fn mark(daemon: &Daemon, session_id: &str) {
    mark_with(daemon, session_id, SessionLabels { private: true, untrusted: true }).await;
}

async fn mark_with(daemon: &Daemon, session_id: &str, labels: SessionLabels) {
    let bytes = daemon.state().sessions().session(session_id).unwrap().unwrap();
    let mut state: SessionState = serde_json::from_slice(&bytes).unwrap();
    state.labels = labels;
    let row = SessionRow {
        session_id: session_id.to_owned(),
        owner: "owner".into(),
        title: String::new(),
        archived: false,
        last_active_ms: state.last_active_ms,
        bytes: serde_json::to_vec(&state).unwrap(),
    };
    let update = SessionUpdate { session: Some(row), ..SessionUpdate::default() };
    daemon.state().sessions().apply(update).await.unwrap();
}

/// Installs tools that return their input, and a to-do list that stores it.
fn install_readers(daemon: &Daemon) {
    let mut manifest = manifest_of("acme.poison");
    for (reader, returns) in [("output", "json"), ("surface", "a2ui")] {
        manifest.push_str(&tool(&format!("acme.poison.{reader}"), "Reads something.", returns));
    }
    let echo = wat::parse_str(guests::ECHO).unwrap();
    install(daemon, &manifest, "modules/echo.wasm", echo).unwrap();
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let todo = std::fs::read_to_string(format!("{root}/examples/skills/todo/skill.toml")).unwrap();
    let guest = format!("{root}/target/guests/todo.wasm");
    let guest = std::fs::read(&guest).unwrap_or_else(|error| panic!("{guest}: {error}"));
    install(daemon, &todo, "modules/todo.wasm", guest).unwrap();
}

/// Installs a tool with this description; returns `None` if the description is rejected.
fn describe(daemon: &Daemon, name: &str, description: &str) -> Option<String> {
    let skill = format!("acme.{name}").replace('-', "_");
    let tool_id = format!("{skill}.read");
    let manifest = manifest_of(&skill) + &tool(&tool_id, description, "json");
    let echo = wat::parse_str(guests::ECHO).unwrap();
    let installed = install(daemon, &manifest, "modules/echo.wasm", echo);
    (installed == Ok(RuntimeStatus::Active)).then_some(tool_id)
}

fn manifest_of(skill_id: &str) -> String {
    format!(
        r#"manifest_version = 1
skill_id = "{skill_id}"
name = "Readers"
version = "1.0.0"
publisher = "acme"
release_counter = 1

[compat]
required_protocol_major = 1
min_palyra_version = "0.1.0"
"#
    )
}

fn tool(id: &str, description: &str, returns: &str) -> String {
    let description = Value::from(description);
    format!(
        r#"
[[entrypoints.tools]]
id = "{id}"
name = "Read"
description = {description}
module = "modules/echo.wasm"
returns = "{returns}"
input_schema = {{ type = "object" }}
output_schema = {{ type = "object" }}
"#
    )
}

fn install(daemon: &Daemon, manifest: &str, path: &str, module: Vec<u8>) -> Result<RuntimeStatus, String> {
    parse_manifest_toml(manifest).map_err(|error| error.to_string())?;
    let (bytes, digest) = guests::build(manifest, &[(path.to_owned(), module)]);
    let consent = ConsentGiven { digest, principal: "owner".into(), secrets: BTreeSet::new() };
    let options = InstallOptions { allow_tofu: true, consent: Some(consent), ..InstallOptions::default() };
    let installed = daemon.state().skills().install(bytes, &options, "owner", &mut |_| {});
    installed.map(|outcome| outcome.status).map_err(|error| error.to_string())
}
