//! Channels: where messages of guests go once they are published.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::deliveries::DeliveryCursor;

/// The answer of `GET /v1/channels`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ChannelList {
    /// The channels, by name.
    pub channels: Vec<Channel>,
}

/// A channel and how far it has come.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Channel {
    /// Its name, as grants write it.
    pub name: String,
    /// `console`, `file` or `webhook`.
    pub to: String,
    /// The file.
    pub path: Option<String>,
    /// The URL.
    pub url: Option<String>,
    /// The name of the secret that signs.
    pub secret: Option<String>,
    /// Address ranges that are opened to it.
    pub allow_addresses: Vec<String>,
    /// How far it has come; nothing for one that leads nowhere else.
    pub cursor: Option<DeliveryCursor>,
    /// What it gave up, newest first; at most 20.
    pub dead_letters: Vec<ChannelDeadLetter>,
}

/// A message that was given up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ChannelDeadLetter {
    /// Its number.
    pub letter: u64,
    /// The channel.
    pub channel: String,
    /// The message.
    pub message: u64,
    /// How often it was tried.
    pub attempts: u32,
    /// Why it failed last.
    pub reason: String,
    /// When it was given up, in milliseconds of Unix time.
    pub at_ms: u64,
}

/// The answer of `GET /v1/channels/{name}/dead-letters`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ChannelDeadLetterList {
    /// The letters, newest first.
    pub dead_letters: Vec<ChannelDeadLetter>,
}

/// The body of `POST /v1/channels`; what does not belong to its kind is refused.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AddChannelRequest {
    /// Its name, as grants write it.
    #[schema(pattern = "^[a-z0-9][a-z0-9._-]{0,63}$")]
    pub name: String,
    /// Where its messages go.
    pub to: ChannelTarget,
    /// The file, by its whole path; for `file`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The URL; for `webhook`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The secret in the vault that signs, as `SCOPE/KEY`; for `webhook`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret: Option<String>,
    /// Address ranges to open to it; for `webhook`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub allow_addresses: Vec<String>,
    /// How long it may take to answer, in milliseconds; for `webhook`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
}

/// Where messages go.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ChannelTarget {
    /// Nowhere else: they are there for whoever follows.
    #[default]
    Console,
    /// Appended to a file, one JSON object a line.
    File,
    /// Sent to a URL, signed.
    Webhook,
}

/// The answer of `GET /v1/channels/{name}/messages`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct MessageList {
    /// The messages, oldest first.
    pub messages: Vec<Message>,
}

/// A message, also as the stream of a channel has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Message {
    /// Its number.
    pub id: u64,
    /// The channel.
    pub channel: String,
    /// The skill that published it.
    pub skill_id: String,
    /// Its run.
    pub run_id: String,
    /// What the body is.
    pub content_type: String,
    /// The body.
    pub body: String,
    /// `utf-8`, or `base64` where the body is no text.
    pub encoding: String,
    /// When, in milliseconds of Unix time.
    pub at_ms: u64,
}
