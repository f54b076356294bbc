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

/// Define a channel.
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct AddArgs {
    /// Its name, as grants write it
    name: String,

    /// Where its messages go, besides those who follow it
    #[arg(long, value_enum, value_name = "WHERE")]
    to: Target,

    /// The file they are appended to, one JSON object a line
    #[arg(long, value_name = "FILE", required_if_eq("to", "file"))]
    path: Option<PathBuf>,

    /// The URL they are sent to
    #[arg(long, value_name = "URL", required_if_eq("to", "webhook"))]
    webhook_url: Option<String>,

    /// The secret in the vault that signs them
    #[arg(long, value_name = "SCOPE/KEY", required_if_eq("to", "webhook"))]
    sign_secret: Option<String>,

    /// Open a range of addresses to the webhook, as in `10.0.0.0/8`; may be given again
    #[arg(long = "allow-address", value_name = "CIDR")]
    allow_addresses: Vec<String>,

    /// How long a webhook may take to answer, in milliseconds [default: 10000]
    #[arg(long, value_name = "MS")]
    timeout_ms: Option<u64>,
}

/// Where messages go.
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
    let path = path.map_err(CliError::io("the path cannot be made whole"))?;
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
