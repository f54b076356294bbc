//! Grants of runs with their reasons, and settings of operators.

use crate::daemon::Daemon;
use palyra_api::plugins::{ConfigChange, ConfigSource, GrantAuthority, GrantVerdict, ProfileChange};
use palyra_api::tools::InvokeRequest;
use palyra_api::{ClientError, Problem};
use palyra_common::Scope;
use serde_json::json;

const SETTINGS: &str = r#"[capabilities]
storage_prefixes = ["notes/"]
channels = ["alerts"]

[operator.config.city]
type = "string"
required = true
[operator.config.days]
type = "integer"
default = 3
[operator.config.pin]
type = "string"
redacted = true
"#;

const ID: &str = "acme.set";

fn problem<T: std::fmt::Debug>(result: Result<T, ClientError>) -> Problem {
    result.unwrap_err().into_problem()
}

async fn daemon() -> Daemon {
    let daemon = Daemon::start().await;
    daemon.install("set", SETTINGS);
    daemon
}

fn change(values: serde_json::Value) -> ConfigChange {
    ConfigChange { values: serde_json::from_value(values).unwrap() }
}

#[tokio::test(flavor = "multi_thread")]
async fn settings_are_checked_and_let_a_plugin_run() {
    let daemon = daemon().await;
    let client = daemon.over_tcp();
    let listed = client.plugins().await.unwrap().plugins;
    assert_eq!((listed.len(), listed[0].missing_settings[0].as_str()), (1, "city"));
    let check = client.check_plugin(ID).await.unwrap();
    assert!(!check.runnable && check.findings[0].about == "setting", "{check:?}");
    let remedy = format!("palyra plugins config set {ID} city=VALUE");
    assert_eq!(check.findings[0].remedy.as_ref(), Some(&remedy));
    let refused = problem(client.invoke("acme.set.echo", &InvokeRequest::default()).await);
    assert_eq!((refused.code.as_str(), refused.hints[0].contains(&remedy)), ("not_runnable", true));
    let secret = "palyra-canary-1234";
    let set = client.set_config(ID, &change(json!({ "city": "Oslo", "pin": secret }))).await.unwrap();
    assert!(!serde_json::to_string(&set).unwrap().contains(secret));
    let field = |name: &str| set.fields.iter().find(|field| field.name == name).unwrap();
    assert_eq!((&field("city").value, &field("days").value), (&json!("Oslo"), &json!(3)));
    assert_eq!((field("days").source, field("pin").redacted), (ConfigSource::Default, true));
    assert!(client.check_plugin(ID).await.unwrap().runnable);
    client.invoke("acme.set.echo", &InvokeRequest::default()).await.unwrap();
    for (values, code) in
        [(json!({ "days": "many" }), "invalid_setting"), (json!({ "ctiy": "Oslo" }), "invalid_setting")]
    {
        assert_eq!(problem(client.set_config(ID, &change(values)).await).code.as_str(), code);
    }
    let meant = problem(client.set_config(ID, &change(json!({ "ctiy": "Oslo" }))).await);
    assert_eq!(meant.hints[0], "did you mean `city`?");
    assert!(client.remove_config(ID).await.unwrap().removed);
    assert!(!client.remove_config(ID).await.unwrap().removed);
    assert_eq!(client.config(ID).await.unwrap().revision, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_profile_narrows_and_every_grant_says_why() {
    let daemon = daemon().await;
    let client = daemon.over_tcp();
    assert_eq!(client.profile(ID).await.unwrap().revision, 0);
    let only = ProfileChange {
        only: true,
        grants: vec!["channel:alerts".into()],
        limits: vec!["fuel=1000000".into()],
    };
    let profile = client.set_profile(ID, &only).await.unwrap();
    assert_eq!(profile.grants.as_deref(), Some(&["channel:alerts".to_owned()][..]));
    assert_eq!(profile.limits["fuel"], 1_000_000);
    let grants = client.plugin_grants(ID).await.unwrap();
    assert_eq!(grants.grants, ["channel:alerts"]);
    let storage = grants.derivations.iter().find(|one| one.asked.starts_with("storage:")).unwrap();
    let no = storage.steps.last().unwrap();
    assert_eq!((no.by, no.verdict), (GrantAuthority::Profile, GrantVerdict::Refused));
    assert!(
        no.remedy
            .as_ref()
            .unwrap()
            .starts_with("palyra plugins profile set acme.set --grant 'storage:notes/")
    );
    let info = client.plugin(ID).await.unwrap();
    assert_eq!((info.summary.narrowed, info.declared.len(), info.profile_set), (1, 2, Some(profile)));
    let back = ProfileChange { grants: vec![storage.asked.clone()], ..ProfileChange::default() };
    client.set_profile(ID, &back).await.unwrap();
    assert_eq!(client.plugin_grants(ID).await.unwrap().grants.len(), 2, "the remedy is one");
    let odd = ProfileChange { grants: vec!["door:open".into()], ..ProfileChange::default() };
    assert_eq!(problem(client.set_profile(ID, &odd).await).code.as_str(), "usage");
    let inside = format!("fs-read:docs={}", daemon.root.path().display());
    let inside = ProfileChange { only: true, grants: vec![inside], ..ProfileChange::default() };
    assert_eq!(problem(client.set_profile(ID, &inside).await).code.as_str(), "invalid_setting");
    let reader = daemon.over_tcp_as(&daemon.token_with("reader", &[Scope::Read, Scope::Operate]));
    assert_eq!(problem(reader.set_profile(ID, &only).await).code.as_str(), "forbidden");
    assert!(client.remove_profile(ID).await.unwrap().removed);
    assert!(!client.remove_profile(ID).await.unwrap().removed);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_skill_touched_outlives_it() {
    let daemon = Daemon::with_bench().await;
    let client = daemon.over_tcp();
    let run = client.invoke("acme.bench.echo", &InvokeRequest::default()).await.unwrap();
    daemon.state().skills().remove("acme.bench", "owner").unwrap();
    let touched = client.touched("acme.bench").await.unwrap();
    assert_eq!((touched.totals.completed, touched.runs[0].run_id.as_str()), (1, run.run_id.as_str()));
    for missing in [
        client.touched("acme.never").await.map(drop),
        client.plugin("acme.never").await.map(drop),
        client.plugin_grants("acme.never").await.map(drop),
        client.check_plugin("acme.never").await.map(drop),
        client.profile("acme.never").await.map(drop),
        client.set_profile("acme.never", &ProfileChange::default()).await.map(drop),
        client.remove_profile("acme.never").await.map(drop),
        client.config("acme.never").await.map(drop),
        client.set_config("acme.never", &ConfigChange::default()).await.map(drop),
        client.remove_config("acme.never").await.map(drop),
    ] {
        assert_eq!(problem(missing).code.as_str(), "not_found");
    }
}
