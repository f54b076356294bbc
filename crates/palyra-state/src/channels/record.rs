//! One channel, as an operator defined it.

use std::path::PathBuf;

use ipnet::IpNet;
use palyra_common::capabilities::{ChannelName, HttpRule, SecretRef};
use serde::{Deserialize, Serialize};

use super::ChannelError;

/// Default response timeout of a webhook.
const WEBHOOK_TIMEOUT_MS: u64 = 10_000;
const MAX_TIMEOUT_MS: u64 = 60_000;
const MAX_URL: usize = 2_000;

/// A channel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChannelRecord {
    /// Its name, in the form of grants.
    pub name: String,
    /// Delivery target of its messages.
    pub kind: ChannelKind,
    /// The first message that is delivered: those before it were there before the channel.
    pub since: u64,
}

/// Where the messages of a channel go; whatever it is, they can be followed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "to", deny_unknown_fields)]
pub enum ChannelKind {
    /// No target: messages are only stored for followers.
    Console,
    /// Appended to a file, one JSON object a line.
    File {
        /// The file, by its whole path.
        path: PathBuf,
    },
    /// Sent to a URL, signed.
    Webhook {
        /// The URL.
        url: String,
        /// The secret in the vault that signs, as `SCOPE/KEY`.
        secret: String,
        /// Address ranges that are opened to it; private ones are closed otherwise.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        allow_addresses: Vec<IpNet>,
        /// How long it may take to answer, in milliseconds.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        timeout_ms: Option<u64>,
    },
}

impl ChannelRecord {
    /// What is wrong with it by itself.
    pub(super) fn check(&self) -> Result<(), ChannelError> {
        let bad = |field, reason: String| ChannelError::Bad {
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
    /// Whether it has a delivery target besides followers.
    pub fn is_delivered(&self) -> bool {
        !matches!(self, Self::Console)
    }

    /// The word for it.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Console => "console",
            Self::File { .. } => "file",
            Self::Webhook { .. } => "webhook",
        }
    }

    /// How long a webhook may take.
    pub fn timeout_ms(&self) -> u64 {
        match self {
            Self::Webhook { timeout_ms, .. } => timeout_ms.unwrap_or(WEBHOOK_TIMEOUT_MS),
            _ => WEBHOOK_TIMEOUT_MS,
        }
    }

    /// The one rule a webhook is sent under: this method, this host, this path.
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
