//! Language models behind one trait.
//!
//! ```text
//! ModelRequest ─► ModelProvider::stream ─► ModelStream ─► ModelEvent … Finished
//!                                                            │
//!                                            ModelAnswer::apply ─► Message::Assistant
//! ```
//!
//! [`HttpProvider`] connects to real providers: a request is encoded for its [`Protocol`] and sent through the egress
//! guard, which injects the key. [`AnswerReader`] reads the response within the limits of [`limits`].
//!
//! A stream ends with [`ModelEvent::Finished`] or with one [`ModelError`], and yields nothing afterwards. Dropping it
//! aborts the request. Tool calls are always complete, never in parts.

#![forbid(unsafe_code)]

mod answer;
mod chat;
mod endpoint;
mod error;
mod event;
mod exchange;
mod failure;
mod http_provider;
mod json;
pub mod limits;
mod message;
mod messages;
mod protocol;
mod provider;
mod provider_state;
mod request;
mod responses;
mod retry;
mod stream;
#[cfg(feature = "testing")]
pub mod testing;

pub use answer::ModelAnswer;
pub use endpoint::{BadEndpoint, Endpoint};
pub use error::{ModelError, TimeoutPhase};
pub use event::{ModelEvent, StopReason, Usage};
pub use http_provider::{HttpProvider, HttpProviderConfig, ProviderKey, Timeouts};
pub use message::{Message, ToolCall};
pub use protocol::{Protocol, UnknownProtocol};
pub use provider::{ModelProvider, ModelStream};
pub use request::{ModelRequest, ToolChoice, ToolSpec};
pub use retry::RetryPolicy;
pub use stream::AnswerReader;
