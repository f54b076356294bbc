//! Documents for other clients: Google's A2UI, MCP Apps and markdown.

use palyra_a2ui::{
    A2uiDocument, ComponentBody, GoogleA2uiVersion, MCP_APP_MEDIA_TYPE, McpClientUi, from_google,
    mcp_content, to_google,
};
use serde_json::{Value, json};

use crate::documents::parse;
use crate::examples::examples;

/// `cargo xtask a2ui` has the messages checked by the validator of Google's SDK.
#[test]
fn messages_of_every_example_are_written_where_a_validator_wants_them() {
    let folder = std::env::var_os("PALYRA_A2UI_MESSAGES").map(std::path::PathBuf::from);
    for (path, example) in examples("valid") {
        let document = A2uiDocument::parse(&example.to_string()).unwrap();
        for (version, name) in [(GoogleA2uiVersion::V0_9_1, "v0.9.1"), (GoogleA2uiVersion::V1_0, "v1.0")] {
            let messages = to_google(&document, version);
            assert!(messages.iter().all(|message| message["version"] == name), "{path}");
            if let Some(folder) = &folder {
                let stem = std::path::Path::new(&path).file_stem().unwrap().to_str().unwrap();
                std::fs::write(
                    folder.join(format!("{stem}.{name}.json")),
                    Value::Array(messages).to_string(),
                )
                .unwrap();
            }
        }
    }
}

#[test]
fn every_example_becomes_messages_that_are_read_again() {
    for (path, example) in examples("valid") {
        let document = A2uiDocument::parse(&example.to_string()).unwrap();
        for version in [GoogleA2uiVersion::V0_9_1, GoogleA2uiVersion::V1_0] {
            let messages = to_google(&document, version);
            let again =
                from_google(&Value::Array(messages).to_string()).unwrap_or_else(|e| panic!("{path}: {e}"));
            assert_eq!(again.surface(), document.surface(), "{path}");
            let has_form = |document: &A2uiDocument| {
                document.components().iter().any(|component| matches!(component.body, ComponentBody::Form(_)))
            };
            assert_eq!(has_form(&again), has_form(&document), "{path}");
        }
    }
}

#[test]
fn inputs_of_messages_become_one_form() {
    let messages = json!([
        {"version": "v1.0", "createSurface": {"surfaceId": "s", "catalogId": "x", "dataModel": {"mail": "a@b.example"},
            "components": [
                {"id": "root", "component": "Column", "children": ["title", "mail", "agree", "pic", "send"]},
                {"id": "title", "component": "Text", "text": "Contact", "variant": "h2"},
                {"id": "mail", "component": "TextField", "label": "Mail", "value": {"path": "/mail"}},
                {"id": "agree", "component": "CheckBox", "label": "Agree", "value": false},
                {"id": "pic", "component": "Image", "url": "https://example.org/x.png"},
                {"id": "send", "component": "Button", "child": "label", "action": {"event": {"name": "go"}}},
                {"id": "label", "component": "Text", "text": "Send"}]}}
    ]);
    let document = from_google(&messages.to_string()).unwrap();
    let kinds: Vec<Value> = serde_json::to_value(&document).unwrap()["components"]
        .as_array()
        .unwrap()
        .iter()
        .map(|component| component["type"].clone())
        .collect();
    assert_eq!(kinds, [json!("markdown"), json!("form"), json!("Image")]);
    let ComponentBody::Form(form) = &document.components()[1].body else { panic!() };
    assert_eq!((form.submit_label.as_deref(), form.fields[0].name.as_str()), (Some("Send"), "mail"));
}

#[test]
fn messages_that_are_no_surface_are_refused_at_their_place() {
    let create = json!({"version": "v1.0", "createSurface": {"surfaceId": "s", "catalogId": "x"}});
    let circle = json!({"version": "v1.0", "updateComponents": {"surfaceId": "s",
        "components": [{"id": "root", "component": "Column", "children": ["root"]}]}});
    for (messages, pointer) in [
        (json!([{"version": "v0.8"}]), "/0/version"),
        (
            json!([create, {"version": "v1.0", "updateComponents": {"surfaceId": "t"}}]),
            "/1/updateComponents/surfaceId",
        ),
        (
            json!([create, {"version": "v1.0", "updateDataModel": {"surfaceId": "s", "path": "/a/b", "value": 1}}]),
            "/1/updateDataModel/path",
        ),
        (json!([create]), ""),
        (json!([create, circle]), ""),
    ] {
        assert_eq!(from_google(&messages.to_string()).unwrap_err().pointer, pointer, "{messages}");
    }
}

#[test]
fn content_follows_what_the_client_announced() {
    let document = parse("text", &json!({"value": "<script>*x*</script>", "tone": "warning"}));
    let capabilities = |extensions: Value| json!({ "extensions": extensions });
    let app = capabilities(json!({"io.modelcontextprotocol/ui": {"mimeTypes": [MCP_APP_MEDIA_TYPE]}}));
    let a2ui = capabilities(json!({"a2uiClientCapabilities": {"v0.9": {"supportedCatalogIds": []}}}));
    for (announced, expected, first) in [
        (json!({}), McpClientUi::Markdown, "text"),
        (app, McpClientUi::McpApps, "resource"),
        (a2ui, McpClientUi::A2ui(GoogleA2uiVersion::V0_9_1), "resource"),
    ] {
        let client = McpClientUi::announced(&announced);
        assert_eq!(client, expected);
        let content = mcp_content(&document, client);
        assert_eq!(content[0]["type"], first);
        assert_eq!(content.last().unwrap()["text"], "! \\<script\\>\\*x\\*\\</script\\>");
        let page = content[0]["resource"]["text"].as_str().unwrap_or_default();
        assert!(
            client != McpClientUi::McpApps || (!page.contains("<script") && page.contains("&lt;script")),
            "{page}"
        );
    }
}
