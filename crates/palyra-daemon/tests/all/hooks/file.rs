//! `hooks/bindings.json`: errors name line and field, and the file has no effect until it is applied.

use super::{bind, daemon};
use crate::daemon::Daemon;
use palyra_api::hooks::{ApplyRequest, BindingsFileState};
use palyra_api::tools::InvokeRequest;
use palyra_journal::EventKind;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

const ECHO: &str = "acme.bench.echo";

fn path(daemon: &Daemon) -> PathBuf {
    daemon.root.path().join("hooks").join("bindings.json")
}

fn edit(daemon: &Daemon, change: impl FnOnce(String) -> String) {
    let text = std::fs::read_to_string(path(daemon)).unwrap();
    std::fs::write(path(daemon), change(text)).unwrap();
    std::fs::set_permissions(path(daemon), std::fs::Permissions::from_mode(0o600)).unwrap();
}

async fn is_blocked(daemon: &Daemon) -> bool {
    match daemon.over_socket().invoke(ECHO, &InvokeRequest::default()).await {
        Ok(_) => false,
        Err(error) => error.into_problem().code.as_str() == "forbidden",
    }
}

/// An edit of the file by hand.
type Edit = Box<dyn Fn(String) -> String>;

#[tokio::test(flavor = "multi_thread")]
async fn no_state_of_the_file_means_no_gates() {
    let daemon = daemon().await;
    bind(&daemon, "block", "run:before_tool").await;
    let client = daemon.over_socket();
    let original = std::fs::read_to_string(path(&daemon)).unwrap();
    let state = || async { client.hooks().await.unwrap().file };
    assert_eq!(state().await.state, BindingsFileState::Applied);
    let edits: [(&str, Edit, BindingsFileState); 4] = [
        ("emptied", Box::new(|_| String::new()), BindingsFileState::Unreadable),
        ("cut", Box::new(|text: String| text[..text.len() / 2].to_owned()), BindingsFileState::Unreadable),
        (
            "without its gate",
            Box::new(|_| "{\"schema\": \"palyra.hooks.bindings/v1\", \"bindings\": []}".to_owned()),
            BindingsFileState::Edited,
        ),
        ("off", Box::new(|text: String| text.replace("true", "false")), BindingsFileState::Edited),
    ];
    for (what, change, expected) in edits {
        edit(&daemon, |_| change(original.clone()));
        assert_eq!(state().await.state, expected, "{what}");
        assert!(is_blocked(&daemon).await, "{what}");
        // A command that would overwrite the file fails instead.
        let problem = client.switch_hook("block", false).await.unwrap_err().into_problem();
        assert_eq!(problem.code.as_str(), "bindings_edited", "{what}");
    }
    std::fs::remove_file(path(&daemon)).unwrap();
    assert_eq!(state().await.state, BindingsFileState::Missing);
    assert!(is_blocked(&daemon).await);
    assert_eq!(
        client.apply_hooks(&ApplyRequest::default()).await.unwrap_err().into_problem().code.as_str(),
        "not_found"
    );
    client.apply_hooks(&ApplyRequest { restore: true }).await.unwrap();
    assert_eq!(std::fs::read_to_string(path(&daemon)).unwrap(), original);
    assert_eq!(state().await.state, BindingsFileState::Applied);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edited_file_counts_once_an_operator_applies_it() {
    let daemon = daemon().await;
    bind(&daemon, "block", "run:before_tool").await;
    let client = daemon.over_socket();
    edit(&daemon, |text| text.replace("\"acme.watch.block\"", "\"acme.watch.agree\""));
    let listed = client.hooks().await.unwrap();
    assert_eq!(
        (listed.file.changes[0].id.as_str(), listed.file.changes[0].change.as_str()),
        ("block", "changed")
    );
    assert!(is_blocked(&daemon).await);
    let reader = daemon.over_tcp_as(&daemon.token_with("operator", &[palyra_common::Scope::Operate]));
    assert_eq!(
        reader.apply_hooks(&ApplyRequest::default()).await.unwrap_err().into_problem().code.as_str(),
        "forbidden"
    );
    client.apply_hooks(&ApplyRequest::default()).await.unwrap();
    assert!(!is_blocked(&daemon).await);
    let changed = super::events(&daemon, &[EventKind::HooksChanged]);
    assert_eq!(changed.last().unwrap().event.details["set"], serde_json::json!(["block"]));
    // Applied bindings survive a restart.
    let (state, _home) = daemon.stop_and_reopen().await;
    assert_eq!(state.hooks().index().get("block").unwrap().binding.hook, "acme.watch.agree");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_cannot_be_applied_says_where() {
    let daemon = daemon().await;
    bind(&daemon, "agree", "run:completed").await;
    let original = std::fs::read_to_string(path(&daemon)).unwrap();
    let (from, to) = (original.find("    {").unwrap(), original.rfind("  ]").unwrap());
    let twice = format!("{},\n{}{}", original[..to].trim_end(), &original[from..to], &original[to..]);
    let cases = [
        ("a syntax error", original.replace("\"order\": 100", "\"order\": 1oo"), 10, "bindings[0]"),
        ("an unknown event", original.replace("run:completed", "run:complete"), 6, "bindings[0].event"),
        (
            "a missing plugin",
            original.replace("\"plugin\": \"acme.watch\"", "\"plugin\": \"acme.gone\""),
            4,
            "bindings[0].plugin",
        ),
        (
            "a hook it has not",
            original.replace("acme.watch.agree", "acme.watch.agreed"),
            4,
            "bindings[0].hook",
        ),
        ("a duplicate id", twice, 12, "bindings[1].id"),
        ("another schema", original.replace("bindings/v1", "bindings/v2"), 2, "schema"),
    ];
    for (what, text, line, field) in cases {
        edit(&daemon, |_| text.clone());
        let problem =
            daemon.over_socket().apply_hooks(&ApplyRequest::default()).await.unwrap_err().into_problem();
        assert_eq!(problem.code.as_str(), "bad_bindings", "{what} {}", problem.detail);
        assert_eq!(problem.details["line"], line, "{what} {}", problem.detail);
        let told = problem.details["field"].as_str().unwrap();
        assert!(told.starts_with(field), "{what} {told}");
    }
    assert_eq!(daemon.over_socket().hooks().await.unwrap().bindings.len(), 1, "the last applied one stays");
}
