//! Language models behind one trait.
//!
//! ```text
//! ModelRequest ─► ModelProvider::stream ─► ModelStream ─► ModelEvent … Finished
//!                                                            │
//!                                            ModelAnswer::apply ─► Message::Assistant
//! ```
//!
//! A stream ends with [`ModelEvent::Finished`] or with one [`ModelError`], and yields nothing after either.
//! Dropping it drops the request. Tool calls arrive whole, never in pieces.

#![forbid(unsafe_code)]

mod answer;
mod error;
mod event;
mod message;
mod provider;
mod request;
#[cfg(feature = "testing")]
pub mod testing;

pub use answer::ModelAnswer;
pub use error::{ModelError, TimeoutPhase};
pub use event::{ModelEvent, StopReason, Usage};
pub use message::{Message, ToolCall};
pub use provider::{ModelProvider, ModelStream};
pub use request::{ModelRequest, ToolChoice, ToolSpec};
