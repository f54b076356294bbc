//! Documents of calls outside of agent runs: stored, submitted once, and shown to MCP clients according to their
//! capabilities.

use crate::daemon::Daemon;
use crate::guests;
use crate::mcp::{Editor, call, lifecycles};
use palyra_api::client::remote::Remote;
use palyra_api::sessions::FormSubmit;
use palyra_api::tools::{InvokeAnswer, InvokeRequest};
use palyra_api::{Client, ClientError, Problem};
use palyra_common::Scope;
use palyra_journal::{EventKind, Query};
use palyra_skills::consent::ConsentGiven;
use palyra_state::InstallOptions;
use rmcp::model::JsonObject;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::collections::BTreeSet;

const SHOW: &str = "acme.forms.show";
const TOOLS: [(&str, &str, &str); 3] =
    [("show", "a2ui", ""), ("take", "json", ""), ("ask", "json", "risk = { requires_approval = true }")];

/// Installs `acme.forms`: a tool that returns the given document, and two that take values.
fn install_forms(daemon: &Daemon) {
    let mut manifest = r#"manifest_version = 1
skill_id = "acme.forms"
name = "Forms"
version = "1.0.0"
publisher = "acme"
release_counter = 1

[compat]
required_protocol_major = 1
min_palyra_version = "0.1.0"
"#
    .to_owned();
    for (tool, returns, risk) in TOOLS {
        manifest.push_str(&format!(
            r#"
[[entrypoints.tools]]
id = "acme.forms.{tool}"
name = "{tool}"
description = "Returns what it is given."
module = "modules/echo.wasm"
returns = "{returns}"
input_schema = {{ type = "object", properties = {{ name = {{ type = "string", minLength = 2 }} }} }}
output_schema = {{ type = "object" }}
{risk}
"#
        ));
    }
    let module = ("modules/echo.wasm".to_owned(), wat::parse_str(guests::ECHO).unwrap());
    let (bytes, digest) = guests::build(&manifest, &[module]);
    let consent = ConsentGiven { digest, principal: "owner".into(), secrets: BTreeSet::new() };
    let options = InstallOptions { allow_tofu: true, consent: Some(consent), ..InstallOptions::default() };
    daemon
        .state()
        .skills()
        .install(bytes, &options, "owner", &mut |_| {})
        .unwrap_or_else(|error| panic!("{error}"));
}

/// Returns a document with a form for a tool.
fn form(tool: Option<&str>) -> Value {
    let fields = json!([
        { "name": "name", "type": "text", "label": "Name", "required": true },
        { "name": "key", "type": "secret", "label": "Key" },
    ]);
    let mut form = json!({ "title": "Sign in", "fields": fields });
    if let Some(tool) = tool {
        form["tool"] = tool.into();
    }
    json!({ "v": 1, "surface": "sign_in", "components": [{ "id": "f", "type": "form", "props": form }] })
}

async fn show(client: &Client<Remote>, document: &Value) -> InvokeAnswer {
    let input = RawValue::from_string(document.to_string()).unwrap();
    client.invoke(SHOW, &InvokeRequest::with_input(input)).await.unwrap()
}

fn submit(values: Value) -> FormSubmit {
    FormSubmit { rev: 1, component_id: "f".into(), values }
}

fn problem<T: std::fmt::Debug>(result: Result<T, ClientError>) -> Problem {
    result.unwrap_err().into_problem()
}

fn caller(daemon: &Daemon, name: &str) -> Client<Remote> {
    daemon.over_tcp_as(&daemon.token_with(name, &[Scope::Read, Scope::Invoke]))
}

