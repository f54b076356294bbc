//! The result of every case, for people and programs.

use super::cases::FOLDER;
use super::verdict::Difference;
use crate::commands::run::Called;
use crate::commands::skills::Judged;
use crate::commands::skills::checked::Checked;
use crate::output::{Remark, Reply, duration_text, table};
use crate::program::quoted;
use palyra_common::redact::escape_untrusted;
use palyra_plugins_runtime::LogLine;
use serde::Serialize;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::Duration;

/// The results of all cases.
#[derive(Serialize)]
pub(in crate::commands::skills) struct Report {
    skill_id: String,
    passed: usize,
    failed: usize,
    cases: Vec<TestedCase>,
    #[serde(flatten)]
    checked: Checked,
    #[serde(skip)]
    directory: PathBuf,
}

/// Result of one case.
#[derive(Serialize)]
pub(super) struct TestedCase {
    file: String,
    name: String,
    tool: String,
    passed: bool,
    took_us: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    expected: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    found: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    hints: Vec<String>,
    log: Vec<LogLine>,
}

impl TestedCase {
    pub(super) fn new(
        file: &str,
        name: String,
        tool: &str,
        called: Called,
        difference: Option<Difference>,
    ) -> Self {
        let passed = difference.is_none();
        let (expected, found, hints) = match difference {
            Some(Difference { expected, found, hints }) => (Some(expected), Some(found), hints),
            None => (None, None, Vec::new()),
        };
        let took_us = u64::try_from(called.elapsed.as_micros()).unwrap_or(u64::MAX);
        let (file, tool) = (file.to_owned(), tool.to_owned());
        Self { file, name, tool, passed, took_us, expected, found, hints, log: called.log }
    }

    fn row(&self) -> [String; 4] {
        let status = if self.passed { "ok" } else { "failed" };
        let case = format!("{}: {}", self.file, self.name);
        [case, self.tool.clone(), status.to_owned(), duration_text(Duration::from_micros(self.took_us))]
    }

    /// Formats why the case failed.
    fn failure(&self) -> String {
        let mut text = format!("\n{}: {}\n", escape_untrusted(&self.file), escape_untrusted(&self.name));
        for (label, value) in [("expected", &self.expected), ("got", &self.found)] {
            text.push_str(&format!("  {label:<8}  {}\n", value.as_deref().unwrap_or_default()));
        }
        for line in &self.log {
            text.push_str(&format!("  log       {}\n", escape_untrusted(&line.message)));
        }
        text.extend(self.hints.iter().map(|hint| format!("  hint      {}\n", escape_untrusted(hint))));
        text
    }
}

impl Report {
    pub(super) fn new(
        directory: PathBuf,
        skill_id: String,
        checked: Checked,
        cases: Vec<TestedCase>,
    ) -> Self {
        let passed = cases.iter().filter(|case| case.passed).count();
        Self { skill_id, passed, failed: cases.len() - passed, cases, checked, directory }
    }

    fn all_well(&self) -> bool {
        self.failed == 0 && self.checked.can_run()
    }
}

impl Judged for Report {
    fn exit_code(&self) -> u8 {
        u8::from(!self.all_well())
    }
}

impl Reply for Report {
    const SCHEMA: &'static str = "palyra.skills.test/v1";

    fn data(&self) -> String {
        let rows: Vec<_> = self.cases.iter().map(TestedCase::row).collect();
        let mut text = table(["case", "tool", "status", "took"], &rows);
        text.extend(self.cases.iter().filter(|case| !case.passed).map(TestedCase::failure));
        if !self.cases.is_empty() {
            let failed = if self.failed == 0 { String::new() } else { format!(", {} failed", self.failed) };
            text.push_str(&format!("\n{} passed{failed}\n", self.passed));
        }
        text
    }

    fn talk(&self) -> Vec<Remark> {
        let mut talk = Vec::new();
        if !self.checked.can_run() {
            talk.push(Remark::Warning("the skill could not run where it is installed".into()));
            // `build` reports how to fix the module.
            let directory = quoted(&self.directory.to_string_lossy());
            talk.push(Remark::Next(format!("palyra skills build {directory}")));
        }
        if self.cases.is_empty() {
            talk.push(Remark::Warning(format!(
                "no test cases: write a file like `{FOLDER}/first.json` with `[{{\"input\": {{}}, \"output\": {{}}}}]`"
            )));
        } else if self.all_well() {
            let directory = quoted(&self.directory.to_string_lossy());
            let file = format!("{}.palyra-skill", self.skill_id);
            talk.push(Remark::Next(format!(
                "palyra skills package build {directory} --out {file} --signing-key-vault-ref release"
            )));
        }
        talk
    }

    fn lines(&self) -> Option<Vec<Value>> {
        Some(self.cases.iter().map(|case| json!(case)).collect())
    }
}
