//! Deliveries of hooks and channels in one list and one engine.

use crate::channels::install_publisher;
use crate::daemon::Daemon;
use crate::hooks::{bind, daemon, events, quick, until};
use palyra_api::channels::{AddChannelRequest, ChannelTarget};
use palyra_api::deliveries::LaneKind;
use palyra_api::tools::InvokeRequest;
use palyra_journal::EventKind;

/// Starts a daemon whose hook `fail` and channel `alerts` have one dead letter each.
async fn with_dead_letters() -> (Daemon, tempfile::TempDir) {
    let daemon = daemon().await;
    install_publisher(daemon.state());
    bind(&daemon, "fail", "run:completed").await;
    bind(&daemon, "agree", "run:completed").await;
    daemon.app.become_gateway(quick());
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("not-there").join("alerts.jsonl");
    let request = AddChannelRequest {
        name: "alerts".into(),
        to: ChannelTarget::File,
        path: Some(path.display().to_string()),
        ..AddChannelRequest::default()
    };
    daemon.over_socket().add_channel(&request).await.unwrap();
    daemon.over_socket().invoke("acme.speaker.say", &InvokeRequest::default()).await.unwrap();
    until(&daemon, "all is settled", |daemon| {
        let given_up = [EventKind::HookDeadLettered, EventKind::ChannelDeadLettered];
        events(daemon, &given_up).len() == 2 && !crate::hooks::told(daemon, "agree").is_empty()
    })
    .await;
    (daemon, folder)
}

#[tokio::test(flavor = "multi_thread")]
async fn hooks_and_channels_are_lanes_of_one_list() {
    let (daemon, _folder) = with_dead_letters().await;
    let lanes = daemon.over_socket().deliveries().await.unwrap().lanes;
    let facts: Vec<_> = lanes
        .iter()
        .map(|lane| {
            let delivered = lane.cursor.as_ref().map(|cursor| cursor.delivered);
            (lane.kind, lane.name.as_str(), lane.to.as_str(), delivered, lane.dead_letters)
        })
        .collect();
    let expected = [
        (LaneKind::Hook, "agree", "acme.watch.agree", Some(1), 0),
        (LaneKind::Hook, "fail", "acme.watch.fail", Some(0), 1),
        (LaneKind::Channel, "alerts", "file", Some(0), 1),
    ];
    let mut facts = facts;
    facts.sort_by_key(|fact| (fact.0 == LaneKind::Channel, fact.1));
    assert_eq!(facts, expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn dead_letters_of_all_lanes_are_filtered_retried_and_dropped() {
    let (daemon, folder) = with_dead_letters().await;
    let client = daemon.over_socket();
    let all = client.delivery_dead_letters(None, None, None).await.unwrap().dead_letters;
    assert!(all.len() == 2 && all[0].letter > all[1].letter, "{all:?}");
    let of_hook = client.delivery_dead_letters(Some("fail"), None, None).await.unwrap().dead_letters;
    let of_channel = client.delivery_dead_letters(None, Some("alerts"), None).await.unwrap().dead_letters;
    let ([hook], [channel]) = (&of_hook[..], &of_channel[..]) else { panic!("{of_hook:?} {of_channel:?}") };
    assert_eq!((hook.kind, hook.event.as_deref()), (LaneKind::Hook, Some("run:completed")));
    assert_eq!((channel.kind, channel.event.as_deref(), channel.attempts), (LaneKind::Channel, None, 3));
    // The routes of hooks and channels show the same letters, each only those of its kind.
    assert_eq!(client.dead_letters(None, None).await.unwrap().dead_letters[0].letter, hook.letter);
    let foreign = client.retry_dead_letter(channel.letter).await.unwrap_err().into_problem();
    assert_eq!(foreign.code.as_str(), "not_found");
    assert_eq!(
        client.drop_channel_letter("alerts", hook.letter).await.unwrap_err().into_problem().code.as_str(),
        "not_found"
    );
    for (hook, channel, code) in [
        (Some("fial"), None, "not_found"),
        (None, Some("alert"), "not_found"),
        (Some("fail"), Some("alerts"), "usage"),
    ] {
        let problem = client.delivery_dead_letters(hook, channel, None).await.unwrap_err().into_problem();
        assert_eq!(problem.code.as_str(), code, "{}", problem.detail);
    }
    std::fs::create_dir(folder.path().join("not-there")).unwrap();
    let retried = client.retry_delivery(channel.letter).await.unwrap();
    assert_eq!((retried.delivered.letter, retried.hook), (channel.letter, None));
    assert_eq!(
        client.retry_delivery(hook.letter).await.unwrap_err().into_problem().code.as_str(),
        "tool_failed"
    );
    assert_eq!(client.drop_delivery(hook.letter).await.unwrap().letter, hook.letter);
    assert_eq!(
        client.drop_delivery(hook.letter).await.unwrap_err().into_problem().code.as_str(),
        "not_found"
    );
    assert!(client.delivery_dead_letters(None, None, None).await.unwrap().dead_letters.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn removed_channel_leaves_no_cursor_and_no_dead_letter() {
    let (daemon, _folder) = with_dead_letters().await;
    daemon.over_socket().remove_channel("alerts").await.unwrap();
    let left = daemon.state().deliveries().cursors().unwrap();
    assert!(left.keys().all(|lane| lane.name != "alerts"), "{left:?}");
    let letters = daemon.state().deliveries().dead_letters(&Default::default(), 10).unwrap();
    assert!(letters.iter().all(|letter| letter.lane.name == "fail"), "{letters:?}");
}
