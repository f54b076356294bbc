//! Conversion between documents and messages of Google's A2UI.
//!
//! Its basic catalog has neither tables nor charts: a table becomes rows of texts, and a chart becomes its table. Parts
//! of a message other than texts, lists and inputs become components of an unknown type.

mod incoming;
mod outgoing;

use serde_json::Value;

use crate::document::{A2uiDocument, check_size};
use crate::error::{A2uiError, read};

/// A version of Google's A2UI.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GoogleA2uiVersion {
    /// Version 0.9.1, also accepted as `v0.9`.
    V0_9_1,
    /// Version 1.0.
    V1_0,
}

/// The name of the action that a submitted form sends.
pub const SUBMIT_ACTION: &str = "palyra_submit";

impl GoogleA2uiVersion {
    fn name(self) -> &'static str {
        match self {
            Self::V0_9_1 => "v0.9.1",
            Self::V1_0 => "v1.0",
        }
    }

    /// Returns the id of the basic catalog of this version.
    #[must_use]
    pub fn catalog_id(self) -> &'static str {
        match self {
            Self::V0_9_1 => "https://a2ui.org/specification/v0_9/catalogs/basic/catalog.json",
            Self::V1_0 => "https://a2ui.org/specification/v1_0/catalogs/basic/catalog.json",
        }
    }
}

/// Returns the messages that create the surface of a document and fill it, in order.
#[must_use]
pub fn to_google(document: &A2uiDocument, version: GoogleA2uiVersion) -> Vec<Value> {
    outgoing::messages(document, version)
}

/// Converts a JSON array of messages that create one surface to a document.
///
/// Pointers of errors refer to the array, or to the document that it is converted to.
pub fn from_google(text: &str) -> Result<A2uiDocument, A2uiError> {
    check_size(text)?;
    let messages: Vec<Value> = read(text)?;
    let document = incoming::document(&messages)?;
    A2uiDocument::parse(&document.to_string())
}
