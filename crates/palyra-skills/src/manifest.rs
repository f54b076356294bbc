//! `skill.toml`: what a skill is, what it offers, and what it asks for.
//!
//! Reading is a list of stages, each of which ends at the first problem with its place in the text:
//! size → visible characters → nesting → TOML → visible characters behind escapes → tables and types →
//! the rules of each table. What comes out has been through all of them.

mod checks;
mod editor_schema;
mod error;
mod locate;
mod model;
mod names;
mod nesting;
mod problems;
mod readable;
mod reader;
pub mod tool_schema;

use serde::Deserialize;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

pub use editor_schema::json_schema;
pub use error::{ManifestError, ManifestProblem};
pub(crate) use error::{clip, closest};
pub use model::{
    Capabilities, Compat, ConfigField, ConfigFieldKind, Entrypoints, FilesystemRoots, HookEntrypoint,
    HttpRuleText, Operator, Quotas, Risk, SecretAccess, SkillManifest, ToolCapabilities, ToolEntrypoint,
    ToolReturns,
};
pub use names::{HOOK_EVENTS, MAX_RELEASE_COUNTER, PublisherName, model_name};
pub use problems::manifest_problems;
pub use tool_schema::{SchemaMismatch, SchemaProblem, ToolSchema};

/// Longest manifest.
pub const MAX_MANIFEST_BYTES: usize = 1 << 20;

/// Reads and checks a manifest.
pub fn parse_manifest_toml(text: &str) -> Result<SkillManifest, ManifestError> {
    check_size(text)?;
    readable::check_source(text)?;
    check_nesting(text)?;
    let tree = parse_toml(text)?;
    readable::check_strings(text, &tree)?;
    let manifest = read_tables(text, &tree)?;
    checks::check_manifest(&manifest).map_err(|refusal| refused(text, &tree, refusal))?;
    Ok(manifest)
}

/// A broken rule with its place in the text.
fn refused(text: &str, tree: &Spanned<DeTable<'_>>, refusal: checks::Refusal) -> ManifestError {
    let span = locate::locate(tree, &refusal.path);
    ManifestError::new(text, span, locate::show_path(&refusal.path), refusal.problem)
}

/// Writes a manifest as TOML; [`parse_manifest_toml`] reads the same manifest back.
pub fn print_manifest_toml(manifest: &SkillManifest) -> Result<String, PrintError> {
    toml::to_string(manifest).map_err(|error| PrintError { reason: error.to_string() })
}

/// A manifest that has no TOML form, because a schema or example holds `null`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("cannot write the manifest as TOML: {reason}")]
pub struct PrintError {
    /// What the writer says.
    pub reason: String,
}

fn check_size(text: &str) -> Result<(), ManifestError> {
    if text.len() <= MAX_MANIFEST_BYTES {
        return Ok(());
    }
    let problem = ManifestProblem::TooLarge { bytes: text.len() };
    Err(ManifestError::new("", 0..0, String::new(), problem))
}

fn check_nesting(text: &str) -> Result<(), ManifestError> {
    nesting::check_nesting(text)
        .map_err(|span| ManifestError::new(text, span, String::new(), ManifestProblem::TooDeep))
}

fn parse_toml(text: &str) -> Result<Spanned<DeTable<'_>>, ManifestError> {
    DeTable::parse(text).map_err(|error| {
        let problem = ManifestProblem::Toml { message: error::clip(error.message()) };
        ManifestError::new(text, error.span().unwrap_or(0..0), String::new(), problem)
    })
}

fn read_tables(text: &str, tree: &Spanned<DeTable<'_>>) -> Result<SkillManifest, ManifestError> {
    let root = root(tree);
    SkillManifest::deserialize(reader::Reader::new(&root)).map_err(|error| misread(text, error))
}

/// The whole file as a value. A missing key of it has no place of its own; the first line stands for the file.
fn root<'t>(tree: &Spanned<DeTable<'t>>) -> Spanned<DeValue<'t>> {
    Spanned::new(0..0, DeValue::Table(tree.get_ref().clone()))
}

fn misread(text: &str, error: reader::ReadError) -> ManifestError {
    let (path, span) = (locate::show_path(&error.steps()), error.span());
    ManifestError::new(text, span, path, error.into_problem())
}
