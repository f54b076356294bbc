//! `palyra mcp serve`.
//!
//! Standard input and output carry only the protocol. This process does not interpret it: it copies bytes between its
//! client and the daemon, which is started if none runs.

use super::client_token::{client_token, parse_client, token_name};
use crate::cli::Globals;
use crate::client::{self, AnyClient};
use crate::error::CliError;
use crate::output::Printer;
use bytes::Bytes;
use clap::Args;
use http_body_util::BodyExt;
use palyra_api::client::{ApiBody, channel_body};
use palyra_api::{ClientError, TransportError};
use palyra_common::ErrorCode;
use std::io::{Read, Write};
use std::process::ExitCode;
use tokio::sync::mpsc;

const EXAMPLE: &str = "\
Example:
  palyra mcp serve --client claude-desktop";

/// Bytes per read, and the maximum number of pieces that wait for the daemon.
const PIECES: (usize, usize) = (64 << 10, 4);

/// Serve MCP on standard input and output, for a client to start
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct ServeArgs {
    /// Name of the client; its token `mcp-NAME` is created on first use with the scopes read and invoke
    #[arg(long, value_name = "NAME", default_value = "client", value_parser = parse_client)]
    client: String,
}

pub(super) fn run(args: &ServeArgs, globals: &Globals, printer: &Printer) -> ExitCode {
    match serve(args, globals) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => printer.fail(&error.into(), &[]),
    }
}

fn serve(args: &ServeArgs, globals: &Globals) -> Result<(), CliError> {
    let mut globals = globals.clone();
    if globals.token_file.is_none() {
        if globals.url.is_some() {
            return Err(CliError::usage_with_hint(
                "a remote daemon needs a separate token for an MCP client".to_owned(),
                "create one there with `palyra tokens add NAME --scope read --scope invoke`, and pass it with `--token-file FILE`",
            ));
        }
        globals.token_file = Some(client_token(&globals, &args.client)?);
    }
    let carried = client::stay(&globals, async |client| carry(&client).await);
    carried.map_err(|error| explain(error, &args.client, &globals))
}

/// Copies bytes in both directions until the client closes its side.
async fn carry(client: &AnyClient) -> Result<(), CliError> {
    let (pieces, sent) = mpsc::channel(PIECES.1);
    // Reading blocks until the client writes; the thread ends with the process.
    std::thread::spawn(move || read_input(&pieces));
    let answers = client.mcp(channel_body(sent)).await?;
    write_output(answers).await
}

fn read_input(pieces: &mpsc::Sender<Bytes>) {
    let mut input = std::io::stdin().lock();
    let mut piece = vec![0; PIECES.0];
    loop {
        match input.read(&mut piece) {
            Ok(0) => return,
            Ok(count) => {
                let bytes = Bytes::copy_from_slice(piece.get(..count).unwrap_or_default());
                if pieces.blocking_send(bytes).is_err() {
                    return;
                }
            }
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(_) => return,
        }
    }
}

async fn write_output(mut answers: ApiBody) -> Result<(), CliError> {
    while let Some(frame) = answers.frame().await {
        let frame =
            frame.map_err(|error| ClientError::Transport(TransportError::Broken(error.to_string())))?;
        let Ok(bytes) = frame.into_data() else { continue };
        let written = tokio::task::spawn_blocking(move || {
            let mut output = std::io::stdout().lock();
            output.write_all(&bytes).and_then(|()| output.flush())
        });
        match written.await.map_err(std::io::Error::other).flatten() {
            Ok(()) => {}
            Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => return Ok(()),
            Err(source) => {
                return Err(CliError::Io { what: "cannot write to standard output".into(), source });
            }
        }
    }
    Ok(())
}

/// Adds a hint to the error for a removed token: its file has to be deleted to connect again.
fn explain(error: CliError, client: &str, globals: &Globals) -> CliError {
    match error {
        CliError::Problem(problem) if problem.code == ErrorCode::Authentication => {
            let file =
                globals.token_file.as_deref().unwrap_or(std::path::Path::new("")).display().to_string();
            let hint = format!(
                "to let `{}` connect again, delete `{file}` and restart the client",
                token_name(client)
            );
            CliError::Problem(Box::new(problem.hint(hint)))
        }
        other => other,
    }
}
