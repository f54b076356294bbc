//! A2UI documents, which tools return to be displayed to people.
//!
//! ```text
//! JSON text ─► A2uiDocument::parse ─► A2uiDocument ─► render_text      a terminal, or a model
//!                                        │  ▲
//!                              A2uiPatch ┘  └ or nothing changes
//! A2uiFormSubmitEvent ─► A2uiDocument::check_submit ─► FormValues
//! ```
//!
//! A document is valid by construction: [`A2uiDocument::parse`] rejects unknown keys, text that a terminal could
//! interpret as commands, and everything above [`limits`]. Every error contains a JSON pointer to its position.

#![forbid(unsafe_code)]

mod bounded;
mod chart;
mod component;
mod document;
mod error;
mod form;
mod google;
pub mod limits;
mod list;
mod markdown;
mod mcp;
mod patch;
mod prompt;
mod render;
mod schema;
mod submit;
mod table;
mod text;
mod unknown;

pub use chart::{Axis, AxisType, Chart, ChartKind, Series};
pub use component::{Component, ComponentBody, Markdown, Text, Tone};
pub use document::A2uiDocument;
pub use error::A2uiError;
pub use form::{Bound, Field, FieldType, FieldValue, Form, Options, is_date, is_datetime, is_email};
pub use google::{GoogleA2uiVersion, SUBMIT_ACTION, from_google, to_google};
pub use list::{Item, List, ListRow};
pub use mcp::{A2UI_MEDIA_TYPE, MCP_APP_MEDIA_TYPE, McpClientUi, mcp_content, to_markdown};
pub use patch::{A2uiPatch, PatchError, PatchOp};
pub use prompt::{Prompt, PromptKind};
pub use render::render_text;
pub use schema::json_schema;
pub use submit::{A2uiFormSubmitEvent, FormValues};
pub use table::{Align, Cell, Column, ColumnType, Row, Sort, SortDirection, Table};
pub use unknown::UnknownComponent;
