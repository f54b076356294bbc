//! The example skills in a real daemon: tools, documents, replays and forms.

use std::collections::BTreeSet;

use crate::daemon::Daemon;
use crate::mcp::{Editor, lifecycles};
use crate::sessions::{history, names, session, settled, yes};
use palyra_a2ui::{A2uiDocument, ComponentBody, Form};
use palyra_agent::ToolAccess;
use palyra_api::Client;
use palyra_api::client::remote::Remote;
use palyra_api::runs::ReplayVerdict;
use palyra_api::sessions::{AgentRunStatus, FormSubmit, Pause, PauseAnswer, PauseKind};
use palyra_api::tools::InvokeRequest;
use palyra_common::{ErrorCode, Scope};
use palyra_skills::consent::ConsentGiven;
use palyra_skills::manifest::{ToolEntrypoint, ToolReturns, parse_manifest_toml};
use palyra_state::InstallOptions;
use serde_json::{Map, Value, json};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

fn manifest(name: &str) -> String {
    std::fs::read_to_string(format!("{ROOT}/examples/skills/{name}/skill.toml")).unwrap()
}

/// Installs an example from its manifest and its built guest.
fn install(daemon: &Daemon, name: &str) -> Vec<ToolEntrypoint> {
    let path = format!("{ROOT}/target/guests/{name}.wasm");
    let guest = std::fs::read(&path)
        .unwrap_or_else(|error| panic!("{path}: {error}; run `cargo xtask guests` first"));
    let manifest = manifest(name);
    let (bytes, digest) = crate::guests::build(&manifest, &[(format!("modules/{name}.wasm"), guest)]);
    let consent = ConsentGiven { digest, principal: "owner".into(), secrets: BTreeSet::new() };
    let options = InstallOptions { allow_tofu: true, consent: Some(consent), ..InstallOptions::default() };
    daemon
        .state()
        .skills()
        .install(bytes, &options, "owner", &mut |_| {})
        .unwrap_or_else(|error| panic!("{error}"));
    parse_manifest_toml(&manifest).unwrap().entrypoints.tools
}

fn request(input: &Value) -> InvokeRequest {
    InvokeRequest::with_input(serde_json::value::to_raw_value(input).unwrap())
}

/// Calls a tool and replays the run.
async fn call(client: &Client<Remote>, tool: &str, input: &Value) -> Value {
    let answer = client.invoke(tool, &request(input)).await.unwrap_or_else(|error| panic!("{tool}: {error}"));
    let replayed = client.replay(&answer.run_id).await.unwrap();
    assert_eq!(replayed.verdict, ReplayVerdict::Identical, "{tool}");
    let result: Value = serde_json::from_str(answer.result.get()).unwrap();
    assert_eq!(replayed.output, result, "{tool}");
    result
}

fn document(result: &Value) -> A2uiDocument {
    A2uiDocument::parse(&result.to_string()).unwrap_or_else(|error| panic!("{error}: {result}"))
}

