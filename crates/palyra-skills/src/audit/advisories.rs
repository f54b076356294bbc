//! Known-vulnerable dependencies: a list an operator imports, held against the bill of materials.

use semver::{Version, VersionReq};
use serde::{Deserialize, Serialize};

use super::finding::{FindingId, Severity};
use super::report::{Findings, quote};
use crate::constants::SBOM_PATH;
use crate::digest::Sha256Digest;

/// Components looked at; a packager writes a few hundred.
const MAX_COMPONENTS: usize = 20_000;

/// An imported list, with the date its publisher gave it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AdvisoryList {
    /// The day up to which the list is complete, as `YYYY-MM-DD`; shown, never compared with a clock.
    pub date: String,
    /// The advisories.
    pub advisories: Vec<Advisory>,
}

/// One advisory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Advisory {
    /// Its public id.
    pub id: String,
    /// The kind of package, as in a package URL: `cargo`, `npm`, `pypi`, `golang`.
    pub ecosystem: String,
    /// The package.
    pub package: String,
    /// The affected versions, each a semver requirement such as `>=1.0.0, <1.2.3`.
    pub affected: Vec<VersionReq>,
    /// Severity.
    pub severity: Severity,
    /// One line.
    pub title: String,
}

/// Why a list of advisories is invalid.
#[derive(Debug, thiserror::Error)]
pub enum AdvisoryError {
    /// Not JSON, an unknown field or a value of the wrong type.
    #[error("cannot read the advisory list")]
    Json(#[source] serde_json::Error),
    /// Not a day.
    #[error("the advisory list has the date `{0}`, expected `YYYY-MM-DD`")]
    Date(String),
}

impl AdvisoryList {
    /// Reads a list from JSON.
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

    /// The digest of the list.
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

/// Holds the components of the bill of materials against the list.
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

/// `pkg:cargo/serde@1.0.0?qualifiers#path`; a version that is not semver cannot be compared and is left out.
fn parse_purl(purl: &str) -> Option<Dependency> {
    let body = purl.strip_prefix("pkg:")?;
    let body = body.split(['?', '#']).next()?;
    let (ecosystem, rest) = body.split_once('/')?;
    let (package, version) = rest.rsplit_once('@')?;
    let package = package.replace("%40", "@");
    let version = lenient_version(version)?;
    Some(Dependency { ecosystem: ecosystem.to_owned(), package, version })
}

/// Other ecosystems write `1.2` or `v1.2.3`.
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
