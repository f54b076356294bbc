//! The rules of a manifest beyond the types of its tables.

mod capabilities;
mod entrypoints;
mod hosts;
mod identity;
mod operator;
mod tool_capabilities;

use super::error::ManifestProblem;
use super::locate::Step;
use super::model::SkillManifest;

pub(super) use hosts::manifest_host;

/// A path of keys and indices.
macro_rules! steps {
    ($($step:expr),* $(,)?) => { vec![$(crate::manifest::locate::Step::from($step)),*] };
}
use steps;

/// Maximum bytes of text for models, each with its pointer.
const MAX_MODEL_TEXT_BYTES: usize = 4 << 20;

/// A broken rule and the path of the value that breaks it.
#[derive(Debug)]
pub(super) struct Refusal {
    pub(super) path: Vec<Step>,
    pub(super) problem: ManifestProblem,
}

pub(super) type Checked = Result<(), Refusal>;

/// A rule about a whole manifest.
type Rule = fn(&SkillManifest) -> Checked;

/// Checks every table, up to the first broken rule.
pub(super) fn check_manifest(manifest: &SkillManifest) -> Checked {
    check_each(manifest).find(Result::is_err).unwrap_or(Ok(()))?;
    check_weight(manifest)
}

/// Returns the broken rules, at most one for each thing a manifest declares.
pub(super) fn refusals(manifest: &SkillManifest) -> Vec<Refusal> {
    let mut found: Vec<Refusal> = check_each(manifest).filter_map(Result::err).collect();
    // The cost of this check is bounded only for a manifest that passes the other rules.
    if found.is_empty() {
        found.extend(check_weight(manifest).err());
    }
    found
}

fn check_each(manifest: &SkillManifest) -> impl Iterator<Item = Checked> {
    let rules = |rules: &'static [Rule]| rules.iter().map(move |rule| rule(manifest));
    // Later rules may take time that grows with the lists, so their lengths are checked first.
    let counted = entrypoints::check_counts(manifest);
    let entrypoints = counted.is_ok().then(|| entrypoints::check_each(manifest)).into_iter().flatten();
    rules(&identity::RULES)
        .chain(std::iter::once(counted))
        .chain(entrypoints)
        .chain(rules(&capabilities::RULES))
        .chain(rules(&tool_capabilities::RULES))
        .chain(std::iter::once_with(|| operator::check_operator(&manifest.operator)))
}

/// Checks the size of the manifest in memory. The index stores manifests as JSON and texts are compared with their
/// pointers; escapes and deep names must not make either much longer than the file.
fn check_weight(manifest: &SkillManifest) -> Checked {
    let texts = crate::text::model_text_bytes(manifest);
    require(
        texts <= MAX_MODEL_TEXT_BYTES,
        || steps!["entrypoints", "tools"],
        || {
            ManifestProblem::value(
                format!("{texts} bytes of text for models, with the paths of schemas"),
                format!("at most {MAX_MODEL_TEXT_BYTES}"),
            )
        },
    )?;
    let bytes = serde_json::to_vec(manifest).map_or(usize::MAX, |json| json.len());
    require(bytes <= super::MAX_MANIFEST_BYTES, Vec::new, || ManifestProblem::TooLarge { bytes })
}

fn refuse(path: Vec<Step>, problem: ManifestProblem) -> Checked {
    Err(Refusal { path, problem })
}

fn require(
    holds: bool,
    path: impl FnOnce() -> Vec<Step>,
    problem: impl FnOnce() -> ManifestProblem,
) -> Checked {
    if holds { Ok(()) } else { refuse(path(), problem()) }
}

/// Checks the number of elements, so that later rules need not bound their work.
fn at_most<T>(items: &[T], most: usize, path: impl FnOnce() -> Vec<Step>) -> Checked {
    let problem = || ManifestProblem::value(format!("{} entries", items.len()), format!("at most {most}"));
    require(items.len() <= most, path, problem)
}

/// Checks that a text is not empty and not longer than `most` bytes.
fn bounded(text: &str, most: usize, path: impl Fn() -> Vec<Step>) -> Checked {
    require(!text.trim().is_empty(), &path, || ManifestProblem::value("an empty text", "some words"))?;
    require(text.len() <= most, path, || {
        ManifestProblem::value(format!("a text of {} bytes", text.len()), format!("at most {most} bytes"))
    })
}

/// Checks that a text has one line and not more than `most` bytes.
fn one_line(text: &str, most: usize, path: impl Fn() -> Vec<Step>) -> Checked {
    bounded(text, most, &path)?;
    require(!text.contains(['\n', '\t']), path, || ManifestProblem::value("several lines", "one line"))
}

/// Checks that no value occurs twice. The path of the error is that of the second one.
fn distinct<'a>(items: impl Iterator<Item = (&'a str, Vec<Step>)>) -> Checked {
    let mut seen = std::collections::BTreeSet::new();
    for (item, path) in items {
        require(
            seen.insert(item),
            || path,
            || ManifestProblem::text(item, "each entry once").with_fix("remove one of the two"),
        )?;
    }
    Ok(())
}

fn indexed<'a>(items: &'a [String], parents: &'a [&'a str]) -> impl Iterator<Item = (&'a str, Vec<Step>)> {
    items.iter().enumerate().map(move |(index, item)| (item.as_str(), below(parents, index)))
}

fn below(parents: &[&str], index: usize) -> Vec<Step> {
    parents.iter().map(|parent| Step::from(*parent)).chain([Step::from(index)]).collect()
}
