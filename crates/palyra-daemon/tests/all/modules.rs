//! Inline modules, and the runner policy that permits them.

use crate::daemon::Daemon;
use crate::raw::ask;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use palyra_api::modules::RunModuleRequest;
use palyra_api::policy::PolicyChange;
use palyra_api::runner_policy::{RunnerPolicy, RunnerPolicyChange};
use palyra_api::tools::{InvokeAnswer, InvokeRequest};
use palyra_api::{ClientError, Problem};
use palyra_common::Scope;
use palyra_journal::{EventKind, Query, RecordedEvent};
use palyra_policy::DEFAULT_POLICY;
use palyra_skills::Sha256Digest;
use palyra_state::verify_receipt;
use serde_json::json;
use serde_json::value::RawValue;

const ECHO: &str = r#"(module
    (import "palyra:plugin/io@1.0.0" "input-length" (func $length (result i32)))
    (import "palyra:plugin/io@1.0.0" "input-read" (func $read (param i32 i32 i32) (result i32)))
    (import "palyra:plugin/io@1.0.0" "output-write" (func $write (param i32 i32) (result i32)))
    (memory (export "memory") 2)
    (func $echo (export "palyra_plugin_main") (export "other") (result i32)
        (drop (call $read (i32.const 0) (i32.const 0) (call $length)))
        (drop (call $write (i32.const 0) (call $length)))
        (i32.const 0)))"#;
const SPIN: &str = r#"(module (memory (export "memory") 1)
    (func (export "palyra_plugin_main") (result i32) (loop (br 0)) (i32.const 0)))"#;

