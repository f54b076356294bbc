//! The example skills, where they were built with this program.

use crate::error::CliError;
use crate::files::read_file;
use crate::output::{Printer, Remark};
use palyra_skills::consent::ConsentGiven;
use palyra_skills::grants::PermissionSeverity;
use palyra_skills::install::InstallOutcome;
use palyra_skills::{RuntimeStatus, SkillInventoryEntry};
use palyra_state::{InstallOptions, State};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Longest package that is read.
const MAX_PACKAGE_BYTES: u64 = 256 << 20;

/// Packages beside this program.
pub(super) struct Examples(Vec<PathBuf>);

impl Examples {
    /// In `target/skills` of a working copy, or in `share/palyra/skills` of an installation.
    pub(super) fn find() -> Self {
        let program = std::env::current_exe().ok();
        let above = program.as_deref().and_then(Path::parent).and_then(Path::parent);
        let folders = above.map(|above| [above.join("skills"), above.join("share/palyra/skills")]);
        let packages = |folder: PathBuf| {
            let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
            entries.filter(|path| path.extension().is_some_and(|extension| extension == "palyra-skill"))
        };
        let mut found: Vec<PathBuf> = folders.into_iter().flatten().flat_map(packages).collect();
        found.sort();
        Self(found)
    }

    /// Installs each; what asks for nothing outside its own storage may run at once.
    pub(super) fn install(&self, state: &State, printer: &Printer) -> Result<Vec<Remark>, CliError> {
        if self.0.is_empty() {
            return Ok(vec![Remark::Note(
                "no example skills were built with this program; `cargo xtask skills` builds them".into(),
            )]);
        }
        for path in &self.0 {
            let bytes = read_file(path, MAX_PACKAGE_BYTES)?;
            let name = path.file_stem().unwrap_or_default().to_string_lossy();
            printer.remark(&[Remark::Note(format!("installing the example {name}"))]);
            let offered = InstallOptions { allow_tofu: true, ..InstallOptions::default() };
            match state.plan_install(bytes.clone(), &offered) {
                Ok(planned) => {
                    let options = InstallOptions { consent: consent(&planned), ..offered };
                    state.install(bytes, &options, &mut |_| {})?;
                }
                // An example this build cannot take is no reason not to start.
                Err(refusal) => printer.remark(&[Remark::Warning(format!("{name}: {refusal}"))]),
            }
        }
        Ok(state.list().iter().map(standing).collect())
    }
}

/// Whoever starts the daemon agrees to examples that stay within themselves.
fn consent(planned: &InstallOutcome) -> Option<ConsentGiven> {
    let stays = planned.permissions.iter().all(|permission| permission.severity == PermissionSeverity::Low);
    let request = planned.consent_request.as_ref().filter(|_| stays)?;
    Some(ConsentGiven { digest: request.digest(), principal: "owner".to_owned(), secrets: BTreeSet::new() })
}

fn standing(entry: &SkillInventoryEntry) -> Remark {
    let id = &entry.record.skill_id;
    match entry.runtime_status {
        RuntimeStatus::Active => Remark::Note(format!("installed {id}")),
        RuntimeStatus::AwaitingConsent => {
            Remark::Note(format!("installed {id}; it waits until you agree: `palyra skills consent {id}`"))
        }
        _ => Remark::Warning(format!("installed {id}; it cannot run: `palyra skills info {id}`")),
    }
}
