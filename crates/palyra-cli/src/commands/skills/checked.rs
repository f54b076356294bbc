//! A skill in source form, checked as it is where it is installed: the audit, and what its modules describe.

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

/// What keeps a skill from running, and what `--write` did about it.
#[derive(Serialize)]
pub(super) struct Checked {
    /// Where `describe()` and the manifest differ; each keeps the skill from running.
    differences: Vec<DescribeDifference>,
    /// Modules whose `describe()` failed, and how.
    not_described: Vec<String>,
    /// What `--write` changed in skill.toml.
    written: Vec<String>,
    pub(super) audit: AuditReport,
}

impl Checked {
    /// Checks a directory; with `write` its manifest takes over what the modules describe.
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

    /// Whether those who install it could run it, once they trust its keys.
    pub(super) fn can_run(&self) -> bool {
        self.audit.verdict == Verdict::Pass && self.differences.is_empty() && self.not_described.is_empty()
    }

    /// The exit code of a command that made something that may not run.
    pub(super) fn exit_code(&self) -> u8 {
        if self.can_run() { 0 } else { skills::QUARANTINED }
    }

    /// Findings and differences for people.
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

/// The manifest, or every problem of it.
pub(super) fn parse(text: &str) -> Result<SkillManifest, CliError> {
    parse_manifest_toml(text).map_err(|_| CliError::Manifest(manifest_problems(text)))
}

/// What the modules say of themselves, compared with the manifest; an answer that is no description is a failure.
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

/// The audit that runs where the package is installed.
fn audit(directory: &SkillDirectory, manifest: &SkillManifest) -> AuditReport {
    let mut entries = vec![("skill.toml", directory.manifest.as_bytes())];
    entries.extend(borrowed(&directory.modules));
    entries.extend(borrowed(&directory.assets));
    audit_entries(manifest, &entries, &AuditPolicy::default(), &InstalledTools::none())
}

/// Paths and bytes as the packager and the audit take them.
pub(super) fn borrowed(files: &[(String, Vec<u8>)]) -> Vec<(&str, &[u8])> {
    files.iter().map(|(path, bytes)| (path.as_str(), bytes.as_slice())).collect()
}
