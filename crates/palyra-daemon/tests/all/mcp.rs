//! MCP with the client of the library, over HTTP and in the framing of standard input and output.

use crate::daemon::Daemon;
use palyra_api::approvals::{ApprovalQuery, ApprovalStatus};
use palyra_api::client::channel_body;
use palyra_common::{PluginCapabilityProfile, Scope};
use palyra_policy::{
    Action, Face, PolicyContext, PolicyRequest, PolicySet, Principal, PrincipalKind, Resource, Skill,
    Tool as PolicyTool, TrustState,
};
use palyra_state::runs::RunQuery;
use rmcp::model::{
    CallToolRequestParams, CallToolResult, ClientCapabilities, ClientConfig, ElicitRequestParams,
    ElicitResult, ElicitationAction, ExtensionCapabilities, Implementation, JsonObject,
    ProgressNotificationParam, ProtocolVersion, ServerNotification, SubscriptionFilter,
};
use rmcp::service::{NotificationContext, RequestContext, RunningService};
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::transport::{StreamableHttpClientTransport, UnixSocketHttpClient};
use rmcp::{ClientHandler, ClientLifecycleMode, ClientServiceExt, ErrorData, RoleClient, ServiceError};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::mpsc;

/// A client that records notifications and questions.
#[derive(Clone, Default)]
pub(crate) struct Editor {
    /// Answer to a question; `None` for a client that cannot ask.
    answer: Option<bool>,
    /// Extensions that the client announces.
    extensions: Option<ExtensionCapabilities>,
    pub(crate) asked: Arc<Mutex<Vec<String>>>,
    progress: Arc<Mutex<Vec<(f64, String)>>>,
    changed: Arc<tokio::sync::Notify>,
}

type Client = RunningService<RoleClient, Editor>;

impl ClientHandler for Editor {
    fn get_info(&self) -> ClientConfig {
        let mut can = match self.answer {
            Some(_) => ClientCapabilities::builder().enable_elicitation().build(),
            None => ClientCapabilities::default(),
        };
        can.extensions.clone_from(&self.extensions);
        ClientConfig::new(can, Implementation::new("editor", "1.0.0"))
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let ElicitRequestParams::FormElicitationParams { message, .. } = request else { panic!("no form") };
        self.asked.lock().unwrap().push(message);
        let yes = json!({ "approve": self.answer == Some(true) });
        Ok(ElicitResult::new(ElicitationAction::Accept).with_content(yes))
    }

    async fn on_progress(&self, progress: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        self.progress.lock().unwrap().push((progress.progress, progress.message.unwrap_or_default()));
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.changed.notify_one();
    }
}

impl Editor {
    pub(crate) fn that_says(yes: bool) -> Self {
        Self { answer: Some(yes), ..Self::default() }
    }

    /// Creates a client that announces these extensions.
    pub(crate) fn that_shows(extensions: Option<Value>) -> Self {
        let extensions = extensions.map(|extensions| serde_json::from_value(extensions).unwrap());
        Self { extensions, ..Self::default() }
    }

    pub(crate) async fn over_http(
        self,
        daemon: &Daemon,
        token: &str,
        lifecycle: ClientLifecycleMode,
    ) -> Client {
        let http = UnixSocketHttpClient::new(daemon.socket.to_str().unwrap(), "http://localhost/mcp");
        let mut config = StreamableHttpClientTransportConfig::with_uri("http://localhost/mcp");
        config.auth_header = Some(token.to_owned());
        let transport = StreamableHttpClientTransport::with_client(http, config);
        self.serve_with_lifecycle(transport, lifecycle).await.unwrap()
    }

    /// Connects like `palyra mcp serve`.
    pub(crate) async fn over_stdio(
        self,
        daemon: &Daemon,
        token: &str,
        lifecycle: ClientLifecycleMode,
    ) -> Client {
        self.over(&daemon.over_tcp_as(token), lifecycle).await
    }

