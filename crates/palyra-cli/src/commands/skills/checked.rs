//! Checks a skill in source form as its installation would: the audit, and the descriptions of its modules.

use super::package::directory::SkillDirectory;
use super::package::manifest_edit;
use crate::commands::run::{DescribeAnswer, describe_modules};
use crate::error::CliError;
use crate::files::write_whole;
use crate::output::{Printer, Remark, skills};
use palyra_skills::audit::{AuditPolicy, AuditReport, InstalledTools, Verdict, audit_entries};
use palyra_skills::constants::MANIFEST_PATH;
use palyra_skills::{DescribeDifference, Description, SkillManifest, manifest_problems, parse_manifest_toml};
use serde::Serialize;
use std::path::Path;

/// Reasons why a skill could not run, and the changes of `--write`.
#[derive(Serialize)]
pub(super) struct Checked {
    /// Differences between `describe()` and the manifest; each one prevents the skill from running.
    differences: Vec<DescribeDifference>,
    /// Modules whose `describe()` failed, with the errors.
    not_described: Vec<String>,
    /// Changes that `--write` made to skill.toml.
    written: Vec<String>,
    pub(super) audit: AuditReport,
}

impl Checked {
    /// Checks a directory; with `write` the descriptions of the modules are written to its manifest.
    pub(super) fn new(
        path: &Path,
        directory: &mut SkillDirectory,
        write: bool,
        printer: &Printer,
    ) -> Result<(SkillManifest, Self), CliError> {
        let mut manifest = parse(&directory.manifest)?;
        let descriptions = describe_modules(&directory.modules, printer)?;
        let mut differences = compare(&descriptions, &manifest);
        let mut written = Vec::new();
        if write && !differences.is_empty() {
            let edited = manifest_edit::with_descriptions(&directory.manifest, &differences)?;
            manifest = parse(&edited.text)?;
            write_whole(&path.join(MANIFEST_PATH), edited.text.as_bytes())?;
            (directory.manifest, written) = (edited.text, edited.changes);
            differences = compare(&descriptions, &manifest);
        }
        let audit = audit(directory, &manifest);
        Ok((manifest, Self { differences, not_described: failures(&descriptions), written, audit }))
    }

    /// Returns whether the skill could run after its keys are trusted.
    pub(super) fn can_run(&self) -> bool {
        self.audit.verdict == Verdict::Pass && self.differences.is_empty() && self.not_described.is_empty()
    }

    /// Returns the exit code of a command whose result may be unable to run.
    pub(super) fn exit_code(&self) -> u8 {
        if self.can_run() { 0 } else { skills::QUARANTINED }
    }

    /// Returns findings and differences as remarks.
    pub(super) fn remarks(&self) -> Vec<Remark> {
        let mut talk = skills::finding_remarks(&self.audit);
        talk.extend(self.written.iter().map(|change| Remark::Note(format!("skill.toml: {change}"))));
        let unlike = self.differences.iter().map(ToString::to_string);
        talk.extend(unlike.chain(self.not_described.iter().cloned()).map(Remark::Warning));
        if !self.differences.is_empty() {
            talk.push(Remark::Warning("the skill is quarantined at its first call unless both agree".into()));
            talk.push(Remark::Next(
                "change the guest, or run this command with `--write` to change skill.toml".into(),
            ));
        }
        talk
    }
}

/// Parses the manifest, or returns all of its problems.
pub(super) fn parse(text: &str) -> Result<SkillManifest, CliError> {
    parse_manifest_toml(text).map_err(|_| CliError::Manifest(manifest_problems(text)))
}

/// Compares the descriptions of the modules with the manifest; invalid descriptions are reported as failures elsewhere.
fn compare(descriptions: &[(String, DescribeAnswer)], manifest: &SkillManifest) -> Vec<DescribeDifference> {
    let differences = |(module, answer): &(String, DescribeAnswer)| {
        let description = answer.as_ref().ok().and_then(|text| Description::parse(text.as_str()).ok());
        description.map(|description| description.differences(manifest, module))
    };
    descriptions.iter().filter_map(differences).flatten().collect()
}

fn failures(descriptions: &[(String, DescribeAnswer)]) -> Vec<String> {
    let failure = |(module, answer): &(String, DescribeAnswer)| {
        let reason = match answer {
            Ok(text) => Description::parse(text.as_str()).err()?.to_string(),
            Err(error) => error.to_string(),
        };
        Some(format!("`describe()` of `{module}` failed: {reason}"))
    };
    descriptions.iter().filter_map(failure).collect()
}

/// Runs the audit of an installation.
fn audit(directory: &SkillDirectory, manifest: &SkillManifest) -> AuditReport {
    let mut entries = vec![("skill.toml", directory.manifest.as_bytes())];
    entries.extend(borrowed(&directory.modules));
    entries.extend(borrowed(&directory.assets));
    audit_entries(manifest, &entries, &AuditPolicy::default(), &InstalledTools::none())
}

/// Borrows paths and bytes for the packager and the audit.
pub(super) fn borrowed(files: &[(String, Vec<u8>)]) -> Vec<(&str, &[u8])> {
    files.iter().map(|(path, bytes)| (path.as_str(), bytes.as_slice())).collect()
}
