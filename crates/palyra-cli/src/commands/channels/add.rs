//! `palyra channels add`.

use super::view;
use crate::cli::Globals;
use crate::client;
use crate::error::CliError;
use crate::output::{Remark, Reply};
use clap::{Args, ValueEnum};
use palyra_api::channels::{AddChannelRequest, Channel, ChannelTarget};
use serde::Serialize;
use std::path::PathBuf;

const EXAMPLE: &str = "\
Example:
  palyra channels add alerts --to console
  palyra channels add alerts --to file --path /var/log/palyra-alerts.jsonl
  palyra channels add alerts --to webhook --webhook-url https://example.com/hook --sign-secret global/hook_key";

/// Create a channel
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct AddArgs {
    /// Name of the channel, as used in `channel:NAME` grants
    name: String,

    /// Where messages are delivered, besides followers
    #[arg(long, value_enum, value_name = "WHERE")]
    to: Target,

    /// File to append to, one JSON object per line
    #[arg(long, value_name = "FILE", required_if_eq("to", "file"))]
    path: Option<PathBuf>,

    /// URL to post messages to
    #[arg(long, value_name = "URL", required_if_eq("to", "webhook"))]
    webhook_url: Option<String>,

    /// Vault secret that signs the messages
    #[arg(long, value_name = "SCOPE/KEY", required_if_eq("to", "webhook"))]
    sign_secret: Option<String>,

    /// Address range the webhook may reach, for example `10.0.0.0/8` (repeatable)
    #[arg(long = "allow-address", value_name = "CIDR")]
    allow_addresses: Vec<String>,

    /// Timeout of a webhook request in milliseconds [default: 10000]
    #[arg(long, value_name = "MS")]
    timeout_ms: Option<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Target {
    Console,
    File,
    Webhook,
}

#[derive(Serialize)]
pub(super) struct Added(Channel);

pub(super) fn execute(args: &AddArgs, globals: &Globals) -> Result<Added, CliError> {
    let path = args.path.as_ref().map(std::path::absolute).transpose();
    let path = path.map_err(CliError::io("cannot make the path absolute"))?;
    let request = AddChannelRequest {
        name: args.name.clone(),
        to: match args.to {
            Target::Console => ChannelTarget::Console,
            Target::File => ChannelTarget::File,
            Target::Webhook => ChannelTarget::Webhook,
        },
        path: path.map(|path| path.display().to_string()),
        url: args.webhook_url.clone(),
        secret: args.sign_secret.clone(),
        allow_addresses: args.allow_addresses.clone(),
        timeout_ms: args.timeout_ms,
    };
    client::ask(globals, "channels add", async |client| client.add_channel(&request).await).map(Added)
}

impl Reply for Added {
    const SCHEMA: &'static str = "palyra.channels.add/v1";

    fn data(&self) -> String {
        view::channel(&self.0)
    }

    fn talk(&self) -> Vec<Remark> {
        vec![Remark::Next(format!("follow it with `palyra channels tail {} --follow`", self.0.name))]
    }
}
