//! Sessions of the agent: a message, a proposal, the answer of a person, a call and its result.

use crate::daemon::Daemon;
use palyra_api::client::remote::Remote;
use palyra_api::sessions::{
    AgentRun, AgentRunStatus, FormSubmit, NewSession, Pause, PauseAnswer, PauseDecision, PauseKind,
    PauseStatus, SessionChange, SessionEvent, SessionEventBody, SessionQuery, ToolCallStatus,
};
use palyra_api::{Client, ClientError};
use palyra_common::Scope;
use palyra_daemon::ModelSource;
use palyra_models::testing::{Script, ScriptedProvider};
use palyra_models::{Message, ModelError, ModelEvent, StopReason, ToolCall};
use serde_json::{Value, json};
use std::sync::Arc;

const ECHO: &str = "acme.bench.echo";
const ASK: &str = "acme.bench.ask";

/// Creates a session with these tools only.
pub(crate) async fn session(client: &Client<Remote>, tools: &[&str]) -> String {
    let tools = tools.iter().map(|tool| (*tool).to_owned()).collect();
    client.new_session(&NewSession { tools, ..NewSession::default() }).await.unwrap().session_id
}

/// Waits until a run ended or is paused.
pub(crate) async fn settled(client: &Client<Remote>, run_id: &str) -> AgentRun {
    let run = client.agent_run(run_id).await.unwrap();
    let mut events = client.follow_session(&run.session_id, Some(0)).await.unwrap();
    loop {
        let run = client.agent_run(run_id).await.unwrap();
        if run.status.is_final() || run.status == AgentRunStatus::Paused {
            return run;
        }
        events.next().await.unwrap().unwrap();
    }
}

pub(crate) async fn history(client: &Client<Remote>, session: &str) -> Vec<SessionEvent> {
    client.session_history(session, None).await.unwrap().events
}

pub(crate) fn names(events: &[SessionEvent]) -> Vec<&'static str> {
    events.iter().map(|event| event.body.name()).collect()
}

pub(crate) fn yes(pause: &Pause, values: Option<Value>) -> PauseAnswer {
    let submit =
        values.map(|values| FormSubmit { rev: pause.rev.unwrap(), component_id: "arguments".into(), values });
    PauseAnswer {
        decision: PauseDecision::Approve,
        bound_to: pause.bound_to.clone(),
        submit,
        reason: None,
        owner_present: true,
    }
}

fn no(pause: &Pause) -> PauseAnswer {
    PauseAnswer { decision: PauseDecision::Deny, ..yes(pause, None) }
}

pub(crate) fn scripted(daemon: &Daemon, scripts: impl IntoIterator<Item = Script>) -> ScriptedProvider {
    let provider = ScriptedProvider::new(scripts);
    daemon.app.set_model(Some(ModelSource::new("scripted", Arc::new(provider.clone()))));
    provider
}

pub(crate) fn call(tool: &str, arguments: &str) -> ToolCall {
    let name = tool.replace('.', "__");
    ToolCall { id: format!("id-{name}-{arguments}"), name, arguments: arguments.into() }
}

