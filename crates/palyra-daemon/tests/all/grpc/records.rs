//! Runs, the journal, channels and objectives over gRPC, compared with HTTP.

use super::methods::at;
use super::{Wire, call, problem};
use crate::daemon::Daemon;
use palyra_api::grpc::gateway::v1::channels_service_client::ChannelsServiceClient;
use palyra_api::grpc::gateway::v1::gateway_service_client::GatewayServiceClient;
use palyra_api::grpc::gateway::v1::journal_service_client::JournalServiceClient;
use palyra_api::grpc::gateway::v1::runs_service_client::RunsServiceClient;
use palyra_api::grpc::gateway::v1::{
    AddChannelRequest, CancelRunRequest, ChannelTarget, DropChannelDeadLetterRequest, GetChannelRequest,
    GetReceiptRequest, GetRunDenialRequest, GetRunRequest, ListChannelDeadLettersRequest,
    ListChannelsRequest, ListMessagesRequest, ListRunLinesRequest, ListRunStepsRequest, ListRunsRequest,
    QueryJournalRequest, RemoveChannelRequest, ReplayRunRequest, RetryChannelDeadLetterRequest,
    SignCheckpointRequest, SubscribeMessagesRequest, SubscribeRunRequest, VerifyJournalRequest,
};
use palyra_api::grpc::routines::v1::objectives_service_client::ObjectivesServiceClient;
use palyra_api::grpc::routines::v1::{
    AddObjectiveRequest, FinishObjectiveRequest, GetObjectiveRequest, ListObjectivesRequest, ObjectiveState,
    PauseObjectiveRequest, RemoveObjectiveRequest, ResumeObjectiveRequest,
};

pub(super) async fn runs(daemon: &Daemon, wire: &Wire) {
    // Ids sort by time.
    daemon.advance(1);
    let mut gateway = GatewayServiceClient::new(wire.clone());
    let answer = gateway.invoke(call("acme.bench.say", "{}")).await.unwrap().into_inner().answer.unwrap();
    let run_id = || answer.run_id.clone();
    let path = |rest: &str| format!("/v1/runs/{}{rest}", answer.run_id);
    let mut client = RunsServiceClient::new(wire.clone());
    let list = ListRunsRequest { tool: Some("acme.bench.say".into()), limit: Some(1), ..Default::default() };
    let listed = client.list_runs(list).await.unwrap().into_inner();
    assert_eq!(listed, at(daemon, "/v1/runs?tool=acme.bench.say&limit=1").await);
    assert_eq!(listed.runs[0].run_id, answer.run_id);
    let run = client.get_run(GetRunRequest { run_id: run_id() }).await.unwrap().into_inner().run.unwrap();
    assert!(run.details_json.contains("output_sha256"));
    assert_eq!(run, at(daemon, &path("")).await);
    let lines = ListRunLinesRequest { run_id: run_id(), after: None };
    let lines = client.list_run_lines(lines).await.unwrap().into_inner();
    assert_eq!(lines, at(daemon, &path("/lines")).await);
    let after = Some(lines.lines[0].number);
    let asked = SubscribeRunRequest { run_id: run_id(), after };
    let mut stream = client.subscribe_run(asked).await.unwrap().into_inner();
    let mut received = Vec::new();
    while let Some(message) = stream.message().await.unwrap() {
        received.push(message);
    }
    assert_eq!(received.len(), lines.lines.len(), "the lines after the first, and the end");
    assert_eq!(received[0].text.as_deref(), Some(lines.lines[1].text.as_str()));
    assert_eq!(received.last().unwrap().status.as_deref(), Some("completed"));
    let receipt = client.get_receipt(GetReceiptRequest { run_id: run_id() }).await.unwrap().into_inner();
    let receipt = receipt.receipt.unwrap();
    assert_eq!(
        (receipt.schema.as_str(), receipt.run_id.as_str()),
        ("palyra.receipt/v1", answer.run_id.as_str())
    );
    assert!(!receipt.receipt.unwrap().proof.unwrap().path.is_empty());
    let replay = client.replay_run(ReplayRunRequest { run_id: run_id() }).await.unwrap().into_inner();
    let replay = replay.replay.unwrap();
    assert_eq!(
        (replay.verdict.unwrap().verdict.as_str(), replay.output_json.as_str()),
        ("identical", answer.result_json.as_str())
    );
    let steps = ListRunStepsRequest { run_id: run_id(), after: None };
    let steps = client.list_run_steps(steps).await.unwrap().into_inner().steps.unwrap();
    assert_eq!(steps, at(daemon, &path("/steps")).await);
    let ended = problem(client.cancel_run(CancelRunRequest { run_id: run_id() }).await);
    assert_eq!(ended.code.as_str(), "not_under_way");
    let allowed = problem(client.get_run_denial(GetRunDenialRequest { run_id: run_id() }).await);
    assert_eq!(allowed.code.as_str(), "not_found");
}

