//! Known-vulnerable dependencies: compares the bill of materials with a list that the operator imports.

use semver::{Version, VersionReq};
use serde::{Deserialize, Serialize};

use super::finding::{FindingId, Severity};
use super::report::{Findings, quote};
use crate::constants::SBOM_PATH;
use crate::digest::Sha256Digest;

/// Maximum number of components compared; a packager writes a few hundred.
const MAX_COMPONENTS: usize = 20_000;

/// A list of advisories, as imported by the operator.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AdvisoryList {
    /// The day up to which the list is complete, as `YYYY-MM-DD`. Displayed, never compared with a clock.
    pub date: String,
    /// The advisories, in the order of the file.
    pub advisories: Vec<Advisory>,
}

/// A known vulnerability of one package.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Advisory {
    /// The public id, for example `RUSTSEC-2024-0001`.
    pub id: String,
    /// The package type, as in a package URL: `cargo`, `npm`, `pypi`, `golang`.
    pub ecosystem: String,
    /// The name of the package within its ecosystem.
    pub package: String,
    /// The affected versions, each a semver requirement such as `>=1.0.0, <1.2.3`.
    pub affected: Vec<VersionReq>,
    /// From `high` on, a match quarantines the skill by default; below, it is a note.
    pub severity: Severity,
    /// A one-line summary, shown in the finding.
    pub title: String,
}

/// Why a list of advisories is invalid.
#[derive(Debug, thiserror::Error)]
pub enum AdvisoryError {
    /// Not JSON, an unknown field or a value of the wrong type.
    #[error("cannot read the advisory list")]
    Json(#[source] serde_json::Error),
    /// The date is not of the form `YYYY-MM-DD`.
    #[error("the advisory list has the date `{0}`, expected `YYYY-MM-DD`")]
    Date(String),
}

impl AdvisoryList {
    /// Reads a list from JSON; unknown fields are an error.
    pub fn from_json(text: &str) -> Result<Self, AdvisoryError> {
        let list: Self = serde_json::from_str(text).map_err(AdvisoryError::Json)?;
        let shape = |(index, byte): (usize, u8)| match index {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        };
        if list.date.len() != 10 || !list.date.bytes().enumerate().all(shape) {
            return Err(AdvisoryError::Date(quote(&list.date)));
        }
        Ok(list)
    }

    /// Returns the digest of the list, which is part of the digest of the audit policy.
    #[must_use]
    pub fn digest(&self) -> Sha256Digest {
        Sha256Digest::of(serde_json::to_string(self).unwrap_or_default().as_bytes())
    }

    fn matching<'list>(&'list self, dependency: &Dependency) -> impl Iterator<Item = &'list Advisory> {
        let Dependency { ecosystem, package, version } = dependency.clone();
        self.advisories.iter().filter(move |advisory| {
            advisory.ecosystem == ecosystem
                && advisory.package == package
                && advisory.affected.iter().any(|requirement| requirement.matches(&version))
        })
    }
}

/// Compares the components of the bill of materials with the imported list, if there is one.
pub(super) fn check(entries: &[(&str, &[u8])], findings: &mut Findings<'_>) {
    let Some(list) = findings.policy().advisories() else { return };
    let Some((_, bytes)) = entries.iter().find(|(path, _)| *path == SBOM_PATH) else { return };
    let Some(dependencies) = read_dependencies(bytes) else {
        let message = "the bill of materials is not CycloneDX JSON, so dependencies were not compared".into();
        return findings.add(FindingId::DependencyUnknown, SBOM_PATH, message, None);
    };
    for dependency in dependencies {
        for advisory in list.matching(&dependency) {
            let id = if advisory.severity >= Severity::High {
                FindingId::DependencyVulnerable
            } else {
                FindingId::DependencyAdvisory
            };
            let Dependency { ecosystem, package, version } = &dependency;
            let message = format!(
                "`{}` {version} ({}) has {}: {}, known since the list of {}",
                quote(package),
                quote(ecosystem),
                quote(&advisory.id),
                quote(&advisory.title),
                list.date
            );
            findings.add(id, SBOM_PATH, message, None);
        }
    }
}

#[derive(Clone)]
struct Dependency {
    ecosystem: String,
    package: String,
    version: Version,
}

fn read_dependencies(bytes: &[u8]) -> Option<Vec<Dependency>> {
    let bom: serde_json::Value = serde_json::from_slice(bytes).ok()?;
    let components = match bom.get("components") {
        Some(components) => components.as_array()?,
        None => return Some(Vec::new()),
    };
    let purls = components.iter().take(MAX_COMPONENTS).flat_map(|component| {
        let nested = component.get("components").and_then(|nested| nested.as_array());
        std::iter::once(component).chain(nested.into_iter().flatten())
    });
    Some(purls.filter_map(|component| parse_purl(component.get("purl")?.as_str()?)).collect())
}

/// Parses `pkg:cargo/serde@1.0.0?qualifiers#path`. A version that is not semver cannot be compared and gives
/// `None`.
fn parse_purl(purl: &str) -> Option<Dependency> {
    let body = purl.strip_prefix("pkg:")?;
    let body = body.split(['?', '#']).next()?;
    let (ecosystem, rest) = body.split_once('/')?;
    let (package, version) = rest.rsplit_once('@')?;
    let package = package.replace("%40", "@");
    let version = lenient_version(version)?;
    Some(Dependency { ecosystem: ecosystem.to_owned(), package, version })
}

/// Parses versions such as `1.2` and `v1.2.3`, which ecosystems other than Cargo use.
fn lenient_version(text: &str) -> Option<Version> {
    let text = text.strip_prefix('v').unwrap_or(text);
    let dots = text.bytes().filter(|byte| *byte == b'.').count();
    let digits = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    match (digits, dots) {
        (true, 0) => Version::parse(&format!("{text}.0.0")).ok(),
        (true, 1) => Version::parse(&format!("{text}.0")).ok(),
        _ => Version::parse(text).ok(),
    }
}
