//! The life cycle of a skill over HTTP: plans, decisions, and events in the journal.

use crate::daemon::Daemon;
use crate::guests::package;
use palyra_api::client::full_body;
use palyra_api::packages::{MAX_PACKAGE_BYTES, PackageQuery};
use palyra_api::skills::{
    AuditVerdict, ConsentBody, DisableBody, EnableBody, InstallQuery, InstallStage, Placement,
    QuarantineBody, RemoveQuery, RollbackBody, SkillStatus, TrustDecision,
};
use palyra_api::tools::InvokeRequest;
use palyra_api::{Client, ClientError, Problem, Transport};
use palyra_common::Scope;
use palyra_journal::Query;

const ID: &str = "acme.bench";
const GROWN: &str = "[capabilities]\nstorage_prefixes = [\"notes/\"]";

fn tofu() -> InstallQuery {
    InstallQuery { allow_tofu: true, ..InstallQuery::default() }
}

fn problem<T: std::fmt::Debug>(result: Result<T, ClientError>) -> Problem {
    result.unwrap_err().into_problem()
}

fn code<T: std::fmt::Debug>(result: Result<T, ClientError>) -> String {
    problem(result).code.to_string()
}

/// From a package to a removed skill, with the same results over every transport.
async fn live<T: Transport>(daemon: &Daemon, client: &Client<T>) {
    let ((old, digest), (new, _)) = (package("bench", "", 1), package("bench", GROWN, 2));
    let send = |bytes: &[u8]| full_body(bytes.to_vec());
    let before = daemon.state().journal().head().size;
    let unknown = client.verify_package(send(&old), PackageQuery::default()).await.unwrap();
    assert!(matches!(unknown.trust, TrustDecision::Unknown { .. }));
    assert_eq!((unknown.skill_id.as_str(), unknown.steps.len()), (ID, 10));
    let offered = client.verify_package(send(&old), PackageQuery { allow_tofu: true }).await.unwrap();
    assert!(matches!(offered.trust, TrustDecision::TofuOffer { .. }));
    let audited = client.audit_package(send(&old)).await.unwrap().audits;
    assert_eq!(audited[0].report.as_ref().unwrap().verdict, AuditVerdict::Pass);
    let planned = client.plan_package(send(&old), &tofu()).await.unwrap();
    assert_eq!(planned.status, SkillStatus::AwaitingConsent);
    let early = InstallQuery { update: true, ..tofu() };
    assert_eq!(code(client.plan_package(send(&old), &early).await), "not_installed");
    assert_eq!(daemon.state().journal().head().size, before, "looking changes nothing");
    assert_eq!(code(client.install(send(&old), &early).await), "not_installed");

    let stored = client.install(send(&old), &tofu()).await.unwrap();
    assert_eq!(
        (stored.status, stored.consent_digest.as_deref()),
        (planned.status, Some(&*digest.to_string()))
    );
    let stages: Vec<InstallStage> = stored.steps.iter().map(|step| step.stage).collect();
    assert_eq!((stages.first(), stages.last()), (Some(&InstallStage::Verify), Some(&InstallStage::Store)));
    let asked = client.consent_asked(ID).await.unwrap();
    assert_eq!((asked.needed, &asked.digest), (true, &digest.to_string()));
    let wrong = ConsentBody { digest: "0".repeat(64), secrets: Vec::new() };
    assert_eq!(code(client.consent_to_skill(ID, &wrong).await), "consent_mismatch");
    let right = ConsentBody { digest: asked.digest, secrets: Vec::new() };
    assert_eq!(client.consent_to_skill(ID, &right).await.unwrap().status, SkillStatus::Active);
    assert!(!client.consent_asked(ID).await.unwrap().needed);
    let run = async || client.invoke("acme.bench.echo", &InvokeRequest::default()).await.map(drop);
    run().await.unwrap();

    let off = client.disable_skill(ID, &DisableBody::default()).await.unwrap();
    assert_eq!(off.runtime_status, Some(SkillStatus::Disabled));
    assert_eq!(code(run().await), "not_runnable");
    let on = EnableBody::default();
    assert_eq!(client.enable_skill(ID, &on).await.unwrap().status, SkillStatus::Active);
    let kept = QuarantineBody { reason: "under review".into() };
    let kept = client.quarantine_skill(ID, &kept).await.unwrap();
    assert_eq!(kept.runtime_status, Some(SkillStatus::Quarantined));
    assert_eq!(code(run().await), "not_runnable");
    assert_eq!(client.audit_skills().await.unwrap().audits[0].runtime_status, Some(SkillStatus::Quarantined));
    assert_eq!(client.enable_skill(ID, &on).await.unwrap().status, SkillStatus::Active);
    assert_eq!(client.verify_skill(ID).await.unwrap().steps.len(), 10);
    assert_eq!(client.audit_skill(ID).await.unwrap().audits.len(), 1);

    let update = InstallQuery { update: true, ..InstallQuery::default() };
    let would = client.plan_package(send(&new), &update).await.unwrap();
    assert_eq!(would.diff.as_ref().unwrap().rows.iter().filter(|row| row.subject == "notes/").count(), 1);
    let waiting = client.install(send(&new), &update).await.unwrap();
    assert_eq!((waiting.status, waiting.placement), (SkillStatus::AwaitingConsent, Placement::Waiting));
    run().await.unwrap();
    let digest = waiting.consent_digest.unwrap();
    assert_eq!(client.consent_asked(ID).await.unwrap().digest, digest);
    let updated = client.consent_to_skill(ID, &ConsentBody { digest, secrets: Vec::new() }).await.unwrap();
    assert_eq!(updated.record.current.manifest_text("version"), "2.0.0");
    let older = problem(client.install(send(&old), &tofu()).await);
    assert_eq!((older.status, older.exit_code()), (422, 5), "a step back is refused: {older:?}");
    let none = RollbackBody { version: Some("9.9.9".into()) };
    assert_eq!(code(client.roll_back_skill(ID, &none).await), "no_earlier_release");
    let back = client.roll_back_skill(ID, &RollbackBody::default()).await.unwrap();
    assert_eq!(back.record.current.manifest_text("version"), "1.0.0");

    let removed = client.remove_skill(ID, RemoveQuery::default()).await.unwrap();
    assert_eq!((removed.version.as_str(), removed.publisher.as_str()), ("1.0.0", "acme"));
    assert!(client.skills().await.unwrap().skills.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_skill_lives_and_goes_over_tcp() {
    let daemon = Daemon::start().await;
    live(&daemon, &daemon.over_tcp()).await;
    let (state, _home) = daemon.stop_and_reopen().await;
    assert!(state.skills().list().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_skill_lives_and_goes_over_the_socket_and_in_process() {
    let daemon = Daemon::start().await;
    live(&daemon, &daemon.over_socket()).await;
    // A removed release cannot be installed again, except in another state root, which has no record of it.
    let other = Daemon::start().await;
    live(&other, &other.in_process()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn skill_reports_are_the_same_on_every_transport() {
    let daemon = Daemon::start().await;
    let (own, remote) = (daemon.in_process(), daemon.over_tcp());
    let (bytes, _) = package("bench", GROWN, 1);
    let send = || full_body(bytes.clone());
    assert_eq!(
        own.plan_package(send(), &tofu()).await.unwrap(),
        remote.plan_package(send(), &tofu()).await.unwrap()
    );
    assert_eq!(own.audit_package(send()).await.unwrap(), remote.audit_package(send()).await.unwrap());
    let mut flipped = bytes.clone();
    flipped[bytes.len() / 2] ^= 1;
    let refused = |problem: Problem| {
        assert_eq!((problem.status, problem.exit_code()), (422, 5), "{problem:?}");
        assert!(problem.details["step"].is_string() && !problem.hints.is_empty(), "{problem:?}");
        Problem { request_id: None, ..problem }
    };
    assert_eq!(
        refused(problem(own.install(full_body(flipped.clone()), &tofu()).await)),
        refused(problem(remote.install(full_body(flipped), &tofu()).await))
    );
    for missing in [
        code(own.verify_skill("acme.benhc").await),
        code(remote.remove_skill("acme.benhc", RemoveQuery::default()).await),
        code(remote.enable_skill("acme.benhc", &EnableBody::default()).await),
        code(remote.consent_asked("acme.benhc").await),
    ] {
        assert_eq!(missing, "not_found");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_operator_stores_and_stops_and_only_an_admin_lets_run() {
    let daemon = Daemon::start().await;
    let operator = daemon.over_tcp_as(&daemon.token_with("night-shift", &[Scope::Read, Scope::Operate]));
    let (bytes, digest) = package("bench", "", 1);
    let send = || full_body(bytes.clone());
    for wide in [
        tofu(),
        InstallQuery { consent: Some(digest.to_string()), ..InstallQuery::default() },
        InstallQuery { accept: Some("url-undeclared".into()), ..InstallQuery::default() },
    ] {
        let refused = problem(operator.install(send(), &wide).await);
        assert_eq!((refused.code.as_str(), &refused.details["scope"]), ("forbidden", &"admin".into()));
    }
    let stored = operator.install(send(), &InstallQuery::default()).await.unwrap();
    assert_eq!(stored.status, SkillStatus::Quarantined);
    assert_eq!(code(operator.enable_skill(ID, &EnableBody::default()).await), "forbidden");
    let consent = ConsentBody { digest: digest.to_string(), secrets: Vec::new() };
    assert_eq!(code(operator.consent_to_skill(ID, &consent).await), "forbidden");
    let reader = daemon.over_tcp_as(&daemon.token_with("reader", &[Scope::Read]));
    assert_eq!(code(reader.disable_skill(ID, &DisableBody::default()).await), "forbidden");
    assert_eq!(code(reader.install(send(), &InstallQuery::default()).await), "forbidden");
    operator.disable_skill(ID, &DisableBody { reason: Some("not tonight".into()) }).await.unwrap();
    daemon
        .over_socket()
        .quarantine_skill(ID, &QuarantineBody { reason: "by the owner".into() })
        .await
        .unwrap();
    operator.remove_skill(ID, RemoveQuery::default()).await.unwrap();

    let events = daemon.state().journal().query(&Query { limit: 1_000, ..Query::default() }).unwrap().events;
    let mut who = Vec::new();
    for event in events.iter().map(|recorded| &recorded.event) {
        if event.skill.as_deref() == Some(ID) {
            who.push((event.kind.to_string(), event.actor.clone().unwrap()));
        }
    }
    let operator = |kind: &str| (kind.to_owned(), "night-shift".to_owned());
    assert_eq!(
        who,
        [
            operator("skill:quarantined"),
            operator("skill:disabled"),
            ("skill:quarantined".to_owned(), "owner".to_owned()),
            operator("skill:removed"),
        ]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn two_who_install_at_once_leave_one_skill() {
    let daemon = Daemon::start().await;
    let (bytes, _) = package("bench", "", 1);
    let installs = (0..6).map(|_| {
        let (client, bytes) = (daemon.over_tcp(), bytes.clone());
        async move { client.install(full_body(bytes), &tofu()).await }
    });
    let outcomes = futures::future::join_all(installs).await;
    assert!(outcomes.iter().any(Result::is_ok));
    for outcome in outcomes {
        match outcome {
            Ok(outcome) => assert_eq!(outcome.status, SkillStatus::AwaitingConsent),
            Err(error) => assert!(["state_busy"].contains(&error.into_problem().code.as_str())),
        }
    }
    let (state, _home) = daemon.stop_and_reopen().await;
    assert_eq!(state.skills().list().len(), 1);
}

#[test]
fn both_sides_know_the_same_ceiling() {
    assert_eq!(MAX_PACKAGE_BYTES as u64, palyra_skills::constants::MAX_ARCHIVE_BYTES);
}
