//! Operations on bindings: bind, show, test, unbind, dead letters.

use super::{bind, daemon, events, quick, told, until};
use palyra_api::hooks::{BindRequest, TestRequest};
use palyra_api::tools::InvokeRequest;
use palyra_journal::EventKind;
use serde_json::json;

#[tokio::test(flavor = "multi_thread")]
async fn a_binding_needs_a_hook_that_hears_the_event() {
    let daemon = daemon().await;
    let client = daemon.over_socket();
    let request = |event: &str, plugin: &str, hook: Option<&str>| BindRequest {
        event: event.into(),
        plugin: plugin.into(),
        hook: hook.map(Into::into),
        ..BindRequest::default()
    };
    let cases = [
        (request("run:before", "acme.watch", None), "usage", "unknown event `run:before`"),
        (request("run:failed", "acme.gone", None), "invalid_setting", "`acme.gone` is not installed"),
        (request("run:failed", "acme.bench", None), "invalid_setting", "has no hook for"),
        (request("run:failed", "acme.watch", None), "invalid_setting", "choose one"),
        (
            request("run:failed", "acme.watch", Some("acme.watch.nobody")),
            "invalid_setting",
            "has no hook `acme.watch.nobody`",
        ),
    ];
    for (request, code, words) in cases {
        let problem = client.bind_hook(&request).await.unwrap_err().into_problem();
        assert_eq!(problem.code.as_str(), code, "{}", problem.detail);
        assert!(problem.detail.contains(words), "{}", problem.detail);
    }
    let bound =
        client.bind_hook(&request("run:failed", "acme.watch", Some("acme.watch.agree"))).await.unwrap();
    assert_eq!((bound.id.as_str(), bound.gate, bound.timeout_ms), ("acme-watch-run-failed", false, 10_000));
    let again = client.bind_hook(&request("run:failed", "acme.watch", Some("acme.watch.agree"))).await;
    assert_eq!(again.unwrap_err().into_problem().code.as_str(), "already_exists");
    assert_eq!(
        client.hook("acme-watch-run-faild").await.unwrap_err().into_problem().code.as_str(),
        "not_found"
    );
    client.unbind_hook("acme-watch-run-failed").await.unwrap();
    assert!(client.hooks().await.unwrap().bindings.is_empty());
    assert_eq!(events(&daemon, &[EventKind::HooksChanged]).len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_try_shows_the_decision_and_moves_no_cursor() {
    let daemon = daemon().await;
    bind(&daemon, "remark", "run:completed").await;
    let client = daemon.over_socket();
    let tried = client.test_hook("remark", &TestRequest::default()).await.unwrap();
    assert_eq!((tried.decision.as_str(), tried.text.as_deref()), ("annotate", Some("seen")));
    let own = client
        .test_hook("remark", &TestRequest { payload: Some(json!({ "tool_id": "a.b" })) })
        .await
        .unwrap();
    assert_ne!(own.run_id, tried.run_id);
    assert_eq!(told(&daemon, "remark").len(), 2);
    assert_eq!(client.hook("remark").await.unwrap().cursor, None);
    bind(&daemon, "trap", "run:before_tool").await;
    let problem = client.test_hook("trap", &TestRequest::default()).await.unwrap_err().into_problem();
    assert_eq!(problem.code.as_str(), "trapped");
}

#[tokio::test(flavor = "multi_thread")]
async fn dead_letters_can_be_retried_or_dropped() {
    let daemon = daemon().await;
    bind(&daemon, "fail", "run:completed").await;
    daemon.app.become_gateway(quick());
    let client = daemon.over_socket();
    for _ in 0..2 {
        client.invoke("acme.bench.echo", &InvokeRequest::default()).await.unwrap();
    }
    until(&daemon, "both are put aside", |daemon| events(daemon, &[EventKind::HookDeadLettered]).len() == 2)
        .await;
    let letters = client.dead_letters(None, None).await.unwrap().dead_letters;
    let (first, second) = (letters[1].letter, letters[0].letter);
    assert!(first < second, "newest first");
    assert_eq!(
        client.retry_dead_letter(first).await.unwrap_err().into_problem().code.as_str(),
        "tool_failed"
    );
    let kept = client.dead_letters(None, None).await.unwrap().dead_letters;
    assert_eq!((kept.len(), kept[1].attempts), (2, letters[1].attempts + 1), "a failed try keeps and counts");
    assert_eq!(client.drop_dead_letter(second).await.unwrap().letter, second);
    assert_eq!(client.drop_dead_letter(second).await.unwrap_err().into_problem().code.as_str(), "not_found");
    // The same binding with another hook, which accepts the letter.
    let text = daemon.root.path().join("hooks/bindings.json");
    let edited = std::fs::read_to_string(&text).unwrap().replace("acme.watch.fail", "acme.watch.agree");
    std::fs::write(&text, edited).unwrap();
    client.apply_hooks(&Default::default()).await.unwrap();
    assert_eq!(client.retry_dead_letter(first).await.unwrap().decision, "continue");
    assert!(client.dead_letters(None, None).await.unwrap().dead_letters.is_empty());
    assert_eq!(events(&daemon, &[EventKind::HookLetterDropped]).len(), 2);
}
