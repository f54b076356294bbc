//! Sessions over gRPC: a resumed stream, pauses, surfaces and models.

use super::methods::at;
use super::{Wire, problem};
use crate::daemon::Daemon;
use palyra_api::grpc::gateway::v1::models_service_client::ModelsServiceClient;
use palyra_api::grpc::gateway::v1::sessions_service_client::SessionsServiceClient;
use palyra_api::grpc::gateway::v1::surfaces_service_client::SurfacesServiceClient;
use palyra_api::grpc::gateway::v1::{
    AddModelRequest, AgentRunStatus, AnswerPauseRequest, ChangeSessionRequest, CreateSessionRequest,
    FormSubmit, GetAgentRunRequest, GetCallSurfaceRequest, GetModelRequest, GetPauseRequest,
    GetSessionRequest, GetSurfaceRequest, ListAgentRunsRequest, ListCallSurfacesRequest, ListModelsRequest,
    ListPausesRequest, ListSessionEventsRequest, ListSessionsRequest, ListSurfacesRequest, Pause,
    PauseDecision, PauseKind, PauseStatus, RemoveModelRequest, RemoveSessionRequest, SendMessageRequest,
    SessionEvent, SetDefaultModelRequest, StopAgentRunRequest, SubmitCallSurfaceRequest,
    SubscribeSessionRequest, TestModelRequest, ToolIds,
};
use palyra_common::Scope;
use palyra_models::testing::Script;
use tonic::Code;

const ECHO: &str = "acme.bench.echo";

type Sessions = SessionsServiceClient<Wire>;

async fn begin(client: &mut Sessions, tools: &[&str]) -> String {
    let tools = tools.iter().map(|tool| (*tool).to_owned()).collect();
    let created = client.create_session(CreateSessionRequest { tools, ..Default::default() }).await.unwrap();
    created.into_inner().session.unwrap().session_id
}

async fn say(client: &mut Sessions, session_id: &str, text: &str) -> String {
    let message = SendMessageRequest { session_id: session_id.into(), text: text.into() };
    client.send_message(message).await.unwrap().into_inner().run.unwrap().run_id
}

/// Returns the events of a session after one of them, up to one of this kind.
async fn until(client: &mut Sessions, session_id: &str, after: u64, last: &str) -> Vec<SessionEvent> {
    let asked = SubscribeSessionRequest { session_id: session_id.into(), after: Some(after) };
    let mut stream = client.subscribe_session(asked).await.unwrap().into_inner();
    let mut events = Vec::new();
    loop {
        let event = stream.message().await.unwrap().unwrap().event.unwrap();
        let ends = event.event == last;
        events.push(event);
        if ends {
            return events;
        }
    }
}

fn yes(pause: &Pause, values: Option<&str>) -> AnswerPauseRequest {
    AnswerPauseRequest {
        pause_id: pause.pause_id.clone(),
        decision: PauseDecision::Approve.into(),
        bound_to: pause.bound_to.clone(),
        submit: values.map(|values| FormSubmit {
            rev: pause.rev.unwrap(),
            component_id: "arguments".into(),
            values_json: values.into(),
        }),
        owner_present: true,
        ..Default::default()
    }
}

