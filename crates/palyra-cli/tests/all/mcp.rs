//! `palyra mcp`, started by a client as editors do.

use crate::skill_bench::{SkillBench, counter};
use insta::assert_snapshot;
use rmcp::model::{CallToolRequestParams, ClientConfig, ProtocolVersion};
use rmcp::service::RunningService;
use rmcp::{ClientLifecycleMode, ClientServiceExt, RoleClient};
use serde_json::{Value, json};
use std::os::fd::OwnedFd;
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Stdio};
use tokio::net::unix::pipe;

/// Stops the daemon that a command started when the test ends.
struct Stopped<'b>(&'b SkillBench);

impl Drop for Stopped<'_> {
    fn drop(&mut self) {
        self.0.palyra(&["daemon", "stop"]);
    }
}

pub(crate) async fn editor(
    bench: &SkillBench,
    arguments: &[&str],
    lifecycle: ClientLifecycleMode,
) -> (Child, RunningService<RoleClient, ClientConfig>) {
    let mut command = bench.environment.command(&[&["mcp", "serve"], arguments].concat());
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let output = pipe::Receiver::from_owned_fd(OwnedFd::from(child.stdout.take().unwrap())).unwrap();
    let input = pipe::Sender::from_owned_fd(OwnedFd::from(child.stdin.take().unwrap())).unwrap();
    let transport = (output, input);
    let client = ClientConfig::default().serve_with_lifecycle(transport, lifecycle).await.unwrap();
    (child, client)
}

fn bench_with_counter() -> SkillBench {
    let bench = SkillBench::new();
    bench.install(&bench.package("counter", &counter("0.1.0", 1), "counter-wat"), &[]);
    bench
}

