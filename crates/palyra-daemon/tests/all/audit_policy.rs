//! The audit policy over every transport.

use crate::daemon::Daemon;
use palyra_api::audit_policy::{AdvisoryList, AuditPolicyChange};
use palyra_api::skills::SkillStatus;
use palyra_api::{ClientError, Problem};
use palyra_common::Scope;
use palyra_common::limits::MAX_AUDIT_POLICY_BYTES;
use palyra_journal::{EventKind, Query};
use serde_json::json;

fn change(text: &str) -> AuditPolicyChange {
    AuditPolicyChange { text: text.into() }
}

fn list(date: &str, requirement: &str) -> AdvisoryList {
    let advisory = json!({ "id": "X-1", "ecosystem": "cargo", "package": "left", "affected": [requirement],
        "severity": "high", "title": "reads past the end" });
    serde_json::from_value(json!({ "date": date, "advisories": [advisory] })).unwrap()
}

fn problem<T: std::fmt::Debug>(result: Result<T, ClientError>) -> Problem {
    result.unwrap_err().into_problem()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_policy_is_shown_set_and_reset_alike_on_every_way_in() {
    let daemon = Daemon::with_bench().await;
    let (own, remote) = (daemon.in_process(), daemon.over_tcp());
    let first = own.audit_policy().await.unwrap();
    assert!(first.default && first.advisories.is_none());
    assert_eq!(remote.audit_policy().await.unwrap(), first);
    let set = remote.set_audit_policy(&change("version = 2\n[budgets]\nfunctions = 1\n")).await.unwrap();
    assert_eq!((set.version, set.audited_again.len()), (2, 1));
    let shown = own.audit_policy().await.unwrap();
    assert_eq!((shown.default, &shown.digest), (false, &set.digest));
    assert_eq!((shown.policy.version, shown.policy.budgets["functions"]), (2, 1));
    assert_eq!(daemon.over_socket().audit_policy().await.unwrap(), shown);
    // The shown text can be set again.
    let again = own.set_audit_policy(&change(&shown.text)).await.unwrap();
    assert_eq!((again.digest, again.audited_again), (set.digest, set.audited_again));
    let reset = own.reset_audit_policy().await.unwrap();
    assert_eq!((reset.version, &reset.digest), (1, &first.digest));
    assert_eq!(remote.audit_policy().await.unwrap(), first);
    let told = Query { kinds: vec![EventKind::PolicyChanged], ..Query::default() };
    let told = daemon.state().journal().query(&told).unwrap().events;
    let actors: Vec<_> =
        told.iter().map(|one| (one.event.subject.as_deref(), one.event.actor.as_deref())).collect();
    assert_eq!(actors, [(Some("audit"), Some("owner")); 3]);
}

#[tokio::test(flavor = "multi_thread")]
async fn another_policy_takes_effect_and_lets_nothing_loose() {
    let daemon = Daemon::with_bench().await;
    let client = daemon.over_tcp();
    let strict = client.set_audit_policy(&change("[budgets]\nmodule_bytes = 8\n")).await.unwrap();
    assert_eq!(strict.audited_again[0].skill_id, "acme.bench");
    assert_eq!(strict.audited_again[0].runtime_status, SkillStatus::Quarantined);
    assert_eq!(
        problem(client.invoke("acme.bench.echo", &Default::default()).await).code.as_str(),
        "not_runnable"
    );
    client.reset_audit_policy().await.unwrap();
    assert_eq!(
        problem(client.invoke("acme.bench.echo", &Default::default()).await).code.as_str(),
        "not_runnable"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn advisories_are_kept_and_what_is_none_is_refused() {
    let daemon = Daemon::with_bench().await;
    let client = daemon.over_tcp();
    let kept = client.keep_advisories(&list("2026-01-31", ">=1.0.0, <1.2.3")).await.unwrap();
    assert_eq!((kept.list.date.as_str(), kept.list.advisories, kept.before), ("2026-01-31", 1, None));
    assert_eq!(client.audit_policy().await.unwrap().advisories, Some(kept.list.clone()));
    let newer = client.keep_advisories(&list("2026-02-28", "<2")).await.unwrap();
    assert_eq!(newer.before.as_deref(), Some("2026-01-31"));
    // Resetting the policy keeps the list.
    client.reset_audit_policy().await.unwrap();
    assert_eq!(client.audit_policy().await.unwrap().advisories, Some(newer.list));
    for (list, told) in [
        (list("yesterday", "<2"), "expected `YYYY-MM-DD`"),
        (list("2026-01-31", "many"), "unexpected character"),
    ] {
        let refused = problem(client.keep_advisories(&list).await);
        assert_eq!((refused.code.as_str(), refused.status), ("invalid_policy", 422));
        assert!(refused.detail.contains(told) && refused.hints.len() == 1, "{refused:?}");
    }
    for (text, details) in [
        ("[rules]\nimport-forbidden = \"off\"\n", json!({ "rule": "import-forbidden" })),
        ("[budgets]\nwork = 999999999999\n", json!({ "budget": "work" })),
        ("colour = 1\n", json!({})),
    ] {
        let refused = problem(client.set_audit_policy(&change(text)).await);
        assert_eq!((refused.code.as_str(), refused.status), ("invalid_policy", 422));
        for (name, value) in details.as_object().unwrap() {
            assert_eq!(&refused.details[name], value, "{refused:?}");
        }
    }
    let long = "# long\n".repeat(MAX_AUDIT_POLICY_BYTES / 7 + 1);
    assert_eq!(problem(client.set_audit_policy(&change(&long)).await).code.as_str(), "invalid_policy");
    assert!(client.audit_policy().await.unwrap().default);
}

#[tokio::test(flavor = "multi_thread")]
async fn installer_cannot_change_audit_policy() {
    let daemon = Daemon::start().await;
    let operator = daemon.over_tcp_as(&daemon.token_with("operator", &[Scope::Read, Scope::Operate]));
    assert!(operator.audit_policy().await.is_ok());
    let refused = problem(operator.set_audit_policy(&change("version = 2\n")).await);
    assert_eq!((refused.code.as_str(), &refused.details["scope"]), ("forbidden", &"admin".into()));
    assert_eq!(problem(operator.reset_audit_policy().await).code.as_str(), "forbidden");
    assert_eq!(problem(operator.keep_advisories(&list("2026-01-31", "<2")).await).code.as_str(), "forbidden");
}