    /// Connects over any client of the API.
    pub(crate) async fn over(
        self,
        api: &palyra_api::Client<palyra_api::client::remote::Remote>,
        lifecycle: ClientLifecycleMode,
    ) -> Client {
        let (ours, theirs) = tokio::io::duplex(64 << 10);
        let (mut input, mut output) = tokio::io::split(theirs);
        let (pieces, sent) = mpsc::channel(4);
        tokio::spawn(async move {
            let mut piece = vec![0; 64 << 10];
            while let Ok(count @ 1..) = input.read(&mut piece).await {
                let _ = pieces.send(piece[..count].to_vec().into()).await;
            }
        });
        let mut answers = api.mcp(channel_body(sent)).await.unwrap();
        tokio::spawn(async move {
            use http_body_util::BodyExt;
            while let Some(Ok(frame)) = answers.frame().await {
                let _ = output.write_all(frame.data_ref().unwrap()).await;
            }
        });
        self.serve_with_lifecycle(ours, lifecycle).await.unwrap()
    }
}

/// Returns the current revision, which has no sessions, and the one before it.
pub(crate) fn lifecycles() -> [(&'static str, ClientLifecycleMode); 2] {
    let current = vec![ProtocolVersion::V_2026_07_28];
    [
        ("2025-11-25", ClientLifecycleMode::Initialize),
        ("2026-07-28", ClientLifecycleMode::Discover { preferred_versions: current }),
    ]
}

/// Returns the result of a call, or the problem of a request that no tool answered.
pub(crate) async fn call(client: &Client, tool: &str, input: JsonObject) -> Result<CallToolResult, Value> {
    match client.call_tool(CallToolRequestParams::new(tool.to_owned()).with_arguments(input)).await {
        Ok(result) => Ok(result),
        Err(ServiceError::McpError(error)) => Err(error.data.unwrap_or_default()),
        Err(error) => panic!("{error}"),
    }
}

pub(crate) fn number(n: u32) -> JsonObject {
    json!({ "n": n }).as_object().unwrap().clone()
}

pub(crate) fn problem(result: Result<CallToolResult, Value>) -> Value {
    let result = result.unwrap();
    assert_eq!(result.is_error, Some(true));
    result.meta.unwrap()["palyra/problem"].clone()
}

fn editor_token(daemon: &Daemon) -> String {
    daemon.token_with("editor", &[Scope::Read, Scope::Invoke])
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_sees_each_enabled_tool_and_calls_it() {
    let daemon = Daemon::with_bench().await;
    daemon.install("off", "");
    daemon.state().skills().disable("acme.off", "not now", "owner").unwrap();
    let token = editor_token(&daemon);
    for (way, lifecycle) in lifecycles() {
        let client = Editor::default().over_http(&daemon, &token, lifecycle).await;
        let tools = client.list_all_tools().await.unwrap();
        let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_ref()).collect();
        let wanted = ["ask", "echo", "fail", "say", "silent", "spin", "trap"]
            .map(|tool| format!("acme__bench__{tool}"));
        assert_eq!(names, wanted, "{way}");
        let echo = &tools[1];
        assert_eq!(echo.description.as_deref(), Some("Ends a call in one way."));
        assert_eq!(echo.input_schema["properties"]["n"]["type"], "integer");
        assert_eq!(echo.output_schema.as_ref().unwrap()["type"], "object");
        let hints = echo.annotations.as_ref().unwrap();
        assert_eq!((hints.title.as_deref(), hints.read_only_hint), (Some("echo"), Some(true)));
        assert_eq!((hints.destructive_hint, hints.open_world_hint), (Some(false), Some(false)));
        let result = call(&client, "acme__bench__echo", number(7)).await.unwrap();
        assert_eq!(result.structured_content, Some(json!({ "n": 7 })));
        assert_eq!(result.content[0].as_text().unwrap().text, r#"{"n":7}"#);
        let run_id = result.meta.unwrap()["palyra/run_id"].as_str().unwrap().to_owned();
        let run = daemon.state().runs().get(&run_id).unwrap().unwrap();
        assert_eq!((run.principal.as_deref(), run.status.as_str()), (Some("editor"), "completed"));
        client.cancel().await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn lines_of_a_run_are_its_progress() {
    let daemon = Daemon::with_bench().await;
    let token = editor_token(&daemon);
    // Only the first call waits for compilation.
    let mut expected = vec!["compiling (first call only)", "Info log: one", "Info log: two", "Info log: six"];
    for (way, lifecycle) in lifecycles() {
        let editor = Editor::default();
        let heard = Arc::clone(&editor.progress);
        let client = editor.over_stdio(&daemon, &token, lifecycle).await;
        call(&client, "acme__bench__say", JsonObject::new()).await.unwrap();
        // The client library handles each notification in its own task, so their order is undefined.
        while heard.lock().unwrap().len() < expected.len() {
            tokio::task::yield_now().await;
        }
        let mut heard = heard.lock().unwrap().clone();
        heard.sort_by(|(left, _), (right, _)| left.total_cmp(right));
        let lines: Vec<&str> = heard.iter().map(|(_, line)| line.as_str()).collect();
        assert_eq!(lines, expected, "{way}");
        let numbers: Vec<f64> = heard.iter().map(|(progress, _)| *progress).collect();
        assert_eq!(numbers, [1.0, 2.0, 3.0, 4.0][..expected.len()]);
        expected.retain(|line| line.starts_with("Info"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_gives_up_ends_its_run() {
    let daemon = Daemon::start().await;
    let quotas = "[capabilities.quotas]\nfuel_budget = 1000000000000\nwall_clock_timeout_ms = 600000\n";
    daemon.install("long", quotas);
    let token = editor_token(&daemon);
    let mut ended = 0;
    for (way, lifecycle) in lifecycles() {
        let clients = [
            Editor::default().over_http(&daemon, &token, lifecycle.clone()).await,
            Editor::default().over_stdio(&daemon, &token, lifecycle).await,
        ];
        for client in clients {
            let calling = client.peer().clone();
            let call = tokio::spawn(async move {
                calling.call_tool_once(CallToolRequestParams::new("acme__long__spin")).await.map(drop)
            });
            while daemon.state().runs().running().is_empty() {
                tokio::task::yield_now().await;
            }
            call.abort();
            let _ = call.await;
            daemon.app.drained().await;
            ended += 1;
            let runs =
                daemon.state().runs().list(&RunQuery { limit: 10, ..RunQuery::default() }).unwrap().runs;
            assert_eq!(runs.iter().filter(|run| run.status == "cancelled").count(), ended, "{way}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn clients_hear_when_the_set_of_tools_changes() {
    let daemon = Daemon::with_bench().await;
    daemon.install("other", "");
    let token = editor_token(&daemon);
    let [(_, sessions), (_, current)] = lifecycles();
    let editors = [Editor::default(), Editor::default()];
    let changed = editors.clone().map(|editor| editor.changed);
    let [one, other] = editors;
    let _over_http = one.over_http(&daemon, &token, sessions.clone()).await;
    let _over_stdio = other.over_stdio(&daemon, &token, sessions).await;
    let listening = Editor::default().over_http(&daemon, &token, current).await;
    let filter = SubscriptionFilter::builder().tools_list_changed().build();
    let mut subscription = listening.peer().listen(filter).await.unwrap();
    // Other changes of the state cause no notification.
    daemon.token_with("third", &[Scope::Read]);
    daemon.state().skills().disable("acme.other", "not now", "owner").unwrap();
    for changed in &changed {
        changed.notified().await;
    }
    let news = subscription.next().await.unwrap().unwrap();
    assert!(matches!(news, ServerNotification::ToolListChangedNotification(_)));
    assert_eq!(listening.list_all_tools().await.unwrap().len(), 7);
    let profile = PluginCapabilityProfile::default();
    daemon.state().settings().set_profile("acme.bench", &profile, "owner").unwrap();
    daemon.state().skills().set_alias("echo", Some("acme.bench.echo"), "owner").unwrap();
    subscription.next().await.unwrap().unwrap();
    let names = listening.list_all_tools().await.unwrap();
    assert!(
        names.iter().any(|tool| tool.name == "echo")
            && !names.iter().any(|tool| tool.name == "acme__bench__echo")
    );
    call(&listening, "echo", number(1)).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_is_asked_only_where_the_client_can_and_its_token_may() {
    let daemon = Daemon::with_bench().await;
    let plain = editor_token(&daemon);
    let may = daemon.token_with("asking", &[Scope::Read, Scope::Invoke, Scope::Elicit]);
    let ask = "acme__bench__ask";
    for (way, lifecycle) in lifecycles() {
        for (editor, token) in [(Editor::default(), &may), (Editor::that_says(true), &plain)] {
            let asked = Arc::clone(&editor.asked);
            let client = editor.over_http(&daemon, token, lifecycle.clone()).await;
            let problem = problem(call(&client, ask, number(1)).await);
            let id = problem["details"]["approval_id"].as_str().unwrap();
            assert_eq!(problem["code"], "approval_required", "{way}");
            assert_eq!(problem["hints"], json!([format!("for the operator: palyra approvals approve {id}")]));
            assert_eq!(asked.lock().unwrap().len(), 0, "nobody was asked");
        }
        for over_http in [true, false] {
            let editor = Editor::that_says(true);
            let asked = Arc::clone(&editor.asked);
            let client = if over_http {
                editor.over_http(&daemon, &may, lifecycle.clone()).await
            } else {
                editor.over_stdio(&daemon, &may, lifecycle.clone()).await
            };
            let result = call(&client, ask, number(2)).await.unwrap();
            assert_eq!(result.structured_content, Some(json!({ "n": 2 })), "{way} {over_http}");
            let asked = asked.lock().unwrap().clone();
            assert_eq!(asked.len(), 1);
            assert!(asked[0].contains("`acme.bench.ask`") && asked[0].contains(r#"{"n":2}"#), "{}", asked[0]);
        }
        let client = Editor::that_says(false).over_http(&daemon, &may, lifecycle).await;
        let refused = problem(call(&client, ask, number(3)).await);
        assert_eq!((&refused["code"], &refused["hints"]), (&json!("approval_required"), &json!([])));
        assert_eq!(refused["detail"], "the person declined");
    }
    let decided = ApprovalQuery { status: Some(ApprovalStatus::Used), ..ApprovalQuery::default() };
    let used = daemon.over_socket().approvals(&decided).await.unwrap().approvals;
    assert_eq!(used.len(), 4);
    assert!(used.iter().all(|one| one.decided_by.as_deref() == Some("asking")
        && one.reason.as_deref() == Some("answered in the MCP client")));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_counts_for_the_call_of_its_own_client_only() {
    let daemon = Daemon::with_bench().await;
    let scopes = [Scope::Read, Scope::Invoke, Scope::Elicit];
    let (one, other) = (daemon.token_with("one", &scopes), daemon.token_with("other", &scopes));
    let [_, (_, current)] = lifecycles();
    let first = Editor::default().over_http(&daemon, &one, current.clone()).await;
    let waits = problem(call(&first, "acme__bench__ask", number(1)).await);
    let id = waits["details"]["approval_id"].as_str().unwrap().to_owned();
    let second = Editor::that_says(true).over_http(&daemon, &other, current).await;
    let yes = json!({ "approval": { "action": "accept", "content": { "approve": true } } });
    let forged = CallToolRequestParams::new("acme__bench__ask")
        .with_arguments(number(1))
        .with_input_responses(serde_json::from_value(yes).unwrap())
        .with_request_state(id.clone());
    let answer = second.call_tool_once(forged).await.unwrap();
    assert!(
        matches!(answer, rmcp::model::CallToolResponse::InputRequired(_)),
        "it is asked about its own call"
    );
    let approval = daemon.over_socket().approval(&id).await.unwrap();
    assert_eq!(approval.status, ApprovalStatus::Pending);
}

#[tokio::test(flavor = "multi_thread")]
async fn tokens_decide_who_comes_in_and_a_removed_one_ends_at_once() {
    let daemon = Daemon::with_bench().await;
    let [(_, sessions), _] = lifecycles();
    let reader = daemon.token_with("reader", &[Scope::Read]);
    let client = Editor::default().over_stdio(&daemon, &reader, sessions.clone()).await;
    let refused = problem(call(&client, "acme__bench__echo", number(1)).await);
    assert_eq!((&refused["code"], &refused["details"]["scope"]), (&json!("forbidden"), &json!("invoke")));
    daemon.state().tokens().remove("reader", "owner").unwrap();
    let gone = client.list_all_tools().await.unwrap_err();
    assert!(gone.to_string().contains("no longer valid"), "{gone}");
    for token in [daemon.token.as_str(), "wrong", &daemon.token_with("caller", &[Scope::Invoke])] {
        let (_, sent) = mpsc::channel(1);
        let refused = daemon.over_tcp_as(token).mcp(channel_body(sent)).await.unwrap_err().into_problem();
        let wanted = if token == "wrong" { "authentication" } else { "forbidden" };
        assert_eq!(refused.code.as_str(), wanted, "{refused}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_a_model_sees_could_widen_authority() {
    let daemon = Daemon::with_bench().await;
    let everything = daemon.token_with("everything", &Scope::ALL);
    let [(_, sessions), _] = lifecycles();
    let client = Editor::default().over_http(&daemon, &everything, sessions).await;
    let view = daemon.state().view();
    let tools = client.list_all_tools().await.unwrap();
    for tool in &tools {
        let skill =
            view.skill_of_tool(&tool.name).unwrap_or_else(|| panic!("`{}` is of no skill", tool.name));
        assert_eq!(skill.skill_id, "acme.bench");
    }
    let offers = client.peer_info().unwrap().capabilities.clone();
    assert!(offers.prompts.is_none() && offers.resources.is_none() && offers.completions.is_none());
    for name in
        ["approve", "skills.install", "palyra__skills__enable", "tokens.add", "trust.allow", "/v1/tokens"]
    {
        let none = call(&client, name, JsonObject::new()).await.unwrap_err();
        assert_eq!(none["code"], "not_found", "{name}");
    }
    let policy = PolicySet::standard();
    let model = || Principal::new(PrincipalKind::Mcp, "everything", Scope::ALL);
    let tool = PolicyTool {
        id: "acme.bench.echo".into(),
        skill: "acme.bench".into(),
        publisher: "acme".into(),
        trust: TrustState::Trusted,
        sensitive: false,
        requires_approval: true,
    };
    let skill = Skill {
        id: "acme.bench".into(),
        publisher: "acme".into(),
        version: "1.0.0".into(),
        trust: TrustState::Trusted,
    };
    for (action, resource) in [
        (Action::Approve, Resource::Tool(tool)),
        (Action::Install, Resource::Daemon),
        (Action::Promote, Resource::Skill(skill)),
        (Action::Grant, Resource::Daemon),
        (Action::Trust, Resource::Daemon),
        (Action::Vault, Resource::Daemon),
        (Action::Admin, Resource::Daemon),
    ] {
        let requester = Some(Principal::new(PrincipalKind::Token, "other", []));
        let context = PolicyContext { requester, ..PolicyContext::new(Face::Mcp) };
        let decision = policy.evaluate(&PolicyRequest { principal: model(), action, resource, context });
        assert!(!decision.allowed, "{action}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn open_sessions_do_not_hold_a_daemon_that_stops() {
    let daemon = Daemon::with_bench().await;
    let token = editor_token(&daemon);
    let mut clients = Vec::new();
    for (_, lifecycle) in lifecycles() {
        clients.push(Editor::default().over_http(&daemon, &token, lifecycle.clone()).await);
        clients.push(Editor::default().over_stdio(&daemon, &token, lifecycle).await);
    }
    let filter = SubscriptionFilter::builder().tools_list_changed().build();
    let _subscription = clients[2].peer().listen(filter).await.unwrap();
    let (state, _home) = daemon.stop_and_reopen().await;
    drop(state);
}
