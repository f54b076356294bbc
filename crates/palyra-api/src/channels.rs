//! Channels: where messages of guests go once they are published.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::deliveries::DeliveryCursor;

/// Response of `GET /v1/channels`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ChannelList {
    /// The channels, by name.
    pub channels: Vec<Channel>,
}

/// A channel and its delivery status.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Channel {
    /// Its name, in the form of grants.
    pub name: String,
    /// `console`, `file` or `webhook`.
    pub to: String,
    /// The file.
    pub path: Option<String>,
    /// The URL.
    pub url: Option<String>,
    /// The name of the secret that signs.
    pub secret: Option<String>,
    /// Address ranges that it may connect to.
    pub allow_addresses: Vec<String>,
    /// Delivery progress; `null` for a channel without a target.
    pub cursor: Option<DeliveryCursor>,
    /// Dead letters, newest first, at most 20.
    pub dead_letters: Vec<ChannelDeadLetter>,
}

/// A dead letter of a channel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ChannelDeadLetter {
    /// Its number.
    pub letter: u64,
    /// The channel.
    pub channel: String,
    /// The message.
    pub message: u64,
    /// Number of attempts.
    pub attempts: u32,
    /// Last error.
    pub reason: String,
    /// Time at which it was given up, in Unix milliseconds.
    pub at_ms: u64,
}

/// Response of `GET /v1/channels/{name}/dead-letters`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ChannelDeadLetterList {
    /// The letters, newest first.
    pub dead_letters: Vec<ChannelDeadLetter>,
}

/// Request body of `POST /v1/channels`; what does not belong to its kind is refused.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AddChannelRequest {
    /// Its name, in the form of grants.
    #[schema(pattern = "^[a-z0-9][a-z0-9._-]{0,63}$")]
    pub name: String,
    /// Delivery target of its messages.
    pub to: ChannelTarget,
    /// Absolute path of the file; for `file`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The URL; for `webhook`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The secret in the vault that signs, as `SCOPE/KEY`; for `webhook`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret: Option<String>,
    /// Address ranges that it may connect to; for `webhook`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub allow_addresses: Vec<String>,
    /// Response timeout in milliseconds; for `webhook`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
}

/// Delivery target.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ChannelTarget {
    /// No target: messages are only stored for followers.
    #[default]
    Console,
    /// Appended to a file, one JSON object a line.
    File,
    /// Sent to a URL, signed.
    Webhook,
}

/// Response of `GET /v1/channels/{name}/messages`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct MessageList {
    /// The messages, oldest first.
    pub messages: Vec<Message>,
}

/// A message of a channel, also as an event of its stream.
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
    /// Encoding of the body.
    pub content_type: String,
    /// The body.
    pub body: String,
    /// `utf-8`, or `base64` for a binary body.
    pub encoding: String,
    /// Time in Unix milliseconds.
    pub at_ms: u64,
}
