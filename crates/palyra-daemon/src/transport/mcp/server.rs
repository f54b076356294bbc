//! The MCP server of one client; the library implements the protocol.

use palyra_common::ErrorCode;
use std::sync::{Arc, Weak};

use palyra_api::Problem;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CompleteRequestMethod, CompleteRequestParams, CompleteResult,
    Extensions, Implementation, ListPromptsRequestMethod, ListPromptsResult,
    ListResourceTemplatesRequestMethod, ListResourceTemplatesResult, ListResourcesRequestMethod,
    ListResourcesResult, ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig,
    SubscriptionFilter, Tool,
};
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;
use tracing::Instrument;

use super::answer::no_answer;
use super::caller::{Caller, Identity, hold_answer};
use super::calls::{self, structure};
use super::catalogue;
use super::changes::ToolChanges;
use super::conversation::{MAX_UNDER_WAY, too_many_under_way};
use crate::app::App;

/// Instructions of the server, which clients pass to their models.
const INSTRUCTIONS: &str = "Each tool belongs to a signed skill that an operator installed, and runs in a \
    sandbox. An error names its code; `approval_required` means that a person has to run the command in \
    its hint before the same call succeeds, and `capability_denied` that the operator has not granted what \
    the tool needs.";

/// One session, or one request in protocol revisions without sessions.
pub(super) struct McpServer {
    app: Weak<App>,
    identity: Identity,
    closed: CancellationToken,
    under_way: Arc<Semaphore>,
}

impl McpServer {
    pub(super) fn new(app: Weak<App>, identity: Identity) -> Self {
        let under_way = Arc::new(Semaphore::new(MAX_UNDER_WAY));
        Self { app, identity, closed: CancellationToken::new(), under_way }
    }

    fn app(&self) -> Result<Arc<App>, ErrorData> {
        let gone = || no_answer(&Problem::new(ErrorCode::ShuttingDown, "the daemon is shutting down"));
        self.app.upgrade().ok_or_else(gone)
    }

    /// Counts a request. A client may disconnect and leave its requests in progress, so they are counted here as well.
    fn begin(&self) -> Result<OwnedSemaphorePermit, ErrorData> {
        let begun = Arc::clone(&self.under_way).try_acquire_owned();
        begun.map_err(|_| no_answer(&too_many_under_way()))
    }

    fn caller(&self, app: &App, extensions: &Extensions) -> Result<Caller, ErrorData> {
        self.identity.caller(app, extensions).map_err(|problem| no_answer(&problem))
    }
}

impl Drop for McpServer {
    fn drop(&mut self) {
        self.closed.cancel();
    }
}

impl ServerHandler for McpServer {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().enable_tool_list_changed().build();
        let mut config = ServerConfig::new(capabilities).with_instructions(INSTRUCTIONS);
        config.server_info = Implementation::new("palyra", env!("CARGO_PKG_VERSION"));
        config.server_info.title = Some("Palyra".to_owned());
        config
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.app.upgrade().and_then(|app| catalogue::tool(app.state(), name))
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let app = self.app()?;
        let _begun = self.begin()?;
        self.caller(&app, &context.extensions)?;
        let structure = structure(&context);
        let after = request.and_then(|request| request.cursor);
        let listing =
            tokio::task::spawn_blocking(move || catalogue::page(app.state(), structure, after.as_deref()));
        let (tools, next) =
            listing.await.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        hold_answer(&context.extensions, serde_json::to_vec(&tools).map_or(0, |listed| listed.len()));
        let mut page = ListToolsResult::with_all_items(tools);
        page.next_cursor = next;
        Ok(page)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let app = self.app()?;
        let _begun = self.begin()?;
        let caller = self.caller(&app, &context.extensions)?;
        let span = tracing::debug_span!("mcp", request_id = %caller.request_id);
        calls::call(&app, &caller, &request, &context).instrument(span).await
    }

    // Methods that are not declared are rejected; the defaults of the library would return empty results.

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Err(ErrorData::method_not_found::<ListPromptsRequestMethod>())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Err(ErrorData::method_not_found::<ListResourcesRequestMethod>())
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Err(ErrorData::method_not_found::<ListResourceTemplatesRequestMethod>())
    }

    async fn complete(
        &self,
        _: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        Err(ErrorData::method_not_found::<CompleteRequestMethod>())
    }

    /// Notifies a client about changed tools for as long as its session lasts.
    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        let Ok(app) = self.app() else { return };
        let (mut changes, closed, peer) = (ToolChanges::new(&app), self.closed.clone(), context.peer);
        drop(app);
        tokio::spawn(async move {
            let telling = async {
                while changes.next().await.is_some() && peer.notify_tool_list_changed().await.is_ok() {}
            };
            tokio::select! {
                () = closed.cancelled() => {}
                () = telling => {}
            }
        });
    }

    fn accepted_subscription_filter(&self, _: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(SubscriptionFilter::builder().tools_list_changed().build())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let app = self.app()?;
        let caller = self.caller(&app, &context.request_context().extensions)?;
        let too_many =
            || no_answer(&Problem::new(ErrorCode::TooManyStreams, "too many open streams for this token"));
        let _permit = app.streams().open(&caller.principal.name).ok_or_else(too_many)?;
        let mut changes = ToolChanges::new(&app);
        drop(app);
        loop {
            tokio::select! {
                () = context.cancelled() => return Ok(()),
                change = changes.next() => {
                    if change.is_none() || context.sink().notify_tool_list_changed().await.is_err() {
                        return Ok(());
                    }
                }
            }
        }
    }
}
