//! MCP in the framing of standard input and output, over one HTTP request with streamed bodies.

use std::sync::Arc;

use rmcp::service::serve_server_with_ct;
use tokio::io::{AsyncRead, AsyncWrite};

use super::caller::{Identity, StdioClient};
use super::conversation::Conversation;
use super::server::McpServer;
use crate::app::App;

/// Serves one client until it closes its side or the daemon stops.
pub(crate) async fn serve_stdio(
    app: Arc<App>,
    client: StdioClient,
    messages: impl AsyncRead + Send + Unpin + 'static,
    answers: impl AsyncWrite + Send + Unpin + 'static,
    principal: String,
) {
    let ended = app.mcp().ended(&app).child_token();
    let server = McpServer::new(Arc::downgrade(&app), Identity::StdioClient(client));
    let conversation = Conversation::new(messages, answers, app.budget(), &principal);
    drop(app);
    let conversation = match conversation {
        Ok(conversation) => conversation,
        Err(error) => return tracing::debug!(%error, "MCP handshake failed"),
    };
    match serve_server_with_ct(server, conversation, ended).await {
        Ok(running) => {
            let _ = running.waiting().await;
        }
        Err(error) => tracing::debug!(%error, "MCP handshake failed"),
    }
}
