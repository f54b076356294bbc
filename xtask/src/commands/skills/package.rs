//! Packages a directory with a `skill.toml` and built guests as a signed artifact.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};
use palyra_plugins_guestkit::BuiltGuest;
use palyra_skills::signing::SkillSigningKey;
use palyra_skills::{
    BuildError, BuildRequest, BuiltArtifact, build_signed_skill_artifact, parse_manifest_toml,
};
use sha2::{Digest, Sha256};

/// A skill in source form.
pub(super) struct SkillSource {
    /// Name of its directory, its guest and its artifact.
    pub(super) name: String,
    manifest: String,
}

/// Returns every directory below examples/skills that has a manifest, by name.
pub(super) fn find_skills(root: &Path) -> Result<Vec<SkillSource>> {
    let directory = root.join("examples/skills");
    let mut manifests: Vec<PathBuf> = std::fs::read_dir(&directory)
        .and_then(|entries| entries.map(|entry| Ok(entry?.path().join("skill.toml"))).collect())
        .with_context(|| cannot_read(&directory))?;
    manifests.retain(|path| path.is_file());
    manifests.sort();
    manifests.iter().map(|path| read_skill(path)).collect()
}

/// Reads the skill of one manifest.
pub(super) fn read_skill(path: &Path) -> Result<SkillSource> {
    let manifest = std::fs::read_to_string(path).with_context(|| cannot_read(path))?;
    let name = path.parent().and_then(Path::file_name).unwrap_or_default();
    Ok(SkillSource { name: name.to_string_lossy().into_owned(), manifest })
}

fn cannot_read(path: &Path) -> String {
    format!("cannot read `{}`", path.display())
}

/// Returns the modules of a skill, which are guests with the same names: path in the package and bytes.
pub(super) fn read_modules(skill: &SkillSource, guests: &[BuiltGuest]) -> Result<Vec<(String, Vec<u8>)>> {
    let paths = modules(skill)?.into_iter();
    paths.map(|path| Ok((path.clone(), read_guest(skill, guests, &path)?))).collect()
}

/// Returns a digest over all inputs of a package, including this program.
pub(super) fn source_digest(skill: &SkillSource, modules: &[(String, Vec<u8>)]) -> String {
    let mut hash = Sha256::new_with_prefix(env!("CARGO_PKG_VERSION"));
    let parts = [("skill.toml", skill.manifest.as_bytes())].into_iter();
    for (name, bytes) in parts.chain(modules.iter().map(|(path, bytes)| (path.as_str(), bytes.as_slice()))) {
        hash.update((name.len() as u64).to_be_bytes());
        hash.update(name);
        hash.update((bytes.len() as u64).to_be_bytes());
        hash.update(bytes);
    }
    hex::encode(hash.finalize())
}

/// Packages and signs a skill.
pub(super) fn build(
    skill: &SkillSource,
    modules: &[(String, Vec<u8>)],
    key: &SkillSigningKey,
) -> Result<BuiltArtifact> {
    let request = BuildRequest {
        manifest_toml: &skill.manifest,
        modules: modules.iter().map(|(path, bytes)| (path.as_str(), bytes.as_slice())).collect(),
        signers: vec![key],
        ..BuildRequest::default()
    };
    build_signed_skill_artifact(&request).map_err(|error| explain(skill, &error))
}

/// Writes a file atomically.
pub(super) fn write_whole(path: &Path, bytes: &[u8]) -> Result<()> {
    let part = path.with_extension("part");
    std::fs::write(&part, bytes)
        .and_then(|()| std::fs::rename(&part, path))
        .with_context(|| format!("cannot write `{}`", path.display()))
}

fn modules(skill: &SkillSource) -> Result<Vec<String>> {
    let manifest = parse_manifest_toml(&skill.manifest)
        .map_err(|error| anyhow!("{} of `{}`", error.render(), skill.name))?;
    let tools = manifest.entrypoints.tools.into_iter().map(|tool| tool.module);
    let hooks = manifest.entrypoints.hooks.into_iter().map(|hook| hook.module);
    let mut modules: Vec<String> = tools.chain(hooks).collect();
    modules.sort();
    modules.dedup();
    Ok(modules)
}

fn read_guest(skill: &SkillSource, guests: &[BuiltGuest], module: &str) -> Result<Vec<u8>> {
    let name = module.strip_prefix("modules/").and_then(|name| name.strip_suffix(".wasm")).unwrap_or(module);
    let guest = guests.iter().find(|guest| guest.name == name);
    let guest = guest
        .ok_or_else(|| anyhow!("`{}` refers to `{module}`, but no guest is named `{name}`", skill.name))?;
    std::fs::read(&guest.path).with_context(|| format!("cannot read `{}`", guest.path.display()))
}

fn explain(skill: &SkillSource, error: &BuildError) -> anyhow::Error {
    anyhow!("cannot package `{}`: {error}; {}", skill.name, error.hint())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_example_has_a_manifest_of_this_publisher() {
        let skills = find_skills(&crate::project::root()).unwrap();
        let names: Vec<_> = skills.iter().map(|skill| skill.name.as_str()).collect();
        assert_eq!(names, palyra_built_in_skills::ALL_NAMES);
        for skill in &skills {
            let manifest =
                parse_manifest_toml(&skill.manifest).unwrap_or_else(|error| panic!("{}", error.render()));
            assert_eq!((manifest.publisher.as_str(), manifest.release_counter), ("palyra", 1));
            assert_eq!(modules(skill).unwrap(), [format!("modules/{}.wasm", skill.name)]);
        }
    }
}
