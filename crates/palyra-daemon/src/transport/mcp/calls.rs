//! One tool call through the call pipeline: its output is reported as progress, and the client can cancel it.

use std::sync::Arc;

use palyra_a2ui::{A2uiDocument, McpClientUi};
use palyra_api::Problem;
use palyra_api::tools::{InvokeAnswer, InvokeRequest};
use palyra_common::{ErrorCode, InOrder, Scope};
use palyra_policy::{Action, Resource};
use palyra_state::authorizer::any_tool;
use palyra_state::runs::RunListener;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ContentBlock, JsonObject, ProgressNotificationParam,
    ProgressToken, ProtocolVersion,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde_json::Value;
use serde_json::value::RawValue;

use super::answer::{given, no_answer, refused, shown};
use super::approval::{self, Asked};
use super::caller::{Caller, hold_answer};
use super::catalogue::Structure;
use super::conversation::PARSED_WEIGHT;
use crate::app::App;
use crate::policy::missing_scope;
use crate::{denials, invoke, surfaces};

/// A tool call of a client.
pub(super) struct Call<'c> {
    pub(super) app: &'c Arc<App>,
    pub(super) caller: &'c Caller,
    pub(super) context: &'c RequestContext<RoleServer>,
    pub(super) tool: &'c str,
    arguments: &'c JsonObject,
}

/// Returns the forms of results that the client supports.
pub(super) fn structure(context: &RequestContext<RoleServer>) -> Structure {
    match context.protocol_version() {
        Some(version) if version.as_str() >= ProtocolVersion::V_2026_07_28.as_str() => Structure::Any,
        _ => Structure::Objects,
    }
}

/// Calls a tool; if approval is required and the client can ask a person, asks first.
pub(super) async fn call(
    app: &Arc<App>,
    caller: &Caller,
    request: &CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    let none = JsonObject::new();
    let arguments = request.arguments.as_ref().unwrap_or(&none);
    let call = Call { app, caller, context, tool: &request.name, arguments };
    let answered = approval::take_answer(&call, request).await;
    if let Some(Asked::No(problem)) = answered {
        return call.refuse(&problem);
    }
    let refusal = match call.attempt().await {
        Ok(answer) => return Ok(call.give(&answer).await),
        Err(refusal) => refusal,
    };
    // The client is asked once per call: an answer that did not lead to an approval is not requested again.
    let asked = if answered.is_none() { approval::ask(&call, &refusal).await } else { Asked::Nobody };
    match asked {
        Asked::Nobody => call.refuse(&refusal),
        Asked::No(problem) => call.refuse(&problem),
        Asked::Later(question) => Ok((*question).into()),
        Asked::Yes => match call.attempt().await {
            Ok(answer) => Ok(call.give(&answer).await),
            Err(refusal) => call.refuse(&refusal),
        },
    }
}

impl Call<'_> {
    /// Converts the result for the client, and reserves memory for the parsed value.
    async fn give(&self, answer: &InvokeAnswer) -> CallToolResponse {
        let document = self.document(answer).await;
        let parsed = answer.result.get().len().saturating_mul(PARSED_WEIGHT);
        let drawn = document.as_ref().map_or(0, |(_, bytes)| *bytes);
        hold_answer(&self.context.extensions, parsed.saturating_add(drawn));
        given(answer, structure(self.context), document.map(|(blocks, _)| blocks)).into()
    }

    /// Renders a document for the client, with its size in bytes; `None` if the result is not a document.
    async fn document(&self, answer: &InvokeAnswer) -> Option<(Vec<ContentBlock>, usize)> {
        let state = self.app.state();
        if !surfaces::returns_document(state, &answer.tool) {
            return None;
        }
        let can = self.context.client_capabilities();
        let can = can.and_then(|can| serde_json::to_value(can).ok()).unwrap_or_default();
        let (client, output) = (McpClientUi::announced(&can), answer.result.get().to_owned());
        let draw = move || {
            let blocks = shown(&A2uiDocument::parse(&output).ok()?, client);
            let bytes = serde_json::to_vec(&blocks).map_or(0, |json| json.len());
            Some((blocks, bytes))
        };
        tokio::task::spawn_blocking(draw).await.ok().flatten()
    }

    async fn attempt(&self) -> Result<InvokeAnswer, Problem> {
        let (listener, mut lines) = RunListener::new();
        let mut progress = Progress::of(self.context);
        let invoking = self.invoke(Arc::clone(&listener));
        tokio::pin!(invoking);
        let result = loop {
            tokio::select! {
                biased;
                // Dropping the call cancels the run, which continues to its receipt.
                () = self.context.ct.cancelled() => break Err(Problem::new(ErrorCode::Cancelled, "the \
                    client cancelled the call")),
                Some(line) = lines.recv() => progress.tell(line).await,
                result = &mut invoking => break result,
            }
        };
        while let Ok(line) = lines.try_recv() {
            progress.tell(line).await;
        }
        result
    }

    async fn invoke(&self, listener: Arc<RunListener>) -> Result<InvokeAnswer, Problem> {
        let Caller { principal, session, .. } = self.caller;
        if !principal.may(Scope::Invoke) {
            let (authorizer, tool) = (self.app.authorizer(), Resource::Tool(any_tool()));
            return Err(missing_scope(&authorizer, principal, Scope::Invoke, Action::Invoke, tool));
        }
        let input = InOrder(&Value::Object(self.arguments.clone())).to_string();
        let input = RawValue::from_string(input)
            .map_err(|error| Problem::new(ErrorCode::Usage, error.to_string()))?;
        let request = InvokeRequest { session: session.clone(), ..InvokeRequest::with_input(input) };
        invoke::invoke(self.app, principal, self.tool.to_owned(), request, Some(listener)).await
    }

    /// Returns the reason to the client; denials are also recorded in the journal, as on every transport.
    fn refuse(&self, problem: &Problem) -> Result<CallToolResponse, ErrorData> {
        let Caller { principal, request_id, from, .. } = self.caller;
        denials::record(self.app, request_id, &principal.name, *from, problem);
        let problem = Problem { request_id: Some(request_id.to_string()), ..problem.clone() };
        match (problem.code, &problem.run_id) {
            (ErrorCode::NotFound, None) => Err(no_answer(&problem)),
            _ => Ok(refused(&problem).into()),
        }
    }
}

/// Sends each line of the run to a client that requested progress.
struct Progress<'c> {
    context: &'c RequestContext<RoleServer>,
    token: Option<ProgressToken>,
    lines: u32,
}

impl<'c> Progress<'c> {
    fn of(context: &'c RequestContext<RoleServer>) -> Self {
        Self { context, token: context.meta.get_progress_token(), lines: 0 }
    }

    async fn tell(&mut self, line: String) {
        let Some(token) = self.token.clone() else { return };
        self.lines = self.lines.saturating_add(1);
        let progress = ProgressNotificationParam::new(token, f64::from(self.lines)).with_message(line);
        // If the client is gone, its call was cancelled.
        let _ = self.context.peer.notify_progress(progress).await;
    }
}
