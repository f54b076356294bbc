//! Finds all problems of a manifest at once, for authors.
//!
//! A value that cannot be read is replaced with a valid one of another type, and the manifest is read again. Problems
//! that a replacement causes are not reported.

use serde::Deserialize;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::error::{ManifestError, ManifestProblem, clip};
use super::locate::Step;
use super::model::SkillManifest;
use super::reader::{ReadError, Reader};
use super::{
    check_nesting, check_size, checks, misread, parse_manifest_toml, parse_toml, readable, refused, root,
};

/// Maximum number of problems returned.
const MAX_PROBLEMS: usize = 20;

/// Returns the problems of a manifest, sorted by line; empty if [`parse_manifest_toml`] accepts it.
///
/// Rules are checked only if all values can be read, so problems of form hide those of rules.
#[must_use]
pub fn manifest_problems(text: &str) -> Vec<ManifestError> {
    let Err(first) = parse_manifest_toml(text) else { return Vec::new() };
    let mut found = tree_problems(text).unwrap_or_default();
    found.sort_by_key(|problem| problem.span().start);
    if found.is_empty() { vec![first] } else { found }
}

/// Returns the problems of a parsed TOML tree.
fn tree_problems(text: &str) -> Result<Vec<ManifestError>, ManifestError> {
    check_size(text)?;
    readable::check_source(text)?;
    check_nesting(text)?;
    let tree = parse_toml(text)?;
    readable::check_strings(text, &tree)?;
    let (mut found, manifest) = read_all(text, &tree);
    if let Some(manifest) = manifest.filter(|_| found.is_empty()) {
        let refusals = checks::refusals(&manifest).into_iter().take(MAX_PROBLEMS);
        found.extend(refusals.map(|refusal| refused(text, &tree, refusal)));
    }
    Ok(found)
}

/// Reads the manifest with replacements. Returns the problems found, and the manifest if it could be read in the end.
fn read_all(text: &str, tree: &Spanned<DeTable<'_>>) -> (Vec<ManifestError>, Option<SkillManifest>) {
    let mut root = root(tree);
    let mut found = Vec::new();
    let mut mended: Vec<(Vec<Step>, usize)> = Vec::new();
    loop {
        let error = match SkillManifest::deserialize(Reader::new(&root)) {
            Ok(manifest) => return (found, Some(manifest)),
            Err(error) => error,
        };
        let (place, mut attempt) = (place(&error), first_attempt(error.problem()));
        // The problem is at or below a replaced value: try the next replacement there.
        let known = mended.iter_mut().find(|(earlier, _)| place.starts_with(earlier));
        let place = match known {
            Some((earlier, tried)) => {
                *tried += 1;
                attempt = *tried;
                earlier.clone()
            }
            None => {
                found.push(misread(text, error));
                mended.push((place.clone(), attempt));
                place
            }
        };
        if found.len() >= MAX_PROBLEMS || !mend(root.get_mut(), &place, attempt) {
            return (found, None);
        }
    }
}

/// Returns the path of the value that is missing, unknown or wrong.
fn place(error: &ReadError) -> Vec<Step> {
    let mut steps = error.steps();
    if let ManifestProblem::MissingKey { key } | ManifestProblem::UnknownKey { key, .. } = error.problem() {
        steps.push(Step::Key(key.clone()));
    }
    steps
}

/// Returns the first attempt: 0 removes the value, which is impossible for a missing key.
fn first_attempt(problem: &ManifestProblem) -> usize {
    usize::from(matches!(problem, ManifestProblem::MissingKey { .. }))
}

/// Replaces the value at a path. Returns `false` if there is no such path, or every replacement was tried.
fn mend(root: &mut DeValue<'_>, place: &[Step], attempt: usize) -> bool {
    let Some((last, parents)) = place.split_last() else { return false };
    let Some(parent) = parents.iter().try_fold(root, |value, step| child(value, step)) else { return false };
    match (last, parent) {
        (Step::Key(key), DeValue::Table(table)) => {
            let kept = std::mem::take(table).into_iter();
            *table = kept.filter(|(name, _)| clip(name.get_ref()) != clip(key)).collect();
            if attempt > 0 {
                let Some(value) = stand_in(attempt) else { return false };
                table.insert(Spanned::new(0..0, key.clone().into()), value);
            }
            true
        }
        (Step::Index(index), DeValue::Array(items)) => {
            match (items.get_mut(*index), stand_in(attempt.max(1))) {
                (Some(item), Some(value)) => {
                    *item = value;
                    true
                }
                _ => false,
            }
        }
        _ => false,
    }
}

fn child<'v, 't>(value: &'v mut DeValue<'t>, step: &Step) -> Option<&'v mut DeValue<'t>> {
    match (step, value) {
        (Step::Key(key), DeValue::Table(table)) => {
            let found = table.iter_mut().find(|(name, _)| name.get_ref() == key);
            found.map(|(_, value)| value.get_mut())
        }
        (Step::Index(index), DeValue::Array(items)) => items.get_mut(*index).map(Spanned::get_mut),
        _ => None,
    }
}

/// Returns the replacement of an attempt, one for each type in a manifest; the string is also a valid version.
fn stand_in(attempt: usize) -> Option<Spanned<DeValue<'static>>> {
    let texts = ["\"0.0.0\"", "1", "true", "[]", "{}"];
    DeValue::parse(texts.get(attempt.checked_sub(1)?)?).ok()
}
