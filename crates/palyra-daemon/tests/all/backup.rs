//! A backup during calls, restored into another state root.

use crate::daemon::{Daemon, options};
use http_body_util::BodyExt;
use palyra_api::tools::InvokeRequest;
use palyra_common::Scope;
use palyra_journal::{EventKind, Query, VerifyScope};
use palyra_state::{RestoreAcceptance, State, StateRoot, check_backup};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

fn receipts(state: &State) -> u64 {
    let mut query = Query { kinds: vec![EventKind::RunCompleted], limit: 1_000, ..Query::default() };
    let mut count = 0;
    loop {
        let page = state.journal().query(&query).unwrap();
        count += page.events.len() as u64;
        match page.next {
            Some(next) => query = next,
            None => return count,
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_backup_is_made_while_calls_go_on_and_opens_elsewhere() {
    let daemon = Daemon::with_bench().await;
    let going = Arc::new(AtomicBool::new(true));
    let call = |client: palyra_api::Client<_>| {
        let going = Arc::clone(&going);
        async move {
            let mut calls = 0_u64;
            while going.load(Ordering::SeqCst) {
                client.invoke("acme.bench.echo", &InvokeRequest::default()).await.unwrap();
                calls += 1;
            }
            calls
        }
    };
    let calls: Vec<_> = (0..4).map(|_| tokio::spawn(call(daemon.over_socket()))).collect();
    let mut heard = 0;
    let folder = tempfile::tempdir().unwrap();
    for number in 0..3 {
        let before = receipts(daemon.state());
        let bytes = daemon.over_socket().backup().await.unwrap().collect().await.unwrap().to_bytes();
        let after = receipts(daemon.state());
        let file = folder.path().join(format!("{number}.tar"));
        std::fs::write(&file, &bytes).unwrap();
        let manifest = check_backup(&file).unwrap();
        let root = StateRoot::new(folder.path().join(format!("root-{number}")));
        let staged = root.stage_restore(&options(daemon.clock()), &file).unwrap();
        staged.finish(&RestoreAcceptance::default()).unwrap();
        let state = State::open(&root, &options(daemon.clock())).unwrap();
        let there = receipts(&state);
        assert!((before..=after).contains(&there), "{before} {there} {after}");
        let verified = state.journal().verify(VerifyScope::Everything, None).unwrap();
        assert!(verified.damage.is_none() && state.journal().head().size > manifest.head.size);
        assert_eq!(state.view().index().iter().count(), 1);
        heard = there;
    }
    going.store(false, Ordering::SeqCst);
    let mut made = 0;
    for call in calls {
        made += call.await.unwrap();
    }
    assert!(heard > 0 && made >= heard, "{made} {heard}");
    assert_eq!(receipts(daemon.state()), made, "no call was lost or told twice");
    daemon.stop_and_reopen().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_leaves_only_for_the_owner_on_its_own_machine() {
    let daemon = Daemon::start().await;
    let admin = daemon.token_with("admin", &[Scope::Admin]);
    let socket = palyra_api::client::remote::Place::Socket(daemon.socket.clone());
    let socket =
        palyra_api::client::remote::Remote::new(socket, Some(zeroize::Zeroizing::new(admin.clone())));
    let refused = [
        daemon.over_tcp().backup().await.err().unwrap().into_problem(),
        daemon.over_tcp_as(&admin).backup().await.err().unwrap().into_problem(),
        palyra_api::Client::new(socket).backup().await.err().unwrap().into_problem(),
    ];
    for problem in refused {
        assert_eq!((problem.code.as_str(), problem.hints.len()), ("forbidden", 1), "{}", problem.detail);
    }
    daemon.in_process().backup().await.unwrap().collect().await.unwrap();
    let made = Query { kinds: vec![EventKind::StateBackedUp], ..Query::default() };
    assert_eq!(daemon.state().journal().query(&made).unwrap().events.len(), 1);
}
