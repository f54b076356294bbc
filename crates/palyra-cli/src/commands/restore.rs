//! `palyra restore`: a backup takes the place of the state root.

use crate::cli::Globals;
use crate::error::CliError;
use crate::files::open_file;
use crate::output::{Printer, Remark, Reply, byte_count, facts, when};
use crate::state;
use crate::terminal::confirm;
use clap::Args;
use palyra_daemon::ToProblem;
use palyra_state::{RestorePlan, Restored, StateOptions};
use serde::Serialize;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

const EXAMPLE: &str = "\
Example:
  palyra restore /srv/backups/palyra.tar";

const MORE: &str = "\
Everything is proven before anything is changed: every file by its hash, the journal up to the
checkpoint of the backup, every row by its MAC. The old state root is kept beside the new one.";

/// Put a backup in the place of the state root.
#[derive(Args)]
#[command(before_help = EXAMPLE, after_help = MORE)]
pub(crate) struct RestoreArgs {
    /// The backup
    file: PathBuf,
}

#[derive(Serialize)]
struct Done(Restored);

/// Carries the command out.
pub(crate) fn run(args: &RestoreArgs, globals: &Globals) -> ExitCode {
    let printer = Printer::new(globals, false);
    printer.finish(execute(args, globals, &printer))
}

fn execute(args: &RestoreArgs, globals: &Globals, printer: &Printer) -> Result<Done, CliError> {
    // A file that is not there is a mistake on the command line.
    open_file(&args.file, u64::MAX).map(drop)?;
    let root = state::root(globals)?;
    let options = StateOptions {
        command: "palyra restore".into(),
        wait: Duration::from_secs(globals.lock_wait),
        passphrase: state::given_passphrase(globals)?.map(Arc::new),
        ..StateOptions::default()
    };
    let told = |error: palyra_state::BackupError| CliError::from(error.to_problem());
    let plan = root.restore_plan(&options, &args.file).map_err(told)?;
    if !globals.yes {
        printer.show(&shown(&plan));
    }
    confirm(globals, "Put this backup in the place of the state root?")?;
    root.restore(&options, &args.file).map(Done).map_err(told)
}

fn shown(plan: &RestorePlan) -> String {
    let present = match (plan.replaces, plan.present_head) {
        (false, _) => "nothing".to_owned(),
        (true, Some(head)) => format!("{} events; what is not in the backup is lost to it", head.size),
        (true, None) => "a state root whose journal cannot be read".to_owned(),
    };
    facts(&[
        ("made", when(plan.created_ms)),
        ("by palyra", plan.palyra_version.clone()),
        ("files", format!("{}, {}", plan.files, byte_count(plan.bytes))),
        ("device key", plan.device_key.clone()),
        ("in the backup", format!("{} events", plan.backup_head.size)),
        ("there now", present),
    ])
}

impl Reply for Done {
    const SCHEMA: &'static str = "palyra.restore/v1";

    fn data(&self) -> String {
        let aside = self.0.put_aside.as_ref().map(|path| path.display().to_string()).unwrap_or_default();
        shown(&self.0.plan)
            + &facts(&[("put aside", aside), ("journal", format!("{} events", self.0.head.size))])
    }

    fn talk(&self) -> Vec<Remark> {
        vec![
            Remark::Warning("what was revoked or removed after the backup is as it was before".into()),
            Remark::Next("look at `palyra trust list` and `palyra tokens list`".into()),
        ]
    }
}