pub(super) async fn journal(daemon: &Daemon, wire: &Wire) {
    let mut client = JournalServiceClient::new(wire.clone());
    let query = QueryJournalRequest {
        kinds: Some("run:completed".into()),
        limit: Some(2),
        proofs: Some(true),
        ..Default::default()
    };
    let page = client.query_journal(query).await.unwrap().into_inner();
    assert_eq!(page.events.len(), 2);
    assert!(page.events.iter().all(|event| event.proof.is_some()));
    assert_eq!(page, at(daemon, "/v1/journal?kinds=run:completed&limit=2&proofs=true").await);
    let checkpoint = client.sign_checkpoint(SignCheckpointRequest {}).await.unwrap().into_inner();
    let against = Some(checkpoint.checkpoint.unwrap().note);
    let verified = client.verify_journal(VerifyJournalRequest { against }).await.unwrap().into_inner();
    let verified = verified.verified.unwrap();
    assert!(verified.events_checked > 0 && verified.against.is_some(), "{verified:?}");
    let bad = VerifyJournalRequest { against: Some("not a note".into()) };
    assert_ne!(problem(client.verify_journal(bad).await).code.as_str(), "internal");
}

pub(super) async fn channels(daemon: &Daemon, wire: &Wire) {
    let mut client = ChannelsServiceClient::new(wire.clone());
    let name = || "alerts".to_owned();
    let add = AddChannelRequest { name: name(), to: ChannelTarget::Console.into(), ..Default::default() };
    let added = client.add_channel(add).await.unwrap().into_inner().channel.unwrap();
    assert_eq!(added.to, "console");
    crate::channels::install_publisher(daemon.state());
    let asked = SubscribeMessagesRequest { name: name(), after: None };
    let mut stream = client.subscribe_messages(asked).await.unwrap().into_inner();
    let mut gateway = GatewayServiceClient::new(wire.clone());
    gateway.invoke(call("acme.speaker.say", "{}")).await.unwrap();
    let message = stream.message().await.unwrap().unwrap().message.unwrap();
    assert_eq!((message.body.as_str(), message.encoding.as_str()), ("hello", "utf-8"));
    let listed = ListMessagesRequest { name: name(), limit: Some(3) };
    let listed = client.list_messages(listed).await.unwrap().into_inner();
    assert_eq!(listed.messages, [message]);
    let channels = client.list_channels(ListChannelsRequest {}).await.unwrap().into_inner();
    assert_eq!(channels, at(daemon, "/v1/channels").await);
    let shown = client.get_channel(GetChannelRequest { name: name() }).await.unwrap().into_inner();
    assert_eq!(shown.channel.unwrap(), at(daemon, "/v1/channels/alerts").await);
    let letters = ListChannelDeadLettersRequest { name: name(), limit: None };
    assert!(client.list_channel_dead_letters(letters).await.unwrap().into_inner().dead_letters.is_empty());
    let retry = RetryChannelDeadLetterRequest { name: name(), letter: 7 };
    assert_eq!(problem(client.retry_channel_dead_letter(retry).await).code.as_str(), "not_found");
    let drop = DropChannelDeadLetterRequest { name: name(), letter: 7 };
    assert_eq!(problem(client.drop_channel_dead_letter(drop).await).code.as_str(), "not_found");
    client.remove_channel(RemoveChannelRequest { name: name() }).await.unwrap();
}

pub(super) async fn objectives(daemon: &Daemon, wire: &Wire) {
    let mut client = ObjectivesServiceClient::new(wire.clone());
    let name = || "tidy".to_owned();
    let add =
        AddObjectiveRequest { name: name(), goal: "a tidy desk".into(), max_runs: Some(9), max_fuel: None };
    let added = client.add_objective(add).await.unwrap().into_inner().objective.unwrap();
    assert_eq!((added.state(), added.max_runs), (ObjectiveState::Active, Some(9)));
    let listed = client.list_objectives(ListObjectivesRequest {}).await.unwrap().into_inner();
    assert_eq!(listed, at(daemon, "/v1/objectives").await);
    let shown = client.get_objective(GetObjectiveRequest { name: name() }).await.unwrap().into_inner();
    assert_eq!(shown.objective.unwrap(), added);
    let paused = client.pause_objective(PauseObjectiveRequest { name: name() }).await.unwrap().into_inner();
    assert_eq!(paused.objective.unwrap().state(), ObjectiveState::Paused);
    let on = client.resume_objective(ResumeObjectiveRequest { name: name() }).await.unwrap().into_inner();
    assert_eq!(on.objective.unwrap().state(), ObjectiveState::Active);
    let done = client.finish_objective(FinishObjectiveRequest { name: name() }).await.unwrap().into_inner();
    assert_eq!(done.objective.unwrap().state(), ObjectiveState::Done);
    let gone = client.remove_objective(RemoveObjectiveRequest { name: name() }).await.unwrap().into_inner();
    assert_eq!(gone.name, "tidy");
}
