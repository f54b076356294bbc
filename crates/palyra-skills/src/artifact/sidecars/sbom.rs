//! `sbom.cyclonedx.json`: CycloneDX 1.6, generated from the modules without a clock or random numbers.

pub use palyra_common::model::skills::SkillDependency as SbomDependency;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::SidecarError;
use super::wasm_facts::{CargoDependency, Producer, read_module_facts};
use crate::artifact::{EntryDigest, SkillArtifact};
use crate::constants::{MODULES_PREFIX, SBOM_PATH};
use crate::digest::Sha256Digest;
use crate::manifest::SkillManifest;
use crate::signing::strict_json::{StrictJsonError, encode_canonical, parse_canonical};

const SCHEMA: &str = "http://cyclonedx.org/schema/bom-1.6.schema.json";
const BOM_FORMAT: &str = "CycloneDX";
const SPEC_VERSION: &str = "1.6";
const HASH_ALGORITHM: &str = "SHA-256";
const PRODUCER_PROPERTY: &str = "palyra:producer:";

/// The contents of a bill of materials that was checked against the modules.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SbomSummary {
    /// The modules, in the order of the file.
    pub modules: Vec<SbomModule>,
    /// The libraries linked into the modules.
    pub dependencies: Vec<SbomDependency>,
}

