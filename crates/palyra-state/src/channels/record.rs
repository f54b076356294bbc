//! A channel as an operator defined it.

use std::path::PathBuf;

use ipnet::IpNet;
use palyra_common::capabilities::{ChannelName, HttpRule, SecretRef};
use serde::{Deserialize, Serialize};

use crate::DefinitionError;

/// Default response timeout of a webhook, in milliseconds.
const WEBHOOK_TIMEOUT_MS: u64 = 10_000;
const MAX_TIMEOUT_MS: u64 = 60_000;
const MAX_URL: usize = 2_000;

/// The definition of a channel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChannelRecord {
    /// Name in the form that grants use, unique in the state.
    pub name: String,
    /// Destination of its messages.
    pub kind: ChannelKind,
    /// Id of the first message to deliver; earlier ones are older than the channel.
    pub since: u64,
}

/// Destination of a channel's messages. Every channel can be followed as well.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "to", deny_unknown_fields)]
pub enum ChannelKind {
    /// No target: messages are only stored for followers.
    Console,
    /// Appends each message to a file, as one line of JSON.
    File {
        /// Absolute path, with links in its directory resolved.
        path: PathBuf,
    },
    /// Sends each message to a URL, signed.
    Webhook {
        /// Absolute URL without fragment, wildcard or space.
        url: String,
        /// Secret in the vault that signs requests, as `SCOPE/KEY`.
        secret: String,
        /// Address ranges that the webhook may reach although they are private.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        allow_addresses: Vec<IpNet>,
        /// Response timeout in milliseconds, 1 to 60000 [default: 10000].
        #[serde(default, skip_serializing_if = "Option::is_none")]
        timeout_ms: Option<u64>,
    },
}

impl ChannelRecord {
    /// Checks every field on its own, without reading the state.
    pub(super) fn check(&self) -> Result<(), DefinitionError> {
        let bad = |field, reason: String| DefinitionError::Bad {
            kind: "channel",
            name: crate::text::short_name(&self.name),
            field,
            reason,
        };
        self.name.parse::<ChannelName>().map_err(|error| bad("name", error.to_string()))?;
        match &self.kind {
            ChannelKind::Console => Ok(()),
            ChannelKind::File { path } if !path.is_absolute() => {
                Err(bad("path", "use an absolute path".into()))
            }
            ChannelKind::File { .. } => Ok(()),
            ChannelKind::Webhook { url, secret, timeout_ms, .. } => {
                webhook_rule(url).map_err(|reason| bad("url", reason))?;
                secret.parse::<SecretRef>().map_err(|error| bad("secret", error.to_string()))?;
                if (1..=MAX_TIMEOUT_MS).contains(&timeout_ms.unwrap_or(WEBHOOK_TIMEOUT_MS)) {
                    Ok(())
                } else {
                    Err(bad("timeout_ms", format!("it must be 1 to {MAX_TIMEOUT_MS}")))
                }
            }
        }
    }
}

impl ChannelKind {
    /// Returns whether messages are sent to a file or webhook.
    pub fn is_delivered(&self) -> bool {
        !matches!(self, Self::Console)
    }

    /// Returns the name of the kind in events and reports.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Console => "console",
            Self::File { .. } => "file",
            Self::Webhook { .. } => "webhook",
        }
    }

    /// Returns the response timeout of a webhook in milliseconds.
    pub fn timeout_ms(&self) -> u64 {
        match self {
            Self::Webhook { timeout_ms, .. } => timeout_ms.unwrap_or(WEBHOOK_TIMEOUT_MS),
            _ => WEBHOOK_TIMEOUT_MS,
        }
    }

    /// Returns the only egress rule a webhook is sent under: `POST` to this host and path.
    pub fn rule(&self) -> Option<HttpRule> {
        match self {
            Self::Webhook { url, .. } => webhook_rule(url).ok(),
            _ => None,
        }
    }
}

fn webhook_rule(url: &str) -> Result<HttpRule, String> {
    if url.len() > MAX_URL || url.contains([' ', '*', '#']) || !url.contains("://") {
        return Err("use an absolute URL without fragment, wildcard or space".into());
    }
    let whole = url.split('?').next().unwrap_or_default();
    let mut rule: HttpRule = format!("POST {whole}").parse().map_err(|error| format!("{error}"))?;
    rule.response_bytes = Some(64 << 10);
    Ok(rule)
}
