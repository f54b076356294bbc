//! `palyra restore`: replaces the state root with a backup.

use crate::cli::Globals;
use crate::error::CliError;
use crate::files::open_file;
use crate::output::{Printer, Remark, Reply, byte_count, counted, facts, moment};
use crate::state;
use crate::terminal::confirm;
use clap::Args;
use palyra_daemon::ToProblem;
use palyra_state::{RestoreAcceptance, RestorePlan, Restored, StateOptions};
use serde::Serialize;
use serde_json::json;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

const EXAMPLE: &str = "\
Example:
  palyra restore /srv/backups/palyra.tar";

const MORE: &str = "\
Everything is verified before anything is changed: the signature over the list of files, every
file by its hash, the journal up to the checkpoint of the backup, every row by its MAC. The old
state root is kept next to the new one. A backup without a signature needs `--accept-unsigned`.";

/// Restore the state root from a backup
#[derive(Args)]
#[command(before_help = EXAMPLE, after_help = MORE)]
pub(crate) struct RestoreArgs {
    /// Backup file
    file: PathBuf,

    /// Restore a backup without a signature; its contents are listed
    #[arg(long)]
    accept_unsigned: bool,

    /// Replace a state root by a backup of another one
    #[arg(long)]
    accept_other_key: bool,
}

#[derive(Serialize)]
struct Done(Restored);

pub(crate) fn run(args: &RestoreArgs, globals: &Globals) -> ExitCode {
    let printer = Printer::new(globals, false);
    printer.finish(execute(args, globals, &printer))
}

fn execute(args: &RestoreArgs, globals: &Globals, printer: &Printer) -> Result<Done, CliError> {
    // A missing file is an error of the command line.
    open_file(&args.file, u64::MAX).map(drop)?;
    let root = state::root(globals)?;
    let options = StateOptions {
        command: "palyra restore".into(),
        wait: Duration::from_secs(globals.lock_wait),
        passphrase: state::given_passphrase(globals)?.map(Arc::new),
        ..StateOptions::default()
    };
    let to_cli = |error: palyra_state::BackupError| CliError::from(error.to_problem());
    let accepted = RestoreAcceptance { unsigned: args.accept_unsigned, other_key: args.accept_other_key };
    let staged = root.stage_restore(&options, &args.file).map_err(to_cli)?;
    let plan = staged.plan();
    let refused = plan.check(&accepted).err();
    if !globals.yes || (printer.is_for_person() && (refused.is_some() || !plan.signed)) {
        printer.show(&(shown(plan) + &listed(plan)));
    }
    // Programs find the list in the error.
    if let Some(refused) = refused {
        return Err(refused.to_problem().details(json!({ "plan": plan })).into());
    }
    confirm(globals, "Replace the state root with this backup?")?;
    staged.finish(&accepted).map(Done).map_err(to_cli)
}

/// Formats what the user has to know before confirming: unsigned files, and everything missing or altered.
fn listed(plan: &RestorePlan) -> String {
    let list = |title: &str, lines: &[String]| match lines {
        [] => String::new(),
        lines => {
            let lines: String = lines
                .iter()
                .map(|line| format!("  {}\n", palyra_common::redact::escape_untrusted(line)))
                .collect();
            format!("\n{title}\n{lines}")
        }
    };
    let contents =
        if plan.signed { String::new() } else { list("Files, without a signature", &plan.contents) };
    contents
        + &list("Not restored", &plan.left_out)
        + &list("Missing in the backup", &plan.missing)
        + &list("Rows that differ from the journal", &plan.altered)
}

fn shown(plan: &RestorePlan) -> String {
    let present = match (plan.replaces, plan.present_head) {
        (false, _) => "nothing".to_owned(),
        (true, Some(head)) => format!("{} events; events that are not in the backup are lost", head.size),
        (true, None) => "a state root whose journal cannot be read".to_owned(),
    };
    facts(&[
        ("created", moment(plan.created_ms)),
        ("by palyra", plan.palyra_version.clone()),
        ("files", format!("{}, {}", plan.files, byte_count(plan.bytes))),
        ("device key", plan.device_key.clone()),
        ("signed by", if plan.signed { plan.key.clone() } else { "no signature".to_owned() }),
        ("in the backup", counted(plan.backup_head.size, "event")),
        ("current journal", present),
    ])
}

impl Reply for Done {
    const SCHEMA: &'static str = "palyra.restore/v1";

    fn data(&self) -> String {
        let aside = self.0.put_aside.as_ref().map(|path| path.display().to_string()).unwrap_or_default();
        shown(&self.0.plan)
            + &facts(&[
                (
                    "previous \
            root",
                    aside,
                ),
                ("journal", counted(self.0.head.size, "event")),
            ])
    }

    fn talk(&self) -> Vec<Remark> {
        let plan = &self.0.plan;
        let lacking = plan.missing.iter().map(|line| format!("missing in the backup: {line}"));
        let altered = plan.altered.iter().map(|line| format!("differs from the journal: {line}"));
        let left_out = plan.left_out.iter().map(|path| format!("not restored: `{path}`"));
        let mut remarks: Vec<Remark> = lacking.chain(altered).chain(left_out).map(Remark::Warning).collect();
        remarks.extend([
            Remark::Warning("revocations and removals made after the backup are undone".into()),
            Remark::Next("review `palyra trust list` and `palyra tokens list`".into()),
        ]);
        remarks
    }
}