#[tokio::test(flavor = "multi_thread")]
async fn form_of_a_call_is_accepted_once_and_calls_the_tool_that_it_names() {
    let daemon = Daemon::start().await;
    install_forms(&daemon);
    let (client, other) = (caller(&daemon, "form-filler"), caller(&daemon, "other"));
    let id = show(&client, &form(Some("acme.forms.take"))).await.surface_id.unwrap();
    let shown = client.call_surface(&id).await.unwrap();
    assert_eq!((shown.surface.as_str(), shown.tool_id.as_str(), shown.rev), ("sign_in", SHOW, 1));
    assert_eq!(shown.document, form(Some("acme.forms.take")));
    assert_eq!(client.call_surfaces(None, None).await.unwrap().surfaces, [shown]);
    for refused in
        [other.call_surface(&id).await.map(drop), other.submit_form(&id, &submit(json!({}))).await.map(drop)]
    {
        assert_eq!(problem(refused).code.as_str(), "not_found", "the document of another caller");
    }
    assert!(other.call_surfaces(None, None).await.unwrap().surfaces.is_empty());
    let bad = problem(client.submit_form(&id, &submit(json!({ "key": "k-123" }))).await);
    assert_eq!((bad.code.as_str(), &bad.details["pointer"]), ("invalid_input", &json!("/values/name")));
    // Values that the tool rejects do not use up the form, so it can be corrected.
    let short = problem(client.submit_form(&id, &submit(json!({ "name": "x" }))).await);
    assert_eq!(short.code.as_str(), "invalid_input", "{short:?}");
    let late = FormSubmit { rev: 2, ..submit(json!({ "name": "Ada" })) };
    assert_eq!(problem(client.submit_form(&id, &late).await).code.as_str(), "invalid_input");
    let values = submit(json!({ "name": "Ada", "key": "canary-k-123" }));
    let (one, two) = tokio::join!(client.submit_form(&id, &values), client.submit_form(&id, &values));
    let (taken, refused) = if one.is_ok() { (one, two) } else { (two, one) };
    let taken = taken.unwrap();
    assert_eq!(taken.result.get(), r#"{"key":"skill:acme.forms/key","name":"Ada"}"#);
    assert_eq!(problem(refused).code.as_str(), "already_decided");
    assert_eq!(problem(client.submit_form(&id, &values).await).code.as_str(), "already_decided");
    let submitted = client.call_surface(&id).await.unwrap().submitted.unwrap();
    assert_eq!((submitted.tool_id.as_str(), submitted.run_id), ("acme.forms.take", Some(taken.run_id)));
    let secret = daemon.state().vault().secrets().get(&"skill:acme.forms/key".parse().unwrap()).unwrap();
    assert_eq!(secret.unwrap().expose(), b"canary-k-123");
    let query = Query { kinds: vec![EventKind::SurfaceSubmitted], ..Query::default() };
    let leaves = daemon.state().journal().query(&query).unwrap().events;
    let leaves = serde_json::to_string(&leaves).unwrap();
    assert!(leaves.contains(r#""form":"f""#) && leaves.contains(&id), "{leaves}");
    assert!(!leaves.contains("canary") && !leaves.contains("Ada"), "{leaves}");
}

#[tokio::test(flavor = "multi_thread")]
async fn form_waits_for_an_approval_and_next_step_is_a_document_of_its_own() {
    let daemon = Daemon::start().await;
    install_forms(&daemon);
    let client = caller(&daemon, "form-filler");
    let asks = show(&client, &form(Some("acme.forms.ask"))).await.surface_id.unwrap();
    let values = submit(json!({ "name": "Ada" }));
    let waits = problem(client.submit_form(&asks, &values).await);
    assert_eq!(waits.code.as_str(), "approval_required");
    assert_eq!(client.call_surface(&asks).await.unwrap().submitted, None, "no call began");
    let person = daemon.over_tcp_as(&daemon.token_with("person", &[Scope::Read, Scope::Approve]));
    person.approve(waits.details["approval_id"].as_str().unwrap(), &Default::default()).await.unwrap();
    client.submit_form(&asks, &values).await.unwrap();
    assert_eq!(problem(client.submit_form(&asks, &values).await).code.as_str(), "already_decided");
    let unnamed = show(&client, &form(None)).await.surface_id.unwrap();
    let refused = problem(client.submit_form(&unnamed, &values).await);
    assert!(
        refused.code.as_str() == "invalid_input" && refused.detail.contains("names no tool"),
        "{refused:?}"
    );
    // A form whose tool returns another document.
    let fields = json!([{ "name": "surface", "type": "text", "label": "Name", "default": "next" }]);
    let next = json!({ "v": 1, "surface": "first", "components": [
        { "id": "f", "type": "form", "props": { "tool": SHOW, "fields": fields } }] });
    let first = show(&client, &next).await.surface_id.unwrap();
    let broken = problem(client.submit_form(&first, &submit(json!({ "surface": "next" }))).await);
    assert_eq!(broken.code.as_str(), "invalid_output", "a call that began and gave no document");
    assert_eq!(client.call_surface(&first).await.unwrap().submitted.unwrap().run_id, broken.run_id);
    let plain = client.invoke("acme.forms.take", &InvokeRequest::default()).await.unwrap();
    assert_eq!(plain.surface_id, None);
}

#[tokio::test(flavor = "multi_thread")]
async fn documents_of_a_caller_are_bounded_and_page() {
    let daemon = Daemon::start().await;
    install_forms(&daemon);
    let client = caller(&daemon, "busy");
    for _ in 0..palyra_state::sessions::MAX_CALL_SURFACES + 3 {
        show(&client, &form(None)).await;
    }
    let page = client.call_surfaces(None, Some(40)).await.unwrap();
    let rest = client.call_surfaces(page.next.as_deref(), Some(40)).await.unwrap();
    assert_eq!((page.surfaces.len(), rest.surfaces.len(), rest.next), (40, 24, None));
}

/// The columns used in queries are not covered by the MAC of a row.
#[tokio::test(flavor = "multi_thread")]
async fn document_given_to_another_caller_by_an_edited_row_is_not_listed() {
    let daemon = Daemon::start().await;
    install_forms(&daemon);
    let (client, other) = (caller(&daemon, "form-filler"), caller(&daemon, "other"));
    let id = show(&client, &form(None)).await.surface_id.unwrap();
    daemon.advance(1);
    show(&other, &form(None)).await;
    daemon
        .edit(
            "UPDATE call_surfaces SET owner = (SELECT owner FROM call_surfaces ORDER BY run_id DESC LIMIT 1)",
        )
        .await;
    let listed = other.call_surfaces(None, None).await.unwrap().surfaces;
    assert_eq!(listed.len(), 1, "its own one");
    assert_ne!(listed[0].surface_id, id);
    assert_eq!(daemon.over_tcp().call_surfaces(None, None).await.unwrap().surfaces.len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn mcp_clients_get_documents_in_the_form_they_announced() {
    let daemon = Daemon::start().await;
    install_forms(&daemon);
    let token = daemon.token_with("editor", &[Scope::Read, Scope::Invoke]);
    let apps = json!({ "io.modelcontextprotocol/ui": { "mimeTypes": ["text/html;profile=mcp-app"] } });
    let google = json!({ "a2uiClientCapabilities": { "v1.0": {} } });
    let older = json!({ "io.modelcontextprotocol/ui": { "mimeTypes": ["application/a2ui+json"] } });
    let document = form(Some("acme.forms.take"));
    for (way, lifecycle) in lifecycles() {
        for (announced, media_type) in [
            (None, None),
            (Some(&apps), Some("text/html;profile=mcp-app")),
            (Some(&google), Some("application/a2ui+json")),
            (Some(&older), Some("application/a2ui+json")),
        ] {
            let editor = Editor::that_shows(announced.cloned());
            let client = editor.over_http(&daemon, &token, lifecycle.clone()).await;
            let input = document.as_object().unwrap().clone();
            let result = call(&client, "acme__forms__show", input).await.unwrap();
            assert_eq!(result.structured_content, Some(document.clone()), "{way} {announced:?}");
            let content = serde_json::to_value(&result.content).unwrap();
            let text = content.as_array().unwrap().last().unwrap()["text"].as_str().unwrap();
            assert!(text.contains("**Sign in**") && text.contains("- Name"), "{way}: {text}");
            let resource = &content[0]["resource"];
            assert_eq!(resource["mimeType"].as_str(), media_type, "{way} {content}");
            let shown = resource["text"].as_str().unwrap_or_default();
            match media_type {
                None => assert_eq!(content.as_array().unwrap().len(), 1),
                Some("application/a2ui+json") => {
                    let messages: Vec<Value> = serde_json::from_str(shown).unwrap();
                    let version = if announced == Some(&google) { "v1.0" } else { "v0.9" };
                    assert!(
                        messages.iter().all(|message| message["version"]
                            .as_str()
                            .is_some_and(|v| v.starts_with(version))),
                        "{shown}"
                    );
                }
                Some(_) => {
                    assert!(shown.starts_with("<!doctype html>") && !shown.contains("<script"), "{shown}")
                }
            }
            let surface = result.meta.unwrap()["palyra/surface"].as_str().unwrap().to_owned();
            let api = daemon.over_tcp_as(&token);
            assert_eq!(api.call_surface(&surface).await.unwrap().document, document);
            let plain = call(&client, "acme__forms__take", JsonObject::default()).await.unwrap();
            assert_eq!(plain.content[0].as_text().unwrap().text, "{}");
            client.cancel().await.unwrap();
        }
    }
}
