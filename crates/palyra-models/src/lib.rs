//! Language models behind one trait.
//!
//! ```text
//! ModelRequest ─► ModelProvider::stream ─► ModelStream ─► ModelEvent … Finished
//!                                                            │
//!                                            ModelAnswer::apply ─► Message::Assistant
//! ```
//!
//! [`HttpProvider`] speaks to real providers: a request is encoded for its [`Protocol`], sent through the egress guard with
//! the key injected there, and the answer is read by [`AnswerReader`] under the limits of [`limits`].
//!
//! A stream ends with [`ModelEvent::Finished`] or with one [`ModelError`], and yields nothing after either.
//! Dropping it drops the request. Tool calls arrive whole, never in pieces.

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
