//! The journal as a stream.

use crate::daemon::Daemon;
use palyra_api::client::sse::{SseEvent, SseStream};
use palyra_api::events::Event;
use palyra_api::tools::InvokeRequest;
use palyra_common::Scope;

async fn next(stream: &mut SseStream) -> (SseEvent, Event) {
    let event = stream.next().await.unwrap().expect("the stream goes on");
    let told: Event = serde_json::from_str(&event.data).unwrap();
    assert_eq!(
        (event.id.clone(), event.event.clone()),
        (Some(told.sequence.to_string()), Some(told.kind.clone()))
    );
    (event, told)
}

#[tokio::test(flavor = "multi_thread")]
async fn events_come_as_they_happen_and_are_replayed_after_the_last_one_seen() {
    let daemon = Daemon::with_bench().await;
    let client = daemon.over_tcp();
    let mut live = client.events(&["run"], None).await.unwrap();
    let first = client.invoke("acme.bench.echo", &InvokeRequest::default()).await.unwrap();
    let (_, seen) = next(&mut live).await;
    assert_eq!((seen.kind.as_str(), seen.sequence), ("run:completed", first.receipt.sequence));
    assert_eq!(seen.run.as_deref(), Some(first.run_id.as_str()));
    drop(live);
    for _ in 0..3 {
        client.invoke("acme.bench.fail", &InvokeRequest::default()).await.unwrap_err();
    }
    let mut again =
        daemon.over_socket().events(&["run:failed", "run:completed"], Some(seen.sequence)).await.unwrap();
    let mut last = seen.sequence;
    for _ in 0..3 {
        let (_, event) = next(&mut again).await;
        assert_eq!(event.kind, "run:failed");
        assert!(event.sequence > last);
        last = event.sequence;
    }
    let mut all = client.events(&[], Some(0)).await.unwrap();
    assert_eq!(next(&mut all).await.1.sequence, 1, "everything after the first event");
}

#[tokio::test(flavor = "multi_thread")]
async fn streams_are_counted_and_end_with_the_daemon() {
    let daemon = Daemon::start().await;
    let client = daemon.over_tcp_as(&daemon.token_with("reader", &[Scope::Read]));
    let mut open = Vec::new();
    loop {
        match client.events(&[], None).await {
            Ok(stream) => open.push(stream),
            Err(error) => {
                assert_eq!(error.into_problem().code.as_str(), "too_many_streams");
                break;
            }
        }
    }
    assert_eq!(open.len(), 16);
    assert!(daemon.over_tcp().events(&[], None).await.is_ok(), "another token has its own");
    let unknown = daemon.over_tcp().events(&["runs"], None).await;
    assert_eq!(unknown.err().unwrap().into_problem().code.as_str(), "usage");
    let ended = tokio::spawn(async move { while open[0].next().await.unwrap().is_some() {} });
    daemon.stop_and_reopen().await;
    ended.await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_ends_with_the_token_it_was_opened_with() {
    let daemon = Daemon::start().await;
    let reader = daemon.token_with("reader", &[Scope::Read]);
    let mut stream = daemon.over_tcp_as(&reader).events(&[], None).await.unwrap();
    daemon.over_tcp().remove_token("reader").await.unwrap();
    assert!(stream.next().await.unwrap().is_none(), "not even the removal is told");
}
