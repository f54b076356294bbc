//! `palyra.echo_http.fetch`: one GET through the egress guard; a secret is named and never seen.

use palyra_plugins_sdk::http::{self, Response};
use palyra_plugins_sdk::prelude::*;
use std::collections::BTreeMap;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FetchInput {
    /// An absolute URL on a granted host.
    url: String,
    /// The name of a granted secret to send as bearer, such as `global/token`.
    secret: Option<String>,
    /// Names of the response headers to return.
    #[serde(default)]
    headers: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct FetchOutput {
    status: u16,
    /// The headers asked for that the server sent, names in lower case.
    headers: BTreeMap<String, String>,
    /// The body as text; bytes that are not UTF-8 are replaced.
    body: String,
}

#[tool(
    id = "palyra.echo_http.fetch",
    description = "Fetches a URL with GET and returns status, body and chosen headers"
)]
pub(crate) fn fetch(input: FetchInput) -> Result<FetchOutput, ToolError> {
    let mut request = http::get(input.url).header("accept", "*/*");
    if let Some(secret) = input.secret {
        request = request.bearer(secret);
    }
    let response = request.send()?;
    log::info!("answered {} with {} bytes", response.status, response.body.len());
    Ok(FetchOutput {
        status: response.status,
        headers: chosen(&response, &input.headers),
        body: String::from_utf8_lossy(&response.body).into_owned(),
    })
}

fn chosen(response: &Response, names: &[String]) -> BTreeMap<String, String> {
    let found = |name: &String| Some((name.to_ascii_lowercase(), response.header(name)?.to_owned()));
    names.iter().filter_map(found).collect()
}
