//! Every problem of a manifest at once, for authors.
//!
//! After a value that cannot be read, something that can be read is put in its place and reading begins again. What
//! the stand-ins break in turn is not reported.

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

/// Most problems of one answer.
const MAX_PROBLEMS: usize = 20;

/// Returns what is wrong with a manifest, in the order of its lines; nothing if [`parse_manifest_toml`] takes it.
///
/// Problems of form hide those of rules: they are found once the form is right.
#[must_use]
pub fn manifest_problems(text: &str) -> Vec<ManifestError> {
    let Err(first) = parse_manifest_toml(text) else { return Vec::new() };
    let mut found = tree_problems(text).unwrap_or_default();
    found.sort_by_key(|problem| problem.span().start);
    if found.is_empty() { vec![first] } else { found }
}

/// The problems of a text that has a tree; none for one that has not.
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

/// The problems of reading, and the manifest with the stand-ins.
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
        // A problem at or below a stand-in: another one is tried there.
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

/// The path of the value that is missing, unknown or wrong.
fn place(error: &ReadError) -> Vec<Step> {
    let mut steps = error.steps();
    if let ManifestProblem::MissingKey { key } | ManifestProblem::UnknownKey { key, .. } = error.problem() {
        steps.push(Step::Key(key.clone()));
    }
    steps
}

/// Attempt 0 removes the value; there is nothing to remove where a key is missing.
fn first_attempt(problem: &ManifestProblem) -> usize {
    usize::from(matches!(problem, ManifestProblem::MissingKey { .. }))
}

/// Changes the value at a path; false if it is not there, or every stand-in was tried.
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

/// A value of each type a manifest has; the text is also a version.
fn stand_in(attempt: usize) -> Option<Spanned<DeValue<'static>>> {
    let texts = ["\"0.0.0\"", "1", "true", "[]", "{}"];
    DeValue::parse(texts.get(attempt.checked_sub(1)?)?).ok()
}