fn code<T: std::fmt::Debug>(result: Result<T, ClientError>) -> String {
    result.unwrap_err().into_problem().code.to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn router_proposes_a_person_confirms_and_the_tool_answers() {
    let daemon = Daemon::with_bench().await;
    let client = daemon.over_tcp();
    let session = session(&client, &[ECHO]).await;
    let run = client.say(&session, "please echo the number 7").await.unwrap();
    let run = settled(&client, &run.run_id).await;
    let pause = run.pause.clone().unwrap();
    assert_eq!(
        (run.status, pause.kind, run.model.as_deref()),
        (AgentRunStatus::Paused, PauseKind::Form, None)
    );
    let surface = client.surface(&session, pause.surface.as_deref().unwrap()).await.unwrap();
    let fields = &surface.document["components"][2]["props"]["fields"];
    assert_eq!((&fields[0]["name"], &fields[0]["default"]), (&json!("n"), &json!(7)));
    assert_eq!(code(client.say(&session, "something else").await), "busy");
    client.answer_pause(&pause.pause_id, &yes(&pause, Some(json!({ "n": 8 })))).await.unwrap();
    let run = settled(&client, &run.run_id).await;
    assert_eq!((run.status, run.used.tool_calls), (AgentRunStatus::Finished, 1));
    let events = history(&client, &session).await;
    assert_eq!(
        names(&events),
        [
            "message.completed",
            "tool.proposed",
            "surface.created",
            "run.paused",
            "run.resumed",
            "tool.proposed",
            "tool.started",
            "tool.finished",
            "usage",
            "run.finished"
        ]
    );
    let SessionEventBody::ToolFinished { status, output, tool_run_id, .. } = &events[7].body else {
        panic!()
    };
    assert_eq!((*status, output.as_deref()), (ToolCallStatus::Completed, Some(r#"{"n":8}"#)));
    let receipt = client.receipt(tool_run_id.as_deref().unwrap()).await.unwrap();
    let text = serde_json::to_vec(&receipt).unwrap();
    assert!(palyra_state::verify_receipt(&text, None).unwrap().completed);
    let listed = client.sessions(&SessionQuery::default()).await.unwrap().sessions;
    assert_eq!((listed[0].title.as_str(), &listed[0].active_run), ("please echo the number 7", &None));
}

/// The columns used in queries are not covered by the MAC of a row.
#[tokio::test(flavor = "multi_thread")]
async fn rows_given_to_another_session_or_owner_by_an_edit_are_not_listed_or_sent_to_a_model() {
    let daemon = Daemon::with_bench().await;
    let token = |name| daemon.over_tcp_as(&daemon.token_with(name, &[Scope::Read, Scope::Invoke]));
    let (one, two) = (token("one"), token("two"));
    let (victim, spy) = (session(&one, &[ECHO]).await, session(&two, &[ECHO]).await);
    let run = one.say(&victim, "echo the number 7").await.unwrap();
    assert_eq!(settled(&one, &run.run_id).await.status, AgentRunStatus::Paused);
    daemon
        .edit(&format!(
            "UPDATE agent_runs SET session_id = '{spy}'; UPDATE session_pauses SET session_id = '{spy}'"
        ))
        .await;
    daemon.advance(1);
    let provider = scripted(&daemon, [Script::text("hello")]);
    let said = two.say(&spy, "hello").await.unwrap();
    settled(&two, &said.run_id).await;
    let seen = format!("{:?}", provider.requests());
    assert!(seen.contains("hello") && !seen.contains("number 7"), "{seen}");
    let runs = two.agent_runs(&spy, None).await.unwrap().runs;
    assert_eq!(runs.iter().map(|run| &run.run_id).collect::<Vec<_>>(), [&said.run_id]);
    assert!(two.pauses(None).await.unwrap().pauses.is_empty());
    daemon
        .edit(&format!(
            "UPDATE agent_sessions SET owner = (SELECT owner FROM agent_sessions WHERE session_id = '{spy}')"
        ))
        .await;
    let listed = two.sessions(&SessionQuery::default()).await.unwrap().sessions;
    assert_eq!(listed.iter().map(|session| &session.session_id).collect::<Vec<_>>(), [&spy]);
}

/// Two calls of one tool start in the same millisecond, and the daemon stops before it stored their results.
#[tokio::test(flavor = "multi_thread")]
async fn concurrent_calls_of_one_tool_keep_their_own_runs_after_a_crash() {
    let daemon = Daemon::with_bench().await;
    let client = daemon.over_tcp();
    daemon
        .edit(
            "CREATE TABLE kept (run_id TEXT, bytes BLOB, mac BLOB);
        CREATE TRIGGER keep AFTER INSERT ON agent_runs BEGIN
        INSERT INTO kept VALUES (NEW.run_id, NEW.bytes, NEW.mac); END",
        )
        .await;
    let calls = [call(ECHO, r#"{"n":1}"#), call(ECHO, r#"{"n":2}"#)];
    scripted(&daemon, [Script::calls(calls), Script::text("done")]);
    let session = session(&client, &[ECHO]).await;
    let run = client.say(&session, "echo both").await.unwrap();
    assert_eq!(settled(&client, &run.run_id).await.status, AgentRunStatus::Finished);
    let before = history(&client, &session).await;
    // Restores the row to its content while both calls were in progress.
    daemon
        .edit(
            "DROP TRIGGER keep; UPDATE agent_runs SET open = 1, (bytes, mac) = (SELECT bytes, mac FROM kept
        WHERE CAST(bytes AS TEXT) LIKE '%\"is\":\"running\"%\"is\":\"running\"%' LIMIT 1); DROP TABLE kept",
        )
        .await;
    let daemon = daemon.restart().await;
    daemon.app.become_gateway(crate::hooks::quick());
    let client = daemon.over_tcp();
    settled(&client, &run.run_id).await;
    let outputs = |events: &[SessionEvent]| -> Vec<(String, Option<String>, Option<String>)> {
        let mut outputs: Vec<_> = events
            .iter()
            .filter_map(|event| match &event.body {
                SessionEventBody::ToolFinished { call_id, output, tool_run_id, .. } => {
                    Some((call_id.clone(), output.clone(), tool_run_id.clone()))
                }
                _ => None,
            })
            .collect();
        outputs.sort();
        outputs
    };
    let after = history(&client, &session).await.split_off(before.len());
    assert_eq!(outputs(&before).len(), 2);
    assert_eq!(outputs(&after), outputs(&before));
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_that_do_not_fit_change_nothing_and_the_second_answer_is_refused() {
    let daemon = Daemon::with_bench().await;
    let client = daemon.over_tcp();
    let session = session(&client, &[ECHO]).await;
    let run = client.say(&session, "echo the number 7").await.unwrap();
    let pause = settled(&client, &run.run_id).await.pause.unwrap();
    let id = pause.pause_id.as_str();
    let other = PauseAnswer { bound_to: "0".repeat(64), ..yes(&pause, Some(json!({ "n": 1 }))) };
    assert_eq!(code(client.answer_pause(id, &other).await), "usage");
    assert_eq!(code(client.answer_pause(id, &yes(&pause, None)).await), "usage");
    for values in [json!({ "n": "x" }), json!({ "m": 1 }), json!([])] {
        assert_eq!(code(client.answer_pause(id, &yes(&pause, Some(values))).await), "invalid_input");
    }
    let late = Pause { rev: Some(2), ..pause.clone() };
    assert_eq!(code(client.answer_pause(id, &yes(&late, Some(json!({ "n": 1 })))).await), "already_decided");
    assert_eq!(client.pause(id).await.unwrap().status, PauseStatus::Waiting);
    let stranger = daemon.over_tcp_as(&daemon.token_with("other", &[Scope::Read, Scope::Invoke]));
    assert_eq!(code(stranger.pause(id).await), "not_found");
    assert_eq!(code(stranger.session(&session).await), "not_found");
    assert!(stranger.sessions(&SessionQuery::default()).await.unwrap().sessions.is_empty());
    let deciders: Vec<_> = (0..8)
        .map(|number| {
            let (client, pause) = (client.clone(), pause.clone());
            tokio::spawn(async move {
                let answer =
                    if number % 2 == 0 { no(&pause) } else { yes(&pause, Some(json!({ "n": number }))) };
                client.answer_pause(&pause.pause_id, &answer).await
            })
        })
        .collect();
    let mut won = 0;
    for decider in deciders {
        match decider.await.unwrap() {
            Ok(_) => won += 1,
            refused => assert_eq!(code(refused), "already_decided"),
        }
    }
    assert_eq!(won, 1, "of several people who decide one wins");
}

#[tokio::test(flavor = "multi_thread")]
async fn model_calls_tools_and_reads_their_results_as_quoted_data() {
    let daemon = Daemon::with_bench().await;
    let provider = scripted(
        &daemon,
        [
            Script::calls([call(ECHO, r#"{ "n": 1 }"#), call(ECHO, r#"{"n":2}"#)]),
            Script::text("It is three."),
            Script::text("Four."),
        ],
    );
    let client = daemon.over_tcp();
    let session = session(&client, &[]).await;
    let run = client.say(&session, "add").await.unwrap();
    let run = settled(&client, &run.run_id).await;
    assert_eq!(
        (run.status, run.used.turns, run.used.tool_calls),
        (AgentRunStatus::Finished, 2, 2),
        "{run:?}"
    );
    let requests = provider.requests();
    let results: Vec<&str> = requests[1]
        .messages
        .iter()
        .filter_map(|message| match message {
            Message::ToolResult { text, .. } => Some(text.as_str()),
            _ => None,
        })
        .collect();
    assert!(
        results[0].contains(r#""content":"{ \"n\": 1 }""#) || results[0].contains(r#"\"n\":1"#),
        "{results:?}"
    );
    assert!(results.iter().all(|result| result.contains(r#""untrusted":true"#)));
    // Ids sort by time.
    daemon.advance(1);
    let next = client.say(&session, "and one more").await.unwrap();
    settled(&client, &next.run_id).await;
    assert_eq!(provider.requests()[2].messages.len(), 6, "earlier runs are part of the conversation");
}

#[tokio::test(flavor = "multi_thread")]
async fn call_that_needs_approval_waits_for_a_person_who_is_not_the_model() {
    let daemon = Daemon::with_bench().await;
    scripted(
        &daemon,
        [
            Script::calls([call(ASK, r#"{"n":1}"#)]),
            Script::text("Done."),
            Script::calls([call(ASK, r#"{"n":2}"#)]),
            Script::text("Denied."),
        ],
    );
    let client = daemon.over_tcp();
    let session = session(&client, &[]).await;
    let run = client.say(&session, "ask").await.unwrap();
    let pause = settled(&client, &run.run_id).await.pause.unwrap();
    assert_eq!((pause.kind, pause.arguments.as_deref()), (PauseKind::Approval, Some(r#"{"n":1}"#)));
    let absent = PauseAnswer { owner_present: false, ..yes(&pause, None) };
    assert_eq!(code(client.answer_pause(&pause.pause_id, &absent).await), "forbidden");
    client.answer_pause(&pause.pause_id, &yes(&pause, None)).await.unwrap();
    let run = settled(&client, &run.run_id).await;
    assert_eq!((run.status, run.used.tool_calls), (AgentRunStatus::Finished, 1));
    // Ids sort by time.
    daemon.advance(1);
    let run = client.say(&session, "again").await.unwrap();
    let pause = settled(&client, &run.run_id).await.pause.unwrap();
    let person =
        daemon.over_tcp_as(&daemon.token_with("person", &[Scope::Read, Scope::Approve, Scope::Invoke]));
    let denied = person.answer_pause(&pause.pause_id, &no(&pause)).await.unwrap();
    assert_eq!((denied.status, denied.answered_by.as_deref()), (PauseStatus::Denied, Some("person")));
    let run = settled(&client, &run.run_id).await;
    assert_eq!(
        (run.status, run.used.tool_calls),
        (AgentRunStatus::Finished, 0),
        "the model answers to a denial"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn faults_of_a_provider_end_the_run_with_the_reason_and_leave_the_session_usable() {
    let daemon = Daemon::with_bench().await;
    let client = daemon.over_tcp();
    let session = session(&client, &[]).await;
    let limited = ModelError::RateLimited { retry_after: None, message: "slow down".into() };
    let failed = ModelError::ProviderFailed { status: Some(503), message: "overloaded".into() };
    let cases = [
        (vec![Script::Fails(vec![ModelEvent::Text("I beg".into())], limited)], "slow down"),
        (vec![Script::Fails(Vec::new(), failed)], "overloaded"),
        (vec![Script::Events(vec![ModelEvent::Text("half".into())])], "closed the stream"),
        (vec![Script::Events(vec![ModelEvent::Finished(StopReason::Refusal)])], "declined"),
        ((0..3).map(|_| Script::calls([call("acme.none", "{}")])).collect(), "invalid proposals 3 times"),
        ((0..3).map(|_| Script::calls([call(ECHO, "{\"n\":")])).collect(), "invalid proposals 3 times"),
        ((0..3).map(|_| Script::calls([call(ECHO, "{\"n\":\"x\"}")])).collect(), "invalid proposals 3 times"),
        ((0..3).map(|_| Script::calls([call(ECHO, "{}")])).collect(), "three times in a row"),
    ];
    for (scripts, reason) in cases {
        scripted(&daemon, scripts);
        // Ids sort by time.
        daemon.advance(1);
        let run = client.say(&session, "go").await.unwrap();
        let run = settled(&client, &run.run_id).await;
        assert_eq!(run.status, AgentRunStatus::Failed, "{reason}");
        assert!(run.reason.as_deref().unwrap().contains(reason), "{:?}", run.reason);
    }
    scripted(&daemon, [Script::calls([call("acme.none", "{}")]), Script::text("Then not.")]);
    // Ids sort by time.
    daemon.advance(1);
    let run = client.say(&session, "go").await.unwrap();
    assert_eq!(
        settled(&client, &run.run_id).await.status,
        AgentRunStatus::Finished,
        "one mistake is forgiven"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn stop_ends_a_stalled_model_and_a_spinning_tool() {
    let daemon = Daemon::with_bench().await;
    let client = daemon.over_tcp();
    let session = session(&client, &[]).await;
    let begun = |name: &'static str| {
        let (client, session) = (client.clone(), session.clone());
        async move {
            let mut events = client.follow_session(&session, Some(0)).await.unwrap();
            while let Some(event) = events.next().await.unwrap() {
                if event.event.as_deref() == Some(name) {
                    return;
                }
            }
        }
    };
    scripted(&daemon, [Script::Stalls(vec![ModelEvent::Text("I think".into())])]);
    let run = client.say(&session, "think").await.unwrap();
    begun("message.completed").await;
    let stopped = client.stop_agent_run(&run.run_id).await.unwrap();
    assert_eq!(
        (stopped.status, stopped.reason.as_deref()),
        (AgentRunStatus::Cancelled, Some("stopped by owner"))
    );
    scripted(&daemon, [Script::calls([call("acme.bench.spin", "{}")])]);
    // Ids sort by time.
    daemon.advance(1);
    let run = client.say(&session, "spin").await.unwrap();
    begun("tool.started").await;
    let stopped = client.stop_agent_run(&run.run_id).await.unwrap();
    assert_eq!(stopped.status, AgentRunStatus::Cancelled);
    assert_eq!(code(client.stop_agent_run(&run.run_id).await), "not_under_way");
}

#[tokio::test(flavor = "multi_thread")]
async fn sessions_are_changed_searched_archived_and_removed() {
    let daemon = Daemon::with_bench().await;
    let client = daemon.over_tcp();
    let id = session(&client, &[]).await;
    let change = SessionChange { title: Some("Über Äpfel".into()), ..SessionChange::default() };
    assert_eq!(client.change_session(&id, &change).await.unwrap().title, "Über Äpfel");
    let search = |text: &str, archived| SessionQuery {
        search: Some(text.into()),
        archived,
        ..SessionQuery::default()
    };
    assert_eq!(client.sessions(&search("äpfel", false)).await.unwrap().sessions.len(), 1);
    let archive = SessionChange { archived: Some(true), ..SessionChange::default() };
    client.change_session(&id, &archive).await.unwrap();
    assert!(client.sessions(&search("äpfel", false)).await.unwrap().sessions.is_empty());
    assert_eq!(client.sessions(&search("äpfel", true)).await.unwrap().sessions.len(), 1);
    client.remove_session(&id).await.unwrap();
    assert_eq!(code(client.session(&id).await), "not_found");
    let long = NewSession { title: Some("x".repeat(201)), ..NewSession::default() };
    assert_eq!(code(client.new_session(&long).await), "usage");
}
