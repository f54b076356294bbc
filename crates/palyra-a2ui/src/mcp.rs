//! Converts a document to content for an MCP client, depending on the capabilities of the client.

use serde_json::{Value, json};

use crate::document::A2uiDocument;
use crate::google::{GoogleA2uiVersion, to_google};

mod html;
mod to_markdown;

pub use to_markdown::to_markdown;

/// The media type of messages of Google's A2UI.
pub const A2UI_MEDIA_TYPE: &str = "application/a2ui+json";
/// The media type of a page of MCP Apps.
pub const MCP_APP_MEDIA_TYPE: &str = "text/html;profile=mcp-app";

/// The richest form of documents that a client supports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum McpClientUi {
    /// Messages of Google's A2UI.
    A2ui(GoogleA2uiVersion),
    /// Pages of the MCP Apps extension.
    McpApps,
    /// Markdown text, which every client supports.
    Markdown,
}

impl McpClientUi {
    /// Determines the form from the client's capabilities. A2UI is preferred to pages.
    ///
    /// The MCP Apps extension lists media types, which can include that of A2UI. `a2uiClientCapabilities` has a member
    /// for each version of A2UI; it is read from the capabilities, their extensions and their experimental part.
    #[must_use]
    pub fn announced(capabilities: &Value) -> Self {
        let extensions = &capabilities["extensions"];
        let media_types = extensions["io.modelcontextprotocol/ui"]["mimeTypes"].as_array();
        let shows = |wanted: &str| media_types.into_iter().flatten().any(|known| known == wanted);
        let places = [capabilities, extensions, &capabilities["experimental"]];
        let versions = places.map(|place| &place["a2uiClientCapabilities"]);
        let version = |name: &str| versions.iter().any(|versions| versions.get(name).is_some());
        if version("v1.0") {
            Self::A2ui(GoogleA2uiVersion::V1_0)
        } else if version("v0.9") || version("v0.9.1") || shows(A2UI_MEDIA_TYPE) {
            Self::A2ui(GoogleA2uiVersion::V0_9_1)
        } else if shows(MCP_APP_MEDIA_TYPE) {
            Self::McpApps
        } else {
            Self::Markdown
        }
    }
}

/// Returns the content blocks of a tool result that display a document. They always include the text, for the
/// model.
#[must_use]
pub fn mcp_content(document: &A2uiDocument, client: McpClientUi) -> Vec<Value> {
    let text = json!({ "type": "text", "text": to_markdown(document) });
    let uri = format!("ui://palyra/{}", document.surface());
    let resource = |media_type: &str, text: String| json!({ "type": "resource", "resource": { "uri": uri, "mimeType": media_type, "text": text } });
    match client {
        McpClientUi::Markdown => vec![text],
        McpClientUi::A2ui(version) => {
            let messages = Value::Array(to_google(document, version)).to_string();
            vec![resource(A2UI_MEDIA_TYPE, messages), text]
        }
        McpClientUi::McpApps => vec![resource(MCP_APP_MEDIA_TYPE, html::page(document)), text],
    }
}
