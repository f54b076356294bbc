//! `/mcp`: MCP over streamable HTTP, and in the framing of standard input and output.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::Response;
use futures::TryStreamExt;
use http::HeaderValue;
use http::header::CONTENT_TYPE;
use http_body_util::Full;
use palyra_api::Problem;
use palyra_api::mcp::{MAX_MESSAGE_BYTES, MESSAGES};
use palyra_common::{ErrorCode, Scope};
use palyra_policy::Face;
use palyra_state::PrincipalId;
use tokio_util::io::{ReaderStream, StreamReader};
use zeroize::Zeroizing;

use super::access::{Arrival, Caller, RequestId, bearer};
use super::answer::Failure;
use super::body::{read_whole, reservation};
use super::route::Route;
use super::sse::EVENT_STREAM;
use crate::app::App;
use crate::transport::mcp::{PARSED_WEIGHT, StdioClient, serve_stdio};

/// Maximum bytes of responses that wait for the client.
const WAITING_BYTES: usize = 64 << 10;

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::post("/mcp", Scope::Read, exchange)
            .via(Face::Mcp)
            .summary(
                "Handle a message of the Model Context Protocol; tool calls also require the scope `invoke`",
            )
            .takes_bytes("application/json", MAX_MESSAGE_BYTES)
            .answers_with(EVENT_STREAM),
        Route::get("/mcp", Scope::Read, exchange)
            .via(Face::Mcp)
            .summary("Stream server messages of an MCP session, for revisions with sessions")
            .answers_with(EVENT_STREAM),
        Route::delete("/mcp", Scope::Read, exchange).via(Face::Mcp).summary("End an MCP session"),
        Route::post("/mcp/stdio", Scope::Read, stdio)
            .via(Face::Mcp)
            .summary(
                "Exchange MCP messages in both directions, one per line, for the duration of the request",
            )
            .takes_bytes(MESSAGES, usize::MAX)
            .answers_with(MESSAGES),
    ]
}

async fn exchange(
    State(app): State<Arc<App>>,
    Caller(principal): Caller,
    request: Request,
) -> Result<Response, Failure> {
    let (parts, bytes) = read_whole(request).await?;
    let parsed = bytes.len().saturating_mul(PARSED_WEIGHT);
    reservation(&parts.extensions)?.grow_to(parsed).map_err(Problem::from)?;
    let request = Request::from_parts(parts, Full::new(bytes));
    Ok(app.mcp().answer(&app, &PrincipalId::from(&*principal), request).await?)
}

async fn stdio(
    State(app): State<Arc<App>>,
    Caller(principal): Caller,
    request: Request,
) -> Result<Response, Failure> {
    let (parts, body) = request.into_parts();
    let token = bearer(&parts.headers).map(|token| Zeroizing::new(token.to_owned()));
    let stdio = StdioClient {
        token: token.ok_or_else(|| Problem::new(ErrorCode::Authentication, "a token is required"))?,
        request_id: parts.extensions.get::<RequestId>().map_or_else(|| Arc::from(""), |id| Arc::clone(&id.0)),
        from: parts.extensions.get::<Arrival>().and_then(Arrival::address),
    };
    let messages = StreamReader::new(body.into_data_stream().map_err(std::io::Error::other));
    let (ours, theirs) = tokio::io::duplex(WAITING_BYTES);
    tokio::spawn(serve_stdio(app, stdio, messages, ours, principal.name.clone()));
    let mut response = Response::new(Body::from_stream(ReaderStream::new(theirs)));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(MESSAGES));
    Ok(response)
}
