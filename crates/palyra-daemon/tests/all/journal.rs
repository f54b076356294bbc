//! The journal over HTTP: pages, proofs, verdicts and checkpoints.

use crate::daemon::Daemon;
use crate::raw::ask;
use palyra_api::ClientError;
use palyra_api::journal::{JournalQuery, VerifyRequest};
use palyra_api::tools::InvokeRequest;
use palyra_common::Scope;

fn code<T: std::fmt::Debug>(result: Result<T, ClientError>) -> String {
    result.unwrap_err().into_problem().code.to_string()
}

async fn with_keys(count: usize) -> Daemon {
    let daemon = Daemon::start().await;
    for number in 0..count {
        daemon.in_process().new_key(&format!("key{number}")).await.unwrap();
    }
    daemon
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_go_through_everything_in_both_directions() {
    let daemon = with_keys(7).await;
    let client = daemon.over_tcp_as(&daemon.token_with("reader", &[Scope::Read]));
    let size = daemon.state().journal().head().size;
    let mut forward = Vec::new();
    let mut query = JournalQuery { limit: Some(3), ..JournalQuery::default() };
    loop {
        let page = client.journal(&query).await.unwrap();
        assert_eq!(page.next_before, None);
        forward.extend(page.events.iter().map(|event| event.sequence));
        let Some(from) = page.next_from else { break };
        query.from = Some(from);
    }
    assert_eq!(forward, (0..size).collect::<Vec<_>>());
    let mut backward = Vec::new();
    let mut query = JournalQuery { limit: Some(3), newest_first: true, ..JournalQuery::default() };
    loop {
        let page = client.journal(&query).await.unwrap();
        assert_eq!(page.next_from, None);
        backward.extend(page.events.iter().map(|event| event.sequence));
        let Some(before) = page.next_before else { break };
        query.before = Some(before);
    }
    backward.reverse();
    assert_eq!(backward, forward);
    assert_eq!(
        client.journal(&JournalQuery::default()).await.unwrap(),
        daemon.in_process().journal(&JournalQuery::default()).await.unwrap()
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn filters_proofs_and_what_no_query_is() {
    let daemon = with_keys(2).await;
    let client = daemon.over_tcp();
    let query = JournalQuery { kinds: vec!["keys:created".into()], proofs: true, ..JournalQuery::default() };
    let page = client.journal(&query).await.unwrap();
    assert_eq!(page.events.len(), 2);
    for event in &page.events {
        let proof = event.proof.as_ref().unwrap();
        assert_eq!((proof.sequence, &proof.head), (event.sequence, &page.head));
    }
    let none = JournalQuery { skill: Some("a&limit=1".into()), ..JournalQuery::default() };
    assert_eq!(client.journal(&none).await.unwrap().events, []);
    let unknown = JournalQuery { kinds: vec!["keys:made".into()], ..JournalQuery::default() };
    assert_eq!(code(client.journal(&unknown).await), "usage");
    let token = Some(daemon.token.as_str());
    for bad in [
        "from=-1",
        "limit=x",
        "limit=70000",
        "limit=0",
        "limit=1001",
        "newest_first=maybe",
        "kind=keys:created",
        "from=1&from=2",
        "from=18446744073709551615",
        "since_ms=9007199254740992",
    ] {
        let reply = ask(&daemon, "GET", &format!("/v1/journal?{bad}"), token, &[], "").await;
        assert_eq!((reply.status, reply.code().as_str()), (400, "usage"), "{bad}");
    }
    for odd in ["limit=1000", "from=9007199254740991", "since_ms=9007199254740991", "kinds=,"] {
        let reply = ask(&daemon, "GET", &format!("/v1/journal?{odd}"), token, &[], "").await;
        assert_eq!(reply.status, 200, "{odd} {reply:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_checkpoint_kept_elsewhere_is_compared() {
    let daemon = with_keys(1).await;
    let client = daemon.over_tcp_as(&daemon.token_with("operator", &[Scope::Operate]));
    let checkpoint = client.checkpoint().await.unwrap();
    assert!(checkpoint.note.contains(&checkpoint.origin) && checkpoint.key.is_some());
    daemon.in_process().new_key("later").await.unwrap();
    let against = VerifyRequest { against: Some(checkpoint.note.clone()) };
    let verified = client.verify_journal(&against).await.unwrap();
    assert_eq!(verified.against, Some(checkpoint.head.size));
    assert_eq!(verified.events_checked, daemon.state().journal().head().size);
    assert_eq!(client.verify_journal(&VerifyRequest::default()).await.unwrap().against, None);
    for bad in [
        "hello".to_owned(),
        String::new(),
        checkpoint.note.replacen(&checkpoint.head.size.to_string(), "9", 1),
    ] {
        let against = VerifyRequest { against: Some(bad) };
        assert_eq!(code(client.verify_journal(&against).await), "bad_checkpoint");
    }
    let reader = daemon.over_tcp_as(&daemon.token_with("reader", &[Scope::Read]));
    assert_eq!(code(reader.checkpoint().await), "forbidden");
    assert_eq!(code(reader.verify_journal(&VerifyRequest::default()).await), "forbidden");
}

#[tokio::test(flavor = "multi_thread")]
async fn another_history_is_found_out() {
    let (one, two) = (with_keys(3).await, with_keys(1).await);
    // Another journal has another key, so its checkpoint is rejected as foreign.
    let foreign = one.in_process().checkpoint().await.unwrap();
    let against = VerifyRequest { against: Some(foreign.note) };
    assert_eq!(code(two.over_tcp().verify_journal(&against).await), "bad_checkpoint");
}

#[tokio::test(flavor = "multi_thread")]
async fn verify_names_an_edited_run_and_lists_show_that_it_differs() {
    let daemon = Daemon::with_bench().await;
    let client = daemon.over_socket();
    let called = client.invoke("acme.bench.echo", &InvokeRequest::default()).await.unwrap();
    let intact = client.verify_journal(&VerifyRequest::default()).await.unwrap();
    assert_eq!(intact.runs_checked, 1);
    let edit = |transaction: &mut palyra_journal::JournalTransaction<'_>| {
        let sql = "UPDATE runs SET status = 'failed'";
        transaction.sql().execute(sql, []).map_err(palyra_journal::JournalError::sqlite("edit"))
    };
    daemon.state().journal().transaction(palyra_journal::Durability::Normal, edit).await.unwrap();
    let problem = client.verify_journal(&VerifyRequest::default()).await.unwrap_err().into_problem();
    let what = problem.details["differences"][0]["what"].as_str().unwrap().to_owned();
    assert_eq!((problem.code.as_str(), what), ("state_damaged", format!("row `runs/{}`", called.run_id)));
    assert_eq!(client.run(&called.run_id).await.unwrap().run.differs, ["status"]);
    let checks = client.check_state().await.unwrap().checks;
    let records = checks.iter().find(|check| check.id == "runs.records").unwrap();
    assert!(records.severity == "error" && records.evidence.contains(&called.run_id), "{records:?}");
    // A serving daemon signs checkpoints on request and when it stops.
    let checkpoint = checks.iter().find(|check| check.id == "journal.checkpoint").unwrap();
    assert!(["ok", "note"].contains(&checkpoint.severity.as_str()), "{checkpoint:?}");
}