/// One module of a bill of materials.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SbomModule {
    /// The path of the module in the archive.
    pub path: String,
    /// The SHA-256 of its bytes.
    pub sha256: Sha256Digest,
    /// The languages and tools it was built with, for example `language: Rust`.
    pub producers: Vec<String>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Bom {
    #[serde(rename = "$schema")]
    schema: String,
    #[serde(rename = "bomFormat")]
    bom_format: String,
    #[serde(rename = "specVersion")]
    spec_version: String,
    version: u32,
    metadata: Metadata,
    components: Vec<Component>,
    dependencies: Vec<Dependency>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Metadata {
    component: Component,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Component {
    #[serde(rename = "type")]
    kind: ComponentKind,
    #[serde(rename = "bom-ref")]
    reference: String,
    name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    version: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    hashes: Vec<Hash>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    licenses: Vec<License>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    purl: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    properties: Vec<Property>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum ComponentKind {
    Application,
    File,
    Library,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Hash {
    alg: String,
    content: Sha256Digest,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct License {
    expression: String,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Property {
    name: String,
    value: String,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Dependency {
    #[serde(rename = "ref")]
    reference: String,
    #[serde(rename = "dependsOn")]
    depends_on: BTreeSet<String>,
}

/// Writes the bill of materials of a skill. The same modules give the same bytes.
pub fn generate_sbom<'a>(
    manifest: &SkillManifest,
    modules: impl IntoIterator<Item = (&'a str, &'a [u8])>,
) -> Result<Vec<u8>, StrictJsonError> {
    let mut libraries = BTreeMap::new();
    let mut components = BTreeMap::new();
    let mut graph = BTreeMap::new();
    for (path, bytes) in modules {
        let facts = read_module_facts(bytes);
        let linked: BTreeMap<String, Component> = facts.dependencies.iter().map(library_component).collect();
        graph.insert(path.to_owned(), linked.keys().cloned().collect::<BTreeSet<_>>());
        libraries.extend(linked);
        components.insert(path.to_owned(), module_component(path, bytes, &facts.producers));
    }
    graph.insert(manifest.skill_id.clone(), components.keys().cloned().collect());
    graph.extend(libraries.keys().map(|reference| (reference.clone(), BTreeSet::new())));
    encode_canonical(&Bom {
        schema: SCHEMA.into(),
        bom_format: BOM_FORMAT.into(),
        spec_version: SPEC_VERSION.into(),
        version: 1,
        metadata: Metadata { component: skill_component(manifest) },
        components: components.into_values().chain(libraries.into_values()).collect(),
        dependencies: graph
            .into_iter()
            .map(|(reference, depends_on)| Dependency { reference, depends_on })
            .collect(),
    })
}

/// Checks that the bill of materials of an archive is well formed and lists exactly its modules.
///
/// # Errors
/// The file is not canonical CycloneDX 1.6, names another skill or version, or lists other modules.
pub fn check_sbom(artifact: &SkillArtifact, manifest: &SkillManifest) -> Result<SbomSummary, SidecarError> {
    let bytes = artifact.entry(SBOM_PATH).unwrap_or_default();
    let bom: Bom = parse_canonical(bytes).map_err(SidecarError::SbomForm)?;
    let subject = &bom.metadata.component;
    for (field, found, expected) in [
        ("$schema", bom.schema.as_str(), SCHEMA),
        ("bomFormat", bom.bom_format.as_str(), BOM_FORMAT),
        ("specVersion", bom.spec_version.as_str(), SPEC_VERSION),
        ("version", bom.version.to_string().as_str(), "1"),
        ("metadata.component.name", subject.name.as_str(), manifest.skill_id.as_str()),
        (
            "metadata.component.version",
            subject.version.as_deref().unwrap_or_default(),
            manifest.version.to_string().as_str(),
        ),
    ] {
        check_text(field, found, expected)?;
    }
    check_references(&bom)?;
    check_modules(&bom, artifact.entry_digests())?;
    Ok(summarise(&bom))
}

fn skill_component(manifest: &SkillManifest) -> Component {
    let license = manifest.license.iter().map(|expression| License { expression: expression.clone() });
    Component {
        version: Some(manifest.version.to_string()),
        licenses: license.collect(),
        ..component(ComponentKind::Application, &manifest.skill_id, &manifest.skill_id)
    }
}

fn module_component(path: &str, bytes: &[u8], producers: &BTreeSet<Producer>) -> Component {
    let property = |producer: &Producer| Property {
        name: format!("{PRODUCER_PROPERTY}{}", producer.field),
        value: format!("{} {}", producer.name, producer.version).trim_end().to_owned(),
    };
    Component {
        hashes: vec![Hash { alg: HASH_ALGORITHM.into(), content: Sha256Digest::of(bytes) }],
        properties: producers.iter().map(property).collect(),
        ..component(ComponentKind::File, path, path)
    }
}

fn library_component(dependency: &CargoDependency) -> (String, Component) {
    let CargoDependency { name, version, source } = dependency;
    // In a package URL, the plus of build metadata is escaped.
    let purl = format!("pkg:cargo/{name}@{}", version.replace('+', "%2B"));
    let from_registry = source == "crates.io";
    let reference = if from_registry { purl.clone() } else { format!("cargo:{source}/{name}@{version}") };
    let library = Component {
        version: Some(version.clone()),
        purl: from_registry.then_some(purl),
        ..component(ComponentKind::Library, &reference, name)
    };
    (reference, library)
}

fn component(kind: ComponentKind, reference: &str, name: &str) -> Component {
    Component {
        kind,
        reference: reference.to_owned(),
        name: name.to_owned(),
        version: None,
        hashes: Vec::new(),
        licenses: Vec::new(),
        purl: None,
        properties: Vec::new(),
    }
}

/// Checks that references are unique and that every edge of the graph ends at one of them.
fn check_references(bom: &Bom) -> Result<(), SidecarError> {
    let field = |field, found: &str, expected: &str| SidecarError::SbomField {
        field,
        found: super::super::clip(found),
        expected: expected.to_owned(),
    };
    let all = std::iter::once(&bom.metadata.component).chain(&bom.components);
    let mut references = BTreeSet::new();
    for component in all {
        if component.reference.is_empty() || !references.insert(component.reference.as_str()) {
            return Err(field("bom-ref", &component.reference, "a reference used once"));
        }
        if component.purl.as_ref().is_some_and(|purl| !purl.starts_with("pkg:")) {
            return Err(field("purl", component.purl.as_deref().unwrap_or_default(), "pkg:…"));
        }
    }
    let edges = bom.dependencies.iter().flat_map(|edge| edge.depends_on.iter().chain([&edge.reference]));
    match edges.into_iter().find(|end| !references.contains(end.as_str())) {
        Some(stray) => Err(field("dependencies", stray, "the bom-ref of a component")),
        None => Ok(()),
    }
}

fn check_modules(bom: &Bom, entries: &[EntryDigest]) -> Result<(), SidecarError> {
    let mut listed = BTreeMap::new();
    for file in bom.components.iter().filter(|component| component.kind == ComponentKind::File) {
        match file.hashes.as_slice() {
            [hash] if hash.alg == HASH_ALGORITHM => listed.insert(file.name.as_str(), hash.content),
            _ => {
                let found = file.hashes.iter().map(|hash| hash.alg.as_str()).collect::<Vec<_>>().join(", ");
                let (found, expected) = (super::super::clip(&found), HASH_ALGORITHM.to_owned());
                return Err(SidecarError::SbomField { field: "hashes", found, expected });
            }
        };
    }
    let modules = entries.iter().filter(|entry| entry.path.starts_with(MODULES_PREFIX));
    super::compare_digests(SBOM_PATH, listed, modules)
}

fn check_text(field: &'static str, found: &str, expected: &str) -> Result<(), SidecarError> {
    if found == expected {
        return Ok(());
    }
    Err(SidecarError::SbomField { field, found: super::super::clip(found), expected: expected.to_owned() })
}

fn summarise(bom: &Bom) -> SbomSummary {
    let of_kind = |kind| bom.components.iter().filter(move |component| component.kind == kind);
    let producer = |property: &Property| {
        let field = property.name.strip_prefix(PRODUCER_PROPERTY)?;
        Some(format!("{field}: {}", property.value))
    };
    SbomSummary {
        modules: of_kind(ComponentKind::File)
            .filter_map(|module| {
                Some(SbomModule {
                    path: module.name.clone(),
                    sha256: module.hashes.first()?.content,
                    producers: module.properties.iter().filter_map(producer).collect(),
                })
            })
            .collect(),
        dependencies: of_kind(ComponentKind::Library)
            .map(|library| SbomDependency {
                name: library.name.clone(),
                version: library.version.clone().unwrap_or_default(),
                purl: library.purl.clone(),
            })
            .collect(),
    }
}
