//! `palyra runs tape`.

use crate::cli::Globals;
use crate::client;
use crate::error::CliError;
use crate::files::NewFile;
use crate::output::{Printer, Remark, Reply, byte_count, facts};
use clap::Args;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const EXAMPLE: &str = "\
Example:
  palyra runs tape latest --out run.tape";

/// Print the tape of a run, one step per line
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct TapeArgs {
    /// Run id, a unique prefix of it, or `latest`
    run: String,

    /// Write to this new file instead
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

#[derive(Serialize)]
struct Kept {
    run_id: String,
    file: String,
    bytes: u64,
}

pub(super) fn run(args: &TapeArgs, globals: &Globals, printer: &Printer) -> ExitCode {
    let tape = client::ask(globals, "runs tape", async |client| {
        let run_id = client::run_id(&client, &args.run).await?;
        client.tape(&run_id).await.map(|tape| (run_id, tape))
    });
    match (tape, &args.out) {
        (Ok((_, tape)), None) => printer.data(&tape),
        (tape, Some(file)) => printer.finish(tape.and_then(|(run_id, tape)| keep(&run_id, file, &tape))),
        (Err(error), None) => printer.fail(&error.into(), &[]),
    }
}

fn keep(run_id: &str, file: &Path, tape: &[u8]) -> Result<Kept, CliError> {
    NewFile::prepare(file)?.write(tape)?;
    Ok(Kept { run_id: run_id.to_owned(), file: file.display().to_string(), bytes: tape.len() as u64 })
}

impl Reply for Kept {
    const SCHEMA: &'static str = "palyra.runs.tape/v1";

    fn data(&self) -> String {
        facts(&[
            ("run", self.run_id.clone()),
            ("file", self.file.clone()),
            ("length", byte_count(self.bytes)),
        ])
    }

    fn talk(&self) -> Vec<Remark> {
        vec![Remark::Warning("a tape contains the input and output of its run".into())]
    }
}
