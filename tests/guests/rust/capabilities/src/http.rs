//! Requests.

use palyra_plugins_sdk::http::{self, Request};
use palyra_plugins_sdk::prelude::*;
use std::collections::BTreeMap;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Get {
    url: String,
    /// The secret to send as bearer.
    bearer: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Post {
    url: String,
    body: String,
    #[serde(default = "plain_text")]
    content_type: String,
}

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Send {
    method: String,
    url: String,
    #[serde(default)]
    headers: Vec<(String, String)>,
    body: Option<String>,
    #[serde(default)]
    secrets: Vec<Injection>,
    timeout_ms: Option<u32>,
}

/// A secret and the one place it goes to; bearer when no place is given.
#[derive(Deserialize, JsonSchema)]
struct Injection {
    secret: String,
    header: Option<String>,
    query: Option<String>,
    basic_user: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Answer {
    status: u16,
    headers: BTreeMap<String, String>,
    body: String,
}

#[tool(id = "capabilities.http_get", description = "GET a URL")]
pub(crate) fn get(input: Get) -> Result<Answer, ToolError> {
    let request = http::get(input.url);
    answer(match input.bearer {
        Some(secret) => request.bearer(secret),
        None => request,
    })
}

#[tool(id = "capabilities.http_post", description = "POST text to a URL")]
pub(crate) fn post(input: Post) -> Result<Answer, ToolError> {
    answer(http::post(input.url).header("content-type", input.content_type).body(input.body))
}

#[tool(id = "capabilities.http_send", description = "Send any request, with secrets injected")]
pub(crate) fn send(input: Send) -> Result<Answer, ToolError> {
    let mut request = Request::new(input.method, input.url);
    for (name, value) in input.headers {
        request = request.header(name, value);
    }
    for injection in input.secrets {
        request = inject(request, injection);
    }
    if let Some(body) = input.body {
        request = request.body(body);
    }
    if let Some(milliseconds) = input.timeout_ms {
        request = request.timeout_ms(milliseconds);
    }
    answer(request)
}

fn inject(request: Request, injection: Injection) -> Request {
    let Injection { secret, header, query, basic_user } = injection;
    match (header, query, basic_user) {
        (Some(header), _, _) => request.secret_header(header, secret),
        (_, Some(parameter), _) => request.secret_query(parameter, secret),
        (_, _, Some(user)) => request.basic_password(user, secret),
        _ => request.bearer(secret),
    }
}

fn answer(request: Request) -> Result<Answer, ToolError> {
    let response = request.send()?;
    let body = String::from_utf8_lossy(&response.body).into_owned();
    Ok(Answer { status: response.status, headers: response.headers.into_iter().collect(), body })
}

fn plain_text() -> String {
    "text/plain".to_owned()
}
