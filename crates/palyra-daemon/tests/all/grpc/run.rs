//! A bidirectional call, its deadline and its end.

use super::{Wire, call, problem};
use crate::daemon::Daemon;
use futures::StreamExt as _;
use palyra_api::grpc::gateway::v1::gateway_service_client::GatewayServiceClient;
use palyra_api::grpc::gateway::v1::run_request::Message as Asked;
use palyra_api::grpc::gateway::v1::run_response::Message as Told;
use palyra_api::grpc::gateway::v1::{
    ApprovalStatus, DecideApprovalRequest, InvokeRequest, RunCancel, RunDecision, RunRequest, RunResponse,
};
use palyra_common::Scope;
use palyra_journal::{EventKind, Query};
use tokio::sync::mpsc;
use tonic::{Code, Status, Streaming};

const LONG: &str = "[capabilities.quotas]\nfuel_budget = 1000000000000\nwall_clock_timeout_ms = 600000\n";

/// Both directions of a bidirectional call.
struct Talk {
    say: mpsc::Sender<RunRequest>,
    hear: Streaming<RunResponse>,
}

impl Talk {
    async fn begin(wire: &Wire, call: InvokeRequest) -> Self {
        let (say, said) = mpsc::channel(8);
        say.send(RunRequest { message: Some(Asked::Start(call)) }).await.unwrap();
        let said = futures::stream::unfold(said, |mut said| async { Some((said.recv().await?, said)) });
        let hear = GatewayServiceClient::new(wire.clone()).run(said).await.unwrap().into_inner();
        Self { say, hear }
    }

    async fn say(&self, message: Asked) {
        self.say.send(RunRequest { message: Some(message) }).await.unwrap();
    }

    async fn next(&mut self) -> Told {
        self.hear.message().await.unwrap().unwrap().message.unwrap()
    }

    async fn end(mut self) -> Status {
        while let Some(message) = self.hear.next().await {
            if let Err(status) = message {
                return status;
            }
        }
        panic!("it ended well")
    }

    /// Returns the approval that the call waits for.
    async fn asked(&mut self) -> palyra_api::grpc::gateway::v1::Approval {
        match self.next().await {
            Told::ApprovalRequested(approval) => approval,
            other => panic!("{other:?}"),
        }
    }
}

fn decision(approval_id: &str, approve: bool, owner_present: bool) -> RunDecision {
    RunDecision { approval_id: approval_id.into(), approve, owner_present, ..Default::default() }
}

