//! Agent runs that a later daemon takes up.

use std::time::Duration;

use crate::daemon::Daemon;
use crate::hooks::quick;
use crate::sessions::{call, history, scripted, session, settled};
use palyra_api::sessions::{AgentRunStatus, PauseAnswer, PauseDecision, SessionEvent, SessionEventBody};
use palyra_models::testing::Script;

/// The daemon stops after the approval was denied, but before the run stored the denial.
#[tokio::test(flavor = "multi_thread")]
async fn decision_that_a_run_did_not_store_is_read_when_it_is_resumed() {
    let daemon = Daemon::with_bench().await;
    let client = daemon.over_tcp();
    daemon
        .edit(
            "CREATE TABLE kept (run_id TEXT, bytes BLOB, mac BLOB);
        CREATE TRIGGER keep AFTER INSERT ON agent_runs BEGIN
        INSERT INTO kept VALUES (NEW.run_id, NEW.bytes, NEW.mac); END",
        )
        .await;
    scripted(&daemon, [Script::calls([call("acme.bench.ask", r#"{"n":1}"#)]), Script::text("Denied.")]);
    let session = session(&client, &[]).await;
    let run = client.say(&session, "ask").await.unwrap();
    let pause = settled(&client, &run.run_id).await.pause.unwrap();
    let answer = PauseAnswer {
        decision: PauseDecision::Deny,
        bound_to: pause.bound_to.clone(),
        submit: None,
        reason: None,
        owner_present: true,
    };
    client.answer_pause(&pause.pause_id, &answer).await.unwrap();
    assert_eq!(settled(&client, &run.run_id).await.status, AgentRunStatus::Finished);
    daemon
        .edit(
            "DROP TRIGGER keep; UPDATE agent_runs SET open = 1, (bytes, mac) = (SELECT bytes, mac FROM kept
        WHERE CAST(bytes AS TEXT) LIKE '%\"status\":\"paused\"%' LIMIT 1); DROP TABLE kept",
        )
        .await;
    let before = history(&client, &session).await.len() as u64;
    let daemon = daemon.restart().await;
    daemon.app.become_gateway(quick());
    let client = daemon.over_tcp();
    let mut events = client.follow_session(&session, Some(before)).await.unwrap();
    let ended = tokio::time::timeout(Duration::from_secs(60), async {
        loop {
            let event = events.next().await.unwrap().unwrap();
            let event: SessionEvent = serde_json::from_str(&event.data).unwrap();
            if let SessionEventBody::RunFinished { status, .. } = event.body {
                return status;
            }
        }
    });
    // The second daemon has no scripted model.
    assert_eq!(ended.await.expect("the run does not wait any more"), AgentRunStatus::Failed);
}
