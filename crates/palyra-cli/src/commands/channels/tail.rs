//! `palyra channels tail`, once or until interrupted.

use super::view;
use crate::cli::Globals;
use crate::client::{self, AnyClient};
use crate::error::CliError;
use crate::interrupt::INTERRUPTED;
use crate::output::{Printer, Remark, Reply};
use clap::{ArgAction, Args};
use palyra_api::channels::Message;
use palyra_api::{ClientError, TransportError};
use serde::Serialize;
use serde_json::{Value, json};
use std::process::ExitCode;

const EXAMPLE: &str = "\
Example:
  palyra channels tail alerts
  palyra channels tail alerts --follow";

/// Show the latest messages of a channel
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct TailArgs {
    /// Name of the channel
    channel: String,

    /// Maximum number of results
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..=1000))]
    limit: u16,

    /// Keep showing new messages
    #[arg(long, action = ArgAction::SetTrue)]
    follow: bool,
}

#[derive(Serialize)]
struct Messages {
    channel: String,
    messages: Vec<Message>,
}

pub(super) fn run(args: &TailArgs, globals: &Globals, printer: &Printer) -> ExitCode {
    if !args.follow {
        let kept = client::ask(globals, "channels tail", async |client| newest(&client, args).await);
        return printer.finish(kept);
    }
    match client::stay(globals, async |client| follow(&client, args, printer).await) {
        Ok(()) => ExitCode::SUCCESS,
        Err(CliError::Interrupted) => ExitCode::from(INTERRUPTED),
        Err(error) => printer.fail(&error.into(), &[]),
    }
}

async fn newest(client: &AnyClient, args: &TailArgs) -> Result<Messages, ClientError> {
    let kept = client.channel_messages(&args.channel, Some(args.limit)).await?;
    Ok(Messages { channel: args.channel.clone(), messages: kept.messages })
}

/// Prints the stored messages, then new ones, until the output is closed.
async fn follow(client: &AnyClient, args: &TailArgs, printer: &Printer) -> Result<(), ClientError> {
    let show = |messages: &Messages| {
        printer.stream(messages).map_err(|error| ClientError::Protocol(error.to_string()))
    };
    let kept = newest(client, args).await?;
    let after = kept.messages.last().map(|last| last.id);
    if !kept.messages.is_empty() && !show(&kept)? {
        return Ok(());
    }
    let mut stream = client.follow_channel(&args.channel, after).await?;
    while let Some(event) = stream.next().await? {
        if event.event.as_deref() != Some("message") {
            continue;
        }
        let message =
            serde_json::from_str(&event.data).map_err(|error| ClientError::Protocol(error.to_string()))?;
        if !show(&Messages { channel: args.channel.clone(), messages: vec![message] })? {
            return Ok(());
        }
    }
    Err(ClientError::Transport(TransportError::Broken(
        "the daemon stopped or the channel was removed".into(),
    )))
}

impl Reply for Messages {
    const SCHEMA: &'static str = "palyra.channels.tail/v1";

    fn data(&self) -> String {
        self.messages.iter().map(view::message).collect()
    }

    fn talk(&self) -> Vec<Remark> {
        if self.messages.is_empty() { vec![Remark::Note("no messages".into())] } else { Vec::new() }
    }

    fn lines(&self) -> Option<Vec<Value>> {
        Some(self.messages.iter().map(|message| json!(message)).collect())
    }
}
