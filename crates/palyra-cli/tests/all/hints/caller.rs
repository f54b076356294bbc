//! One call on each transport, and the reason of its refusal.

use super::grpc::Wire;
use super::skill::RELAY_ID;
use super::table::Transport;
use crate::daemon::Background;
use crate::mcp::editor;
use crate::skill_bench::SkillBench;
use palyra_api::client::remote::{Place, Remote};
use palyra_api::tools::InvokeRequest;
use palyra_api::{Client, Problem};
use rmcp::model::{CallToolRequestParams, ClientConfig};
use rmcp::service::RunningService;
use rmcp::{ClientLifecycleMode, RoleClient};
use serde_json::Value;
use serde_json::value::RawValue;
use std::process::Child;
use zeroize::Zeroizing;

/// Every transport for a call, each with its own token; the command line is the owner.
pub(super) struct Caller<'b> {
    pub(super) bench: &'b SkillBench,
    /// Limits of calls.
    pub(super) limits: Vec<String>,
    http: Client<Remote>,
    grpc: Wire,
    mcp: RunningService<RoleClient, ClientConfig>,
    editor: Child,
}

/// Reason why a call was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refused {
    pub(super) code: String,
    pub(super) message: String,
    /// The first hint of the error.
    pub(super) hint: String,
}

impl From<Problem> for Refused {
    fn from(problem: Problem) -> Self {
        let hint = problem.hints.first().cloned().unwrap_or_default();
        Self { code: problem.code.to_string(), message: problem.detail, hint }
    }
}

impl<'b> Caller<'b> {
    pub(super) async fn new(bench: &'b SkillBench, daemon: &Background) -> Self {
        let token = |name: &str| {
            let added = bench.json(&["tokens", "add", name, "--scope", "read", "--scope", "invoke"]);
            added["secret"].as_str().unwrap().to_owned()
        };
        let place: Place = daemon.url().parse().unwrap();
        let status = bench.json(&["daemon", "status"]);
        let (editor, mcp) = editor(bench, &["--client", "editor"], ClientLifecycleMode::Initialize).await;
        Self {
            bench,
            limits: Vec::new(),
            http: Client::new(Remote::new(place, Some(Zeroizing::new(token("http"))))),
            grpc: Wire::new(status["grpc_url"].as_str().unwrap(), &token("grpc")),
            mcp,
            editor,
        }
    }

    /// Calls the tool of a kind; every result except a refusal counts as success.
    pub(super) async fn call(&mut self, transport: Transport, kind: &str) -> Result<(), Refused> {
        let tool = format!("{RELAY_ID}.{kind}");
        match transport {
            Transport::Cli => self.by_command(&tool),
            Transport::Http => {
                let input = RawValue::from_string("{}".to_owned()).unwrap();
                let request =
                    InvokeRequest { limits: self.limits.clone(), ..InvokeRequest::with_input(input) };
                let answer = self.http.invoke(&tool, &request).await;
                answer.map(drop).map_err(|error| error.into_problem().into())
            }
            Transport::Grpc => Ok(self.grpc.invoke(&tool, "{}", &self.limits).await?),
            Transport::Mcp => self.by_editor(&tool).await,
        }
    }

    fn by_command(&self, tool: &str) -> Result<(), Refused> {
        let limits = self.limits.iter().flat_map(|limit| ["--limit", limit.as_str()]);
        let arguments: Vec<&str> =
            ["run", tool, "--input", "{}", "--json"].into_iter().chain(limits).collect();
        let ran = self.bench.palyra(&arguments);
        if ran.code == 0 {
            return Ok(());
        }
        Err(refused(&ran.error(), "message"))
    }

    async fn by_editor(&self, tool: &str) -> Result<(), Refused> {
        assert!(self.limits.is_empty(), "an MCP client names no limits");
        let call = CallToolRequestParams::new(tool.replace('.', "__"));
        let result = self.mcp.call_tool(call.with_arguments(serde_json::Map::new())).await.unwrap();
        if result.is_error != Some(true) {
            return Ok(());
        }
        let problem = result.meta.as_ref().and_then(|meta| meta.0.get("palyra/problem")).cloned();
        Err(refused(&problem.expect("a refusal has its problem"), "detail"))
    }

    pub(super) async fn close(mut self) {
        self.mcp.cancel().await.unwrap();
        self.editor.wait().unwrap();
    }
}

fn refused(error: &Value, message: &str) -> Refused {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    Refused { code: text(&error["code"]), message: text(&error[message]), hint: text(&error["hints"][0]) }
}