pub(crate) fn module(wat: &str) -> RunModuleRequest {
    let input = RawValue::from_string(r#"{"n":1}"#.into()).unwrap();
    RunModuleRequest {
        input: Some(input),
        ..RunModuleRequest::new(STANDARD.encode(wat::parse_str(wat).unwrap()))
    }
}

fn problem<T: std::fmt::Debug>(result: Result<T, ClientError>) -> Problem {
    result.unwrap_err().into_problem()
}

fn events(daemon: &Daemon, kind: EventKind) -> Vec<RecordedEvent> {
    let query = Query { kinds: vec![kind], limit: 1_000, ..Query::default() };
    daemon.state().journal().query(&query).unwrap().events
}

/// Sets a runner policy that permits inline modules.
pub(crate) async fn allow(daemon: &Daemon) {
    let policy = RunnerPolicy { allow_inline_modules: true, ..RunnerPolicy::default() };
    daemon.in_process().set_runner_policy(&RunnerPolicyChange { policy, revision: None }).await.unwrap();
}

/// A tape contains settings, grants and responses, and `GET /v1/runs/{run}/tape` requires `read`.
#[tokio::test(flavor = "multi_thread")]
async fn recording_a_call_needs_the_scope_read() {
    let daemon = Daemon::start().await;
    allow(&daemon).await;
    let recorded = RunModuleRequest { record: true, ..module(ECHO) };
    let as_token = |name: &str, scopes: &[Scope]| daemon.over_tcp_as(&daemon.token_with(name, scopes));
    let blind = as_token("blind", &[Scope::Invoke, Scope::Operate]);
    let refused = problem(blind.run_module(&recorded).await);
    assert_eq!((refused.code.as_str(), refused.status), ("forbidden", 403));
    assert_eq!(refused.details["scope"], "read");
    let tool = InvokeRequest { record: true, ..InvokeRequest::default() };
    let refused = problem(blind.invoke("acme.notes.add", &tool).await);
    assert_eq!((refused.code.as_str(), &refused.details["scope"]), ("forbidden", &json!("read")));
    assert!(blind.run_module(&module(ECHO)).await.unwrap().tape.is_none());
    let seeing = as_token("seeing", &[Scope::Read, Scope::Invoke, Scope::Operate]);
    assert!(seeing.run_module(&recorded).await.unwrap().tape.is_some());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_inline_module_is_refused_until_an_operator_allows_it() {
    let daemon = Daemon::start().await;
    let client = daemon.over_tcp();
    let refused = problem(client.run_module(&module(ECHO)).await);
    assert_eq!((refused.code.as_str(), refused.status), ("disabled", 403));
    assert_eq!(
        refused.hints,
        ["ask an operator to allow it with `palyra runner-policy set allow_inline_modules=true`"]
    );
    let told = &events(&daemon, EventKind::RunRefused)[0].event;
    assert_eq!((told.skill.as_deref(), told.actor.as_deref()), (Some("inline"), Some("owner")));
    assert_eq!(told.details["error"], "disabled");
    allow(&daemon).await;
    assert_eq!(client.run_module(&module(ECHO)).await.unwrap().result.get(), r#"{"n":1}"#);
    client.reset_runner_policy().await.unwrap();
    assert_eq!(problem(client.run_module(&module(ECHO)).await).code.as_str(), "disabled");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_inline_run_has_the_same_result_and_one_provable_receipt_on_every_way_in() {
    let daemon = Daemon::start().await;
    allow(&daemon).await;
    let request = module(ECHO);
    let digest = Sha256Digest::of(&wat::parse_str(ECHO).unwrap()).to_string();
    let mut told: Vec<InvokeAnswer> = Vec::new();
    for way in ["in process", "socket", "tcp"] {
        let before = events(&daemon, EventKind::RunCompleted).len();
        told.push(match way {
            "in process" => daemon.in_process().run_module(&request).await.unwrap(),
            "socket" => daemon.over_socket().run_module(&request).await.unwrap(),
            _ => daemon.over_tcp().run_module(&request).await.unwrap(),
        });
        assert_eq!(events(&daemon, EventKind::RunCompleted).len() - before, 1, "{way}");
    }
    for answer in &told {
        assert_eq!((answer.skill_id.as_str(), answer.tool.as_str()), ("inline", "inline"));
        assert_eq!((answer.payload.as_str(), answer.usage.fuel), (digest.as_str(), told[0].usage.fuel));
        let receipt = daemon.over_tcp().receipt(&answer.run_id).await.unwrap();
        let shown = verify_receipt(&serde_json::to_vec(&receipt).unwrap(), None).unwrap();
        assert_eq!((shown.run_id.as_str(), shown.completed), (answer.run_id.as_str(), true));
    }
    let run = daemon.over_tcp().run(&told[0].run_id).await.unwrap();
    assert_eq!((run.run.skill_id.as_str(), run.details["payload"].as_str()), ("inline", Some(&*digest)));
    // The module is not stored, so the run cannot be replayed.
    let again = problem(daemon.over_tcp().replay(&told[0].run_id).await);
    assert_eq!(again.code.as_str(), "not_runnable", "{again:?}");
    let named = RunModuleRequest { export: Some("other".into()), tool: Some("mine".into()), ..request };
    assert_eq!(daemon.over_tcp().run_module(&named).await.unwrap().tool, "mine");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_an_inline_module_never_gets_and_what_is_no_module() {
    let daemon = Daemon::start().await;
    allow(&daemon).await;
    let client = daemon.over_tcp();
    for (grant, told) in [
        ("secret:global/a reveal", "never gets a secret"),
        ("storage:a/", "never gets storage to write to"),
        ("fs-write:out=/tmp", "never gets a directory to write to"),
    ] {
        let refused = problem(
            client.run_module(&RunModuleRequest { grants: vec![grant.into()], ..module(ECHO) }).await,
        );
        assert_eq!(refused.code.as_str(), "invalid_input", "{grant}");
        assert!(refused.detail.contains(told) && refused.hints[0].contains("make it a skill"), "{refused:?}");
    }
    for (module_base64, told) in [
        ("%", "is not standard base64"),
        ("AGFzbQ", "is not standard base64"),
        ("", "invalid module"),
        ("AAAA", "invalid module"),
    ] {
        let refused = problem(client.run_module(&RunModuleRequest::new(module_base64)).await);
        assert_eq!((refused.code.as_str(), refused.status), ("invalid_input", 400), "{module_base64}");
        assert_eq!(refused.details["subject"], "module", "{refused:?}");
        assert!(refused.detail.contains(told), "{refused:?}");
    }
    let missing = RunModuleRequest { export: Some("nothing".into()), ..module(ECHO) };
    assert_eq!(problem(client.run_module(&missing).await).code.as_str(), "not_found");
    let component = RunModuleRequest::new(STANDARD.encode(wat::parse_str("(component)").unwrap()));
    assert_eq!(problem(client.run_module(&component).await).status / 100, 4);
    // Each of them is recorded in the journal.
    let told = events(&daemon, EventKind::RunRefused).len() + events(&daemon, EventKind::RunFailed).len();
    assert_eq!(told, 9);
    for odd in [
        RunModuleRequest { tool: Some(String::new()), ..module(ECHO) },
        RunModuleRequest { grants: vec!["everything".into()], ..module(ECHO) },
    ] {
        assert_eq!(problem(client.run_module(&odd).await).code.as_str(), "usage");
    }
    let body = json!({ "module_base64": "AAAA", "module_path": "/etc/passwd" }).to_string();
    let json = ("Content-Type", "application/json");
    let odd = ask(&daemon, "POST", "/v1/modules/run", Some(&daemon.token), &[json], &body).await;
    assert_eq!(odd.code().as_str(), "usage");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_limits_of_the_policy_hold_for_inline_modules() {
    let daemon = Daemon::start().await;
    let client = daemon.over_tcp();
    let bytes = wat::parse_str(ECHO).unwrap().len() as u64;
    let set = async |policy: RunnerPolicy| {
        let change = RunnerPolicyChange { policy, revision: None };
        client.set_runner_policy(&change).await.unwrap()
    };
    let open = RunnerPolicy { allow_inline_modules: true, ..RunnerPolicy::default() };
    set(RunnerPolicy { max_module_bytes: Some(bytes - 1), ..open.clone() }).await;
    let large = problem(client.run_module(&module(ECHO)).await);
    assert_eq!((large.code.as_str(), &large.details["subject"]), ("invalid_input", &"module".into()));
    assert!(large.detail.contains(&format!("more than {} bytes", bytes - 1)), "{large:?}");
    set(RunnerPolicy { max_module_bytes: Some(bytes), ..open.clone() }).await;
    client.run_module(&module(ECHO)).await.unwrap();
    set(RunnerPolicy { fuel_budget: Some(1_000), ..open.clone() }).await;
    let spun = RunModuleRequest { limits: vec!["fuel=999999999".into()], ..module(SPIN) };
    let spun = problem(client.run_module(&spun).await);
    assert_eq!((spun.code.as_str(), &spun.details["allowed"]), ("quota_exceeded", &1_000.into()));
    set(RunnerPolicy { enabled: false, ..open }).await;
    let off = problem(client.run_module(&module(ECHO)).await);
    assert_eq!(off.hints, ["ask an operator to allow it with `palyra runner-policy set enabled=true`"]);
    let body = format!("{{\"module_base64\":\"{}\"}}", "A".repeat(palyra_api::modules::MAX_RUN_MODULE_BYTES));
    let json = ("Content-Type", "application/json");
    let long = ask(&daemon, "POST", "/v1/modules/run", Some(&daemon.token), &[json], &body).await;
    assert_eq!((long.status, long.code().as_str()), (413, "body_too_large"));
}

#[tokio::test(flavor = "multi_thread")]
async fn inline_run_is_cancelled_when_policy_forbids_it() {
    let daemon = Daemon::start().await;
    allow(&daemon).await;
    let client = daemon.over_tcp();
    let caller = client.clone();
    let limits = vec!["fuel=1000000000000".into(), "timeout=600s".into()];
    let request = RunModuleRequest { limits, ..module(SPIN) };
    let call = tokio::spawn(async move { caller.run_module(&request).await });
    let run_id = loop {
        if let Some(run) = daemon.state().runs().running().into_iter().next() {
            break run.run_id;
        }
        tokio::task::yield_now().await;
    };
    client.reset_runner_policy().await.unwrap();
    assert_eq!(problem(call.await.unwrap()).code.as_str(), "cancelled");
    assert_eq!(client.run(&run_id).await.unwrap().details["ended_by"], "policy");
}

#[tokio::test(flavor = "multi_thread")]
async fn who_may_hand_in_a_module() {
    let daemon = Daemon::start().await;
    allow(&daemon).await;
    let as_token = |name: &str, scopes: &[Scope]| daemon.over_tcp_as(&daemon.token_with(name, scopes));
    let caller = as_token("caller", &[Scope::Read, Scope::Invoke]);
    let refused = problem(caller.run_module(&module(ECHO)).await);
    assert_eq!((refused.code.as_str(), &refused.details["scope"]), ("forbidden", &"operate".into()));
    assert_eq!(refused.details["policy"]["id"], "invoke-inline", "{refused:?}");
    let both = as_token("both", &[Scope::Invoke, Scope::Operate]);
    both.run_module(&module(ECHO)).await.unwrap();
    let granted = RunModuleRequest { grants: vec!["channel:alerts".into()], ..module(ECHO) };
    let refused = problem(both.run_module(&granted).await);
    assert_eq!((refused.code.as_str(), &refused.details["scope"]), ("forbidden", &"admin".into()));
    let rule = "@id(\"no-loose-code\") @advice(\"install it\") \
        forbid (principal == Principal::\"token/both\", action == Action::\"invoke\", resource is Daemon);";
    let change = PolicyChange { text: format!("{DEFAULT_POLICY}\n{rule}\n") };
    daemon.in_process().set_policy(&change).await.unwrap();
    let denied = problem(both.run_module(&module(ECHO)).await);
    assert_eq!(denied.details["policy"]["id"], "no-loose-code", "{denied:?}");
    assert_eq!(
        (denied.details["skill_id"].as_str(), denied.hints[0].as_str()),
        (Some("inline"), "install it")
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn the_runners_policy_is_read_changed_and_reset() {
    let daemon = Daemon::with_bench().await;
    let (own, remote) = (daemon.in_process(), daemon.over_tcp());
    let first = own.runner_policy().await.unwrap();
    assert!(
        first.default && first.revision == 0 && first.policy.enabled && !first.policy.allow_inline_modules
    );
    assert_eq!((first.policy.fuel_budget, first.policy.max_module_bytes), (None, Some(96 << 20)));
    assert_eq!(remote.runner_policy().await.unwrap(), first);
    let policy = RunnerPolicy {
        fuel_budget: Some(5_000),
        allowed_http_hosts: Some(vec!["api.example.com".into()]),
        allowed_secrets: Some(vec![]),
        allowed_storage_prefixes: Some(vec!["notes/".into()]),
        allowed_channels: Some(vec!["alerts".into()]),
        ..first.policy.clone()
    };
    let change = RunnerPolicyChange { policy, revision: Some(first.revision) };
    let set = remote.set_runner_policy(&change).await.unwrap();
    assert!(!set.default && set.revision > 0);
    assert_eq!((&set.policy, &own.runner_policy().await.unwrap()), (&change.policy, &set));
    // A change based on an older revision is rejected without an effect.
    let late = problem(own.set_runner_policy(&change).await);
    assert_eq!((late.code.as_str(), late.status), ("changed_meanwhile", 409));
    assert_eq!(late.details["found"], set.revision);
    for (policy, field) in [
        (
            RunnerPolicy { allowed_http_hosts: Some(vec!["https://x/".into()]), ..first.policy.clone() },
            "allowed_http_hosts",
        ),
        (
            RunnerPolicy { allowed_secrets: Some(vec!["token".into()]), ..first.policy.clone() },
            "allowed_secrets",
        ),
        (RunnerPolicy { max_instances: Some(0), ..first.policy.clone() }, "max_instances"),
        (RunnerPolicy { max_module_bytes: Some(1 << 40), ..first.policy.clone() }, "max_module_bytes"),
    ] {
        let refused = problem(own.set_runner_policy(&RunnerPolicyChange { policy, revision: None }).await);
        assert_eq!((refused.code.as_str(), &refused.details["field"]), ("invalid_setting", &field.into()));
    }
    assert_eq!(remote.runner_policy().await.unwrap(), set);
    let reset = remote.reset_runner_policy().await.unwrap();
    assert_eq!((&reset, own.reset_runner_policy().await.unwrap()), (&first, first.clone()));
    let told = events(&daemon, EventKind::PolicyChanged);
    let told: Vec<_> =
        told.iter().map(|one| (one.event.subject.as_deref(), one.event.actor.as_deref())).collect();
    assert_eq!(told, [(Some("runner"), Some("owner")); 2]);
    let operator = daemon.over_tcp_as(&daemon.token_with("operator", &[Scope::Read, Scope::Operate]));
    assert_eq!(problem(operator.set_runner_policy(&change).await).details["scope"], "admin");
}
