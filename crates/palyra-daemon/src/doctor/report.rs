//! The report of a doctor.

use std::borrow::Cow;

use palyra_api::doctor::{StateCheck, StateFix};
use palyra_common::deployment_profiles::DeploymentProfile;
use serde::Serialize;

/// Severity of a check's result, in ascending order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// No problem was found.
    Ok,
    /// Information that requires no action.
    Note,
    /// The check was not possible.
    Skipped,
    /// It works, but should be changed.
    Warning,
    /// Something does not work, or is insecure.
    Error,
}

/// One check with its result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Check {
    /// Name of the check, stable across versions.
    pub id: Cow<'static, str>,
    /// Severity of the result.
    pub severity: Severity,
    /// The observed facts.
    pub evidence: String,
    /// The remedy, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fix: Option<Fix>,
}

/// The remedy for a finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Fix {
    /// Description of the remedy.
    pub says: String,
    /// True if `--fix` applies it.
    pub automatic: bool,
}

/// The results of all checks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Report {
    /// The profile whose requirements were checked.
    pub profile: &'static str,
    /// The highest severity of all checks.
    pub severity: Severity,
    /// Number of checks that were skipped.
    pub skipped: usize,
    /// The checks in the order they were made.
    pub checks: Vec<Check>,
}

impl Report {
    pub(super) fn new(profile: &DeploymentProfile, mut checks: Vec<Check>) -> Self {
        let skipped = checks.iter().filter(|check| check.severity == Severity::Skipped).count();
        // Checks that a profile requires must be made, and may not even warn.
        let is_open = |severity| matches!(severity, Severity::Warning | Severity::Skipped);
        for check in &mut checks {
            if is_open(check.severity) && profile.required_checks.contains(&&*check.id) {
                check.severity = Severity::Error;
            }
        }
        let severity = checks.iter().map(|check| check.severity).max().unwrap_or(Severity::Ok);
        Self { profile: profile.name, severity, skipped, checks }
    }

    /// Returns the results that are not in order, or unknown.
    pub fn findings(&self) -> impl Iterator<Item = &Check> {
        self.checks.iter().filter(|check| check.severity > Severity::Note)
    }

    /// Returns a check by its name.
    pub fn check(&self, id: &str) -> Option<&Check> {
        self.checks.iter().find(|check| check.id == id)
    }
}

impl From<StateCheck> for Check {
    /// Converts a check of the daemon. Its fix is not automatic, because the daemon has the state open.
    fn from(check: StateCheck) -> Self {
        let StateCheck { id, severity, evidence, fix } = check;
        let severity = match severity.as_str() {
            "ok" => Severity::Ok,
            "note" => Severity::Note,
            "skipped" => Severity::Skipped,
            "warning" => Severity::Warning,
            _ => Severity::Error,
        };
        let says = |fix: StateFix| {
            if fix.automatic {
                format!("{}: stop the daemon, then run `palyra doctor --fix`", fix.says)
            } else {
                fix.says
            }
        };
        let fix = fix.map(|fix| Fix { says: says(fix), automatic: false });
        Self { id: id.into(), severity, evidence, fix }
    }
}

impl Check {
    pub(super) fn ok(id: &'static str, evidence: impl Into<String>) -> Self {
        Self { id: id.into(), severity: Severity::Ok, evidence: evidence.into(), fix: None }
    }

    pub(super) fn skipped(id: &'static str, evidence: impl Into<String>) -> Self {
        Self { severity: Severity::Skipped, ..Self::ok(id, evidence) }
    }

    pub(super) fn note(id: &'static str, evidence: impl Into<String>) -> Self {
        Self { severity: Severity::Note, ..Self::ok(id, evidence) }
    }

    pub(super) fn warning(id: &'static str, evidence: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::ok(id, evidence) }
    }

    pub(super) fn error(id: &'static str, evidence: impl Into<String>) -> Self {
        Self { severity: Severity::Error, ..Self::ok(id, evidence) }
    }

    /// Adds a remedy that the user has to apply.
    pub(super) fn advise(self, says: impl Into<String>) -> Self {
        Self { fix: Some(Fix { says: says.into(), automatic: false }), ..self }
    }

    /// Adds a remedy that `--fix` applies.
    pub(super) fn fixable(self, says: impl Into<String>) -> Self {
        Self { fix: Some(Fix { says: says.into(), automatic: true }), ..self }
    }
}