/// Returns the outcome of the last run from its receipt.
async fn last_receipt(daemon: &Daemon) -> (EventKind, String) {
    let kinds = vec![EventKind::RunCompleted, EventKind::RunFailed, EventKind::RunRefused];
    let query = Query { kinds, limit: 1_000, ..Query::default() };
    let mut follower = daemon.state().journal().follow();
    loop {
        if let Some(event) = daemon.state().journal().query(&query).unwrap().events.pop() {
            let code = event.event.details["error"].as_str().unwrap_or_default().to_owned();
            return (event.event.kind, code);
        }
        follower.next().await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_run_says_comes_before_its_result() {
    let daemon = Daemon::with_bench().await;
    let mut talk = Talk::begin(&Wire::owner(&daemon), call("acme.bench.say", "{}")).await;
    let mut lines = Vec::new();
    let Told::Started(started) = talk.next().await else { panic!("no run") };
    let answer = loop {
        match talk.next().await {
            Told::Said(said) => lines.push(said.text),
            Told::Answer(answer) => break answer,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(answer.run_id, started.run_id);
    assert_eq!(lines.len(), 3);
    assert!(lines[0].contains("one") && lines[2].contains("six"), "{lines:?}");
    assert!(talk.hear.message().await.unwrap().is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_owner_who_is_there_decides_in_the_same_stream() {
    let daemon = Daemon::with_bench().await;
    let mut talk = Talk::begin(&Wire::owner(&daemon), call("acme.bench.ask", r#"{"n": 1}"#)).await;
    let approval = talk.asked().await;
    assert_eq!((approval.tool_id.as_str(), approval.arguments.as_str()), ("acme.bench.ask", r#"{"n":1}"#));
    assert_eq!(approval.status(), ApprovalStatus::Pending);
    let id = approval.approval_id;
    for (wrong, code) in
        [(decision("apr_none", true, true), "not_found"), (decision(&id, true, false), "forbidden")]
    {
        talk.say(Asked::Decide(wrong)).await;
        let Told::DecisionRefused(refused) = talk.next().await else { panic!("it counted") };
        assert_eq!(refused.code, code);
    }
    talk.say(Asked::Decide(decision(&id, true, true))).await;
    let Told::ApprovalDecided(decided) = talk.next().await else { panic!("undecided") };
    assert_eq!((decided.approval_id.as_str(), decided.decided_by.as_deref()), (id.as_str(), Some("owner")));
    assert!(matches!(talk.next().await, Told::Started(_)));
    assert!(matches!(talk.next().await, Told::Answer(answer) if answer.result_json == r#"{"n": 1}"#));
    assert_eq!(last_receipt(&daemon).await.0, EventKind::RunCompleted);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_without_the_scope_does_not_decide_and_another_one_does_elsewhere() {
    let daemon = Daemon::with_bench().await;
    let agent = Wire::new(&daemon, Some(&daemon.token_with("agent", &[Scope::Invoke])));
    let person = Wire::new(&daemon, Some(&daemon.token_with("person", &[Scope::Approve])));
    for (approve, ends) in [(true, None), (false, Some("approval_required"))] {
        let mut talk = Talk::begin(&agent, call("acme.bench.ask", "{}")).await;
        let approval = talk.asked().await;
        assert_eq!(approval.arguments, "", "a token that may not look is told the id alone");
        let approval_id = approval.approval_id;
        talk.say(Asked::Decide(decision(&approval_id, true, true))).await;
        let Told::DecisionRefused(refused) = talk.next().await else { panic!("it counted") };
        assert_eq!(refused.code.as_str(), "forbidden");
        let decision = DecideApprovalRequest { approval_id, approve, ..Default::default() };
        GatewayServiceClient::new(person.clone()).decide_approval(decision).await.unwrap();
        let Told::ApprovalDecided(_) = talk.next().await else { panic!("undecided") };
        match ends {
            None => {
                assert!(matches!(talk.next().await, Told::Started(_)));
                assert!(matches!(talk.next().await, Told::Answer(_)));
            }
            Some(code) => assert_eq!(problem::<()>(Err(talk.end().await)).code.as_str(), code),
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_is_ended_by_its_client_and_has_its_receipt() {
    let daemon = Daemon::with_bench().await;
    daemon.install("slow", LONG);
    let wire = Wire::owner(&daemon);
    let mut talk = Talk::begin(&wire, call("acme.slow.spin", "{}")).await;
    assert!(matches!(talk.next().await, Told::Started(_)));
    talk.say(Asked::Cancel(RunCancel {})).await;
    let status = talk.end().await;
    assert_eq!((status.code(), problem::<()>(Err(status)).code.as_str()), (Code::Cancelled, "cancelled"));
    daemon.app.drained().await;
    assert_eq!(last_receipt(&daemon).await, (EventKind::RunFailed, "cancelled".into()));

    // A dropped stream, and a dropped unary call.
    let before = daemon.state().journal().head().size;
    let mut talk = Talk::begin(&wire, call("acme.slow.spin", "{}")).await;
    assert!(matches!(talk.next().await, Told::Started(_)));
    drop(talk);
    daemon.app.drained().await;
    let mut client = GatewayServiceClient::new(wire.clone());
    let mut calling = Box::pin(client.invoke(call("acme.slow.spin", "{}")));
    let begun = async {
        while daemon.app.calls_under_way() == 0 {
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        _ = &mut calling => panic!("it ended"),
        () = begun => {}
    }
    drop(calling);
    daemon.app.drained().await;
    let kinds = vec![EventKind::RunFailed];
    let query = Query { kinds, from_sequence: Some(before), limit: 10, ..Query::default() };
    assert_eq!(daemon.state().journal().query(&query).unwrap().events.len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deadline_ends_a_call_and_its_run_is_recorded_as_cancelled() {
    let daemon = Daemon::with_bench().await;
    daemon.install("slow", LONG);
    let wire = Wire::owner(&daemon);
    // On a busy machine a short deadline passes before the run begins, which is recorded as refused; the next attempt
    // has a longer one.
    let mut receipt = (EventKind::RunRefused, "cancelled".to_owned());
    for timeout in ["200m", "800m", "3200m", "12800m", "51200m"] {
        let mut client = GatewayServiceClient::new(wire.within(timeout));
        let late = client.invoke(call("acme.slow.spin", "{}")).await.unwrap_err();
        let ended = (late.code(), problem::<()>(Err(late)).code);
        assert_eq!((ended.0, ended.1.as_str()), (Code::DeadlineExceeded, "timed_out"));
        daemon.app.drained().await;
        receipt = last_receipt(&daemon).await;
        assert_eq!(receipt.1, "cancelled");
        if receipt.0 == EventKind::RunFailed {
            break;
        }
    }
    assert_eq!(receipt.0, EventKind::RunFailed);
    // The response has begun, and still ends at the deadline.
    let late = Talk::begin(&wire.within("300m"), call("acme.slow.spin", "{}")).await.end().await;
    assert_eq!(late.code(), Code::DeadlineExceeded);
    daemon.app.drained().await;
    let mut client = GatewayServiceClient::new(wire.within("1x"));
    assert_eq!(problem(client.invoke(call("acme.bench.echo", "{}")).await).code.as_str(), "usage");
    let mut client = GatewayServiceClient::new(wire.within("60S"));
    client.invoke(call("acme.bench.echo", "{}")).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conversation_begins_with_its_call_and_has_one() {
    let daemon = Daemon::with_bench().await;
    let wire = Wire::owner(&daemon);
    let mut client = GatewayServiceClient::new(wire.clone());
    for first in [None, Some(Asked::Cancel(RunCancel {})), Some(Asked::Decide(decision("x", true, true)))] {
        let messages = futures::stream::iter([RunRequest { message: first }]);
        assert_eq!(problem(client.run(messages).await).code.as_str(), "usage");
    }
    assert_eq!(problem(client.run(futures::stream::iter([])).await).code.as_str(), "usage");
    let mut talk = Talk::begin(&wire, call("acme.bench.ask", "{}")).await;
    talk.asked().await;
    talk.say(Asked::Start(call("acme.bench.echo", "{}"))).await;
    assert_eq!(problem::<()>(Err(talk.end().await)).code.as_str(), "usage");
    let at_once = InvokeRequest { wait_seconds: Some(0), ..call("acme.bench.ask", "{}") };
    let ended = Talk::begin(&wire, at_once).await.end().await;
    assert_eq!(problem::<()>(Err(ended)).code.as_str(), "approval_required");
}