pub(super) async fn sessions(daemon: &Daemon, wire: &Wire) {
    let mut client = Sessions::new(wire.clone());
    let session_id = begin(&mut client, &[ECHO]).await;
    let run_id = say(&mut client, &session_id, "please echo the number 7").await;
    let events = until(&mut client, &session_id, 0, "run.paused").await;
    let names: Vec<&str> = events.iter().map(|event| event.event.as_str()).collect();
    assert_eq!(names, ["message.completed", "tool.proposed", "surface.created", "run.paused"]);
    assert!(events[2].document_json.as_deref().unwrap().starts_with('{'));
    let pause = events[3].pause.clone().unwrap();
    assert_eq!((pause.kind(), pause.status()), (PauseKind::Form, PauseStatus::Waiting));
    let path = format!("/v1/pauses/{}", pause.pause_id);
    let shown = client.get_pause(GetPauseRequest { pause_id: pause.pause_id.clone() }).await.unwrap();
    assert_eq!(shown.into_inner().pause.unwrap(), at(daemon, &path).await);
    let surfaces = ListSurfacesRequest { session_id: session_id.clone() };
    let surfaces = client.list_surfaces(surfaces).await.unwrap().into_inner();
    assert_eq!(surfaces, at(daemon, &format!("/v1/sessions/{session_id}/surfaces")).await);
    let surface = surfaces.surfaces[0].surface.clone();
    let path = format!("/v1/sessions/{session_id}/surfaces/{surface}");
    let shown = GetSurfaceRequest { session_id: session_id.clone(), surface };
    let shown = client.get_surface(shown).await.unwrap().into_inner().surface.unwrap();
    assert_eq!(shown, at(daemon, &path).await);

    client.answer_pause(yes(&pause, Some(r#"{"n": 8}"#))).await.unwrap();
    assert_eq!(
        problem(client.answer_pause(yes(&pause, Some(r#"{"n": 8}"#))).await).code.as_str(),
        "already_decided"
    );
    let four = until(&mut client, &session_id, 4, "run.finished").await;
    assert_eq!(
        (four[0].number, four[0].event.as_str()),
        (Some(5), "run.resumed"),
        "a stream goes on where it ended"
    );
    let finished = four.iter().find(|event| event.event == "tool.finished").unwrap();
    assert_eq!(
        (finished.status.as_deref(), finished.output.as_deref()),
        (Some("completed"), Some(r#"{"n":8}"#))
    );
    let stored = ListSessionEventsRequest { session_id: session_id.clone(), after: Some(4) };
    let stored = client.list_session_events(stored).await.unwrap().into_inner();
    assert_eq!(stored.events, four);
    assert_eq!(stored, at(daemon, &format!("/v1/sessions/{session_id}/history?after=4")).await);

    let change = ChangeSessionRequest {
        session_id: session_id.clone(),
        title: Some("Echo".into()),
        tools: Some(ToolIds::default()),
        ..Default::default()
    };
    let changed = client.change_session(change).await.unwrap().into_inner().session.unwrap();
    assert_eq!((changed.title.as_str(), changed.tools.len()), ("Echo", 0));
    let shown = client.get_session(GetSessionRequest { session_id: session_id.clone() }).await.unwrap();
    assert_eq!(shown.into_inner().session.unwrap(), at(daemon, &format!("/v1/sessions/{session_id}")).await);
    let listed = ListSessionsRequest { search: Some("ech".into()), limit: Some(5), ..Default::default() };
    let listed = client.list_sessions(listed).await.unwrap().into_inner();
    assert_eq!(listed, at(daemon, "/v1/sessions?search=ech").await);
    let runs = ListAgentRunsRequest { session_id: session_id.clone(), ..Default::default() };
    let runs = client.list_agent_runs(runs).await.unwrap().into_inner();
    assert_eq!(runs, at(daemon, &format!("/v1/sessions/{session_id}/runs")).await);
    let run = client.get_agent_run(GetAgentRunRequest { run_id: run_id.clone() }).await.unwrap();
    let run = run.into_inner().run.unwrap();
    assert_eq!(
        (run.status(), run.clone()),
        (AgentRunStatus::Finished, at(daemon, &format!("/v1/agent-runs/{run_id}")).await)
    );
    let ended = problem(client.stop_agent_run(StopAgentRunRequest { run_id }).await);
    assert_eq!(ended.code.as_str(), "not_under_way");
    let answered = ListPausesRequest { status: Some("answered".into()), ..Default::default() };
    let answered = client.list_pauses(answered).await.unwrap().into_inner();
    assert_eq!(answered, at(daemon, "/v1/pauses?status=answered").await);
    let removed = RemoveSessionRequest { session_id: session_id.clone() };
    assert_eq!(client.remove_session(removed).await.unwrap().into_inner().session.unwrap().title, "Echo");
    let gone = client.get_session(GetSessionRequest { session_id }).await;
    assert_eq!(problem(gone).code.as_str(), "not_found");
}

pub(super) async fn surfaces(daemon: &Daemon, wire: &Wire) {
    let mut client = SurfacesServiceClient::new(wire.clone());
    let listed = ListCallSurfacesRequest { limit: Some(5), ..Default::default() };
    let listed = client.list_call_surfaces(listed).await.unwrap().into_inner();
    assert_eq!(listed, at(daemon, "/v1/surfaces?limit=5").await);
    let surface_id = || "srf_none".to_owned();
    let unknown = client.get_call_surface(GetCallSurfaceRequest { surface_id: surface_id() }).await;
    assert_eq!(problem(unknown).code.as_str(), "not_found");
    let submit = SubmitCallSurfaceRequest {
        surface_id: surface_id(),
        rev: 1,
        component_id: "form".into(),
        values_json: "{}".into(),
    };
    assert_eq!(problem(client.submit_call_surface(submit).await).code.as_str(), "not_found");
}

pub(super) async fn models(daemon: &Daemon, wire: &Wire) {
    let mut client = ModelsServiceClient::new(wire.clone());
    let add = AddModelRequest {
        name: "small".into(),
        protocol: "chat-completions".into(),
        base_url: "http://127.0.0.1:9".into(),
        model: "m".into(),
        allow_loopback: true,
        ..Default::default()
    };
    let added = client.add_model(add).await.unwrap().into_inner().model.unwrap();
    assert_eq!(added, at(daemon, "/v1/models/small").await);
    let listed = client.list_models(ListModelsRequest {}).await.unwrap().into_inner();
    assert_eq!(listed, at(daemon, "/v1/models").await);
    let name = || "small".to_owned();
    let shown = client.get_model(GetModelRequest { name: name() }).await.unwrap().into_inner();
    assert_eq!(shown.model.unwrap(), added);
    let chosen =
        client.set_default_model(SetDefaultModelRequest { name: name() }).await.unwrap().into_inner();
    assert!(chosen.model.unwrap().is_default);
    // This daemon has no network access.
    let test = problem(client.test_model(TestModelRequest { name: name() }).await);
    assert_eq!(test.code.as_str(), "capability_denied");
    client.remove_model(RemoveModelRequest { name: name() }).await.unwrap();
    assert_eq!(problem(client.get_model(GetModelRequest { name: name() }).await).code.as_str(), "not_found");
}

#[tokio::test(flavor = "multi_thread")]
async fn sessions_have_the_scopes_limits_and_errors_of_http() {
    let daemon = Daemon::with_bench().await;
    let mut owner = Sessions::new(Wire::owner(&daemon));
    let session_id = begin(&mut owner, &[ECHO]).await;
    let message = |text: String| SendMessageRequest { session_id: session_id.clone(), text };
    let reader = daemon.token_with("reader", &[Scope::Read]);
    let other = daemon.token_with("other", &[Scope::Read, Scope::Invoke]);
    let mut reader = Sessions::new(Wire::new(&daemon, Some(&reader)));
    let mut other = Sessions::new(Wire::new(&daemon, Some(&other)));
    assert_eq!(problem(reader.send_message(message("x".into())).await).code.as_str(), "forbidden");
    assert_eq!(problem(other.send_message(message("x".into())).await).code.as_str(), "not_found");
    let asked = SubscribeSessionRequest { session_id: session_id.clone(), after: None };
    assert_eq!(problem(other.subscribe_session(asked).await.map(drop)).code.as_str(), "not_found");
    let long = owner.send_message(message("x".repeat(200 << 10))).await.unwrap_err();
    assert_eq!(
        (long.code(), problem::<()>(Err(long)).code.as_str()),
        (Code::ResourceExhausted, "body_too_large")
    );
    assert_eq!(problem(owner.send_message(message(String::new())).await).code.as_str(), "usage");
    let run_id = say(&mut owner, &session_id, "echo the number 7").await;
    let pause = until(&mut owner, &session_id, 0, "run.paused").await.pop().unwrap().pause.unwrap();
    assert_eq!(problem(owner.send_message(message("more".into())).await).code.as_str(), "busy");
    let not_json = problem(owner.answer_pause(yes(&pause, Some("hush"))).await);
    assert!(not_json.code.as_str() == "usage" && !not_json.detail.contains("hush"), "{not_json}");
    let wrong = problem(owner.answer_pause(yes(&pause, Some(r#"{"n": "x"}"#))).await);
    assert_eq!(wrong.code.as_str(), "invalid_input");
    let no_word = AnswerPauseRequest { decision: 77, ..yes(&pause, None) };
    assert_eq!(problem(owner.answer_pause(no_word).await).code.as_str(), "usage");
    let stopped = owner.stop_agent_run(StopAgentRunRequest { run_id }).await.unwrap().into_inner();
    assert_eq!(stopped.run.unwrap().status(), AgentRunStatus::Cancelled);
}

#[tokio::test(flavor = "multi_thread")]
async fn pieces_of_a_message_come_without_numbers() {
    let daemon = Daemon::with_bench().await;
    let mut client = Sessions::new(Wire::owner(&daemon));
    let session_id = begin(&mut client, &[]).await;
    let asked = SubscribeSessionRequest { session_id: session_id.clone(), after: None };
    let mut stream = client.subscribe_session(asked).await.unwrap().into_inner();
    crate::sessions::scripted(&daemon, [Script::text("A whole answer.")]);
    say(&mut client, &session_id, "answer").await;
    let (mut pieces, mut whole) = (String::new(), None);
    while let Some(event) = stream.message().await.unwrap() {
        let event = event.event.unwrap();
        match event.event.as_str() {
            "message.delta" => {
                assert_eq!((event.number, event.offset), (None, Some(pieces.len() as u64)));
                pieces.push_str(event.text.as_deref().unwrap());
            }
            "message.completed" => whole = event.text,
            "run.finished" => break,
            _ => {}
        }
    }
    assert_eq!(whole.as_deref(), Some("A whole answer."));
    assert!("A whole answer.".starts_with(&pieces));
}
