//! `skill.toml`: the identity, entrypoints and requests of a skill.
//!
//! Reading is a sequence of stages, each of which ends at the first problem with its position in the text:
//! size → visible characters → nesting → TOML → visible characters behind escapes → tables and types →
//! the rules of each table. A returned manifest has passed all of them.

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

/// Maximum size of a manifest, in bytes.
pub const MAX_MANIFEST_BYTES: usize = 1 << 20;

/// Parses and checks a manifest.
///
/// # Errors
/// The first problem, with its position in the text.
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

/// Returns a violated rule with its position in the text.
fn refused(text: &str, tree: &Spanned<DeTable<'_>>, refusal: checks::Refusal) -> ManifestError {
    let span = locate::locate(tree, &refusal.path);
    ManifestError::new(text, span, locate::show_path(&refusal.path), refusal.problem)
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

/// Returns the whole file as a value. Its span is the first line, which is reported for a missing top-level key.
fn root<'t>(tree: &Spanned<DeTable<'t>>) -> Spanned<DeValue<'t>> {
    Spanned::new(0..0, DeValue::Table(tree.get_ref().clone()))
}

fn misread(text: &str, error: reader::ReadError) -> ManifestError {
    let (path, span) = (locate::show_path(&error.steps()), error.span());
    ManifestError::new(text, span, path, error.into_problem())
}