#[tokio::test(flavor = "multi_thread")]
async fn every_example_of_a_tool_works_and_replays() {
    let daemon = Daemon::start().await;
    let client = daemon.over_tcp();
    for name in ["text-tools", "table-chart", "packing-list", "todo"] {
        for tool in install(&daemon, name) {
            assert!(!tool.examples.is_empty(), "{}", tool.id);
            for example in &tool.examples {
                let result = call(&client, &tool.id, example).await;
                match tool.returns {
                    ToolReturns::A2ui => drop(document(&result)),
                    ToolReturns::Json => assert!(result["text"].is_string(), "{}: {result}", tool.id),
                }
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn data_becomes_a_table_and_a_chart() {
    let daemon = Daemon::start().await;
    install(&daemon, "table-chart");
    let client = daemon.over_tcp();
    let data = json!({ "data": "day,visits\n2026-01-30,7\n2026-01-31,9\n", "title": "Visits" });
    let shown = document(&call(&client, "palyra.table_chart.show", &data).await);
    let ComponentBody::Table(table) = &shown.component("table").unwrap().body else { panic!("{shown:?}") };
    assert_eq!((table.rows.len(), table.caption.as_deref()), (2, Some("Visits")));
    let ComponentBody::Chart(chart) = &shown.component("chart").unwrap().body else { panic!("{shown:?}") };
    assert_eq!((chart.x.values.len(), chart.series[0].name.as_str()), (2, "visits"));
    let most = format!("n\n{}", "1\n".repeat(1_000));
    document(&call(&client, "palyra.table_chart.show", &json!({ "data": most })).await);
}

/// Returns the values of a form without changes.
fn defaults(form: &Form) -> Map<String, Value> {
    let given = form.fields.iter().filter_map(|field| Some((field.name.clone(), field.default.clone()?)));
    given.map(|(name, value)| (name, serde_json::to_value(value).unwrap())).collect()
}

fn submit(pause: &Pause, component: &str, values: Map<String, Value>) -> PauseAnswer {
    let submit =
        FormSubmit { rev: pause.rev.unwrap(), component_id: component.into(), values: Value::Object(values) };
    PauseAnswer { submit: Some(submit), ..yes(pause, None) }
}

#[tokio::test(flavor = "multi_thread")]
async fn form_of_two_steps_leads_to_the_list() {
    let daemon = Daemon::start().await;
    let tools: Vec<String> = install(&daemon, "packing-list").into_iter().map(|tool| tool.id).collect();
    let tools: Vec<&str> = tools.iter().map(String::as_str).collect();
    let client = daemon.over_tcp();
    let session = session(&client, &tools).await;
    let run = client.say(&session, "plan what to pack for a trip").await.unwrap();
    let proposed = settled(&client, &run.run_id).await.pause.unwrap();
    let answer = yes(&proposed, Some(json!({ "destination": "Oslo" })));
    client.answer_pause(&proposed.pause_id, &answer).await.unwrap();
    for (component, more) in [
        ("trip", json!({ "nights": 9, "climate": "cold" })),
        ("details", json!({ "activities": ["skiing"], "laundry": true })),
    ] {
        let run = settled(&client, &run.run_id).await;
        let pause = run.pause.unwrap_or_else(|| panic!("{:?}: {:?}", run.status, run.reason));
        assert_eq!((run.status, pause.kind), (AgentRunStatus::Paused, PauseKind::Form));
        let surface = client.surface(&session, pause.surface.as_deref().unwrap()).await.unwrap();
        assert_eq!(
            (surface.surface.as_str(), surface.skill_id.as_deref()),
            ("packing-list", Some("palyra.packing_list"))
        );
        let shown = document(&surface.document);
        let ComponentBody::Form(form) = &shown.component(component).unwrap().body else {
            panic!("{shown:?}")
        };
        let mut values = defaults(form);
        values.extend(more.as_object().unwrap().clone());
        client.answer_pause(&pause.pause_id, &submit(&pause, component, values)).await.unwrap();
    }
    let run = settled(&client, &run.run_id).await;
    assert_eq!((run.status, run.used.tool_calls), (AgentRunStatus::Finished, 3), "{:?}", run.reason);
    let list = document(&client.surface(&session, "packing-list").await.unwrap().document);
    let text = palyra_a2ui::render_text(&list, 80);
    assert!(
        text.contains("Packing list for Oslo: 9 nights, cold weather") && text.contains("ski goggles"),
        "{text}"
    );
    let events = history(&client, &session).await;
    assert_eq!(names(&events).iter().filter(|name| **name == "run.paused").count(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn tool_that_reads_the_to_do_list_can_do_no_more() {
    let daemon = Daemon::start().await;
    let tools = install(&daemon, "todo");
    let client = daemon.over_tcp();
    call(&client, "palyra.todo.add", &json!({ "task": "buy milk", "due": "2026-01-31" })).await;
    let list = document(&call(&client, "palyra.todo.list", &json!({})).await);
    let ComponentBody::Table(table) = &list.component("tasks").unwrap().body else { panic!("{list:?}") };
    assert_eq!(table.rows.len(), 1);

    let shown = client.tool("palyra.todo.list").await.unwrap();
    assert_eq!((shown.grants, shown.read_only), (vec!["storage-read:todo/".to_owned()], true));
    let grants = client.plugin_grants("palyra.todo").await.unwrap();
    assert_eq!(grants.grants, ["storage:todo/ bytes=1MiB"]);
    let narrowed: Vec<&str> = grants.tools.iter().map(|tool| tool.tool_id.as_str()).collect();
    assert_eq!(narrowed, ["palyra.todo.list"]);

    let token = daemon.token_with("editor", &[Scope::Read, Scope::Invoke]);
    let [(_, lifecycle), _] = lifecycles();
    let editor = Editor::default().over_http(&daemon, &token, lifecycle).await;
    for tool in editor.list_all_tools().await.unwrap() {
        let hints = tool.annotations.unwrap();
        let reads = tool.name == "palyra__todo__list";
        assert_eq!(
            (hints.read_only_hint, hints.destructive_hint),
            (Some(reads), Some(!reads)),
            "{}",
            tool.name
        );
    }
    editor.cancel().await.unwrap();

    // The agent uses these annotations.
    let writes = |tool: &ToolEntrypoint| {
        let effective = palyra_runner::effective_grants_of_tool(daemon.state(), "palyra.todo", &tool.id);
        ToolAccess::of(&effective.unwrap().grants).writes
    };
    assert_eq!(tools.iter().map(writes).collect::<Vec<_>>(), [true, true, true, false]);
}

#[tokio::test(flavor = "multi_thread")]
async fn guest_that_writes_against_its_table_is_denied_and_says_where() {
    let daemon = Daemon::start().await;
    let reads = "capabilities = { storage_read_prefixes = [\"counter/\"] }\nexamples =";
    let manifest = manifest("counter-wat").replace("examples =", reads);
    let guest = std::fs::read(format!("{ROOT}/target/guests/counter-wat.wasm")).unwrap();
    let (bytes, digest) = crate::guests::build(&manifest, &[("modules/counter-wat.wasm".into(), guest)]);
    let consent = ConsentGiven { digest, principal: "owner".into(), secrets: BTreeSet::new() };
    let options = InstallOptions { allow_tofu: true, consent: Some(consent), ..InstallOptions::default() };
    daemon.state().skills().install(bytes, &options, "owner", &mut |_| {}).unwrap();
    let client = daemon.over_tcp();
    let denied =
        client.invoke("palyra.counter_wat.add", &request(&json!({}))).await.unwrap_err().into_problem();
    assert_eq!(denied.code, ErrorCode::CapabilityDenied);
    assert!(denied.detail.contains("granted for reading only"), "{denied:?}");
    assert!(denied.hints[0].starts_with("no setting can allow it: install a release"), "{:?}", denied.hints);
    let run = denied.run_id.unwrap();
    let explained = client.run_denial(&run).await.unwrap();
    assert_eq!((explained.op.as_str(), explained.requested), ("storage.put", true));
    assert!(explained.remedy.unwrap().contains("`palyra.counter_wat.add`"));
}