#[tokio::test(flavor = "multi_thread")]
async fn an_editor_starts_the_command_and_calls_a_tool() {
    let bench = bench_with_counter();
    let _stopped = Stopped(&bench);
    let current = ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::V_2026_07_28] };
    for (count, lifecycle) in [(5, ClientLifecycleMode::Initialize), (10, current)] {
        let (mut child, client) = editor(&bench, &["--client", "editor"], lifecycle).await;
        let tools = client.list_all_tools().await.unwrap();
        assert_eq!(
            tools.iter().map(|tool| tool.name.as_ref()).collect::<Vec<_>>(),
            ["palyra__counter_wat__add"]
        );
        assert_eq!(tools[0].annotations.as_ref().unwrap().read_only_hint, Some(false), "it keeps a count");
        let step = json!({ "step": 5 }).as_object().unwrap().clone();
        let call = CallToolRequestParams::new("palyra__counter_wat__add").with_arguments(step);
        let result = client.call_tool(call).await.unwrap();
        assert_eq!(result.structured_content, Some(json!({ "count": count })));
        client.cancel().await.unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(0), "it ends with its client");
    }
    let tokens = bench.json(&["tokens", "list"]);
    assert_eq!(tokens["tokens"][0]["name"], "mcp-editor");
    assert_eq!(tokens["tokens"][0]["scopes"], json!(["read", "invoke"]));
    let file = bench.environment.home(".palyra/mcp/editor.token");
    assert_eq!(std::fs::metadata(file).unwrap().permissions().mode() & 0o777, 0o600);
    let runs = bench.json(&["runs", "list"]);
    assert_eq!(runs["runs"][0]["principal"], "mcp-editor");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_that_was_removed_stays_removed() {
    let bench = bench_with_counter();
    let _stopped = Stopped(&bench);
    let (mut child, client) = editor(&bench, &["--client", "editor"], ClientLifecycleMode::Initialize).await;
    client.cancel().await.unwrap();
    child.wait().unwrap();
    bench.ok(&["tokens", "remove", "mcp-editor", "--yes"]);
    let refused = bench.palyra(&["mcp", "serve", "--client", "editor"]);
    assert_snapshot!(refused.shown(), @"
    exit 4
    --- stderr
    error: invalid token
    hint: list the tokens with `palyra tokens list`
    hint: to let `mcp-editor` connect again, delete `[ROOT]/home/.palyra/mcp/editor.token` and restart the client
    ");
    let owner = bench.environment.home(".palyra/owner.token").display().to_string();
    let refused = bench.palyra(&["mcp", "serve", "--token-file", &owner, "--json"]);
    assert_eq!((refused.code, refused.error()["code"].clone()), (4, json!("forbidden")));
    assert_eq!(refused.error()["details"]["policy"]["id"], "owner-in-person");
}

#[test]
fn a_daemon_elsewhere_needs_a_token_of_its_own() {
    let bench = SkillBench::new();
    let refused = bench.palyra(&["mcp", "serve", "--url", "http://127.0.0.1:1", "--json"]);
    assert_eq!((refused.code, refused.error()["code"].clone()), (2, json!("usage")));
}

#[test]
fn what_to_paste_for_each_client() {
    let bench = SkillBench::new();
    let shown = bench.ok(&["mcp", "config", "claude-desktop"]);
    assert!(shown.stderr.contains("claude_desktop_config.json"), "{}", shown.stderr);
    let pasted: Value = serde_json::from_str(&shown.stdout).unwrap();
    let server = &pasted["mcpServers"]["palyra"];
    assert_eq!(server["args"], json!(["mcp", "serve", "--client", "claude-desktop"]));
    assert!(server["command"].as_str().unwrap().ends_with("/palyra"));
    for (client, field) in [
        ("claude-code", "mcpServers"),
        ("cursor", "mcpServers"),
        ("windsurf", "mcpServers"),
        ("vscode", "servers"),
        ("zed", "context_servers"),
        ("generic", "mcpServers"),
    ] {
        let told = bench.json(&["mcp", "config", client, "--state-root", "elsewhere"]);
        assert_eq!(told["schema"], "palyra.mcp.config/v1");
        let server = &told["config"][field]["palyra"];
        assert_eq!(server["args"][3], client);
        let root = server["args"][5].as_str().unwrap();
        assert!(root.starts_with('/') && root.ends_with("/elsewhere"), "{root}");
    }
    assert_eq!(bench.palyra(&["mcp", "config", "emacs"]).code, 2);
}

#[test]
fn configuration_is_written_beside_what_is_there() {
    let bench = SkillBench::new();
    let file = bench.environment.home(".cursor/mcp.json");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    let before = "{\n  \"mcpServers\": {\n    \"files\": { \"command\": \"npx\" }\n  }\n}\n";
    std::fs::write(&file, before).unwrap();
    std::fs::set_permissions(&file, PermissionsExt::from_mode(0o640)).unwrap();
    let written = bench.ok(&["mcp", "config", "cursor", "--write"]);
    assert!(written.stderr.contains("added to"), "{}", written.shown());
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.contains("\"files\": { \"command\": \"npx\" }"), "{text}");
    assert!(text.find("\"command\": \"/").unwrap() < text.find("\"args\": [\"mcp\"").unwrap(), "{text}");
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
    let again = bench.json(&["mcp", "config", "cursor", "--write"]);
    assert_eq!(again["written"]["change"], json!({ "kind": "unchanged" }));
    let other = bench.ok(&["mcp", "config", "cursor", "--write", "--state-root", "elsewhere"]);
    assert!(other.stderr.contains("replaced in") && other.stderr.contains("before: {"), "{}", other.shown());
}

#[test]
fn configuration_that_is_not_plain_json_is_not_touched() {
    let bench = SkillBench::new();
    bench.environment.write("settings.json", "// mine\n{ \"theme\": \"dark\" }\n");
    let refused = bench.palyra(&["mcp", "config", "zed", "--write", "--file", "settings.json"]);
    assert_snapshot!(refused.shown(), @"
    exit 2
    --- stderr
    error: `[ROOT]/work/settings.json` was not changed: it is not a JSON object: expected value at line 1 column 1
    hint: correct the file, or paste what this command prints without `--write`
    ");
    assert_eq!(bench.environment.read("settings.json"), "// mine\n{ \"theme\": \"dark\" }\n");
    let unknown = bench.palyra(&["mcp", "config", "generic", "--write"]);
    assert!(unknown.code == 2 && unknown.stderr.contains("--file FILE"), "{}", unknown.shown());
    let project = bench.ok(&["mcp", "config", "claude-code"]);
    assert!(project.stderr.contains("claude mcp add --scope user palyra -- "), "{}", project.shown());
    bench.ok(&["mcp", "config", "claude-code", "--write"]);
    let written: Value = serde_json::from_str(&bench.environment.read(".mcp.json")).unwrap();
    assert_eq!(written["mcpServers"]["palyra"]["args"][3], "claude-code");
}
