//! What a run may touch: the manifest and the consent in common, with the operator's directories filled in.

use std::path::Path;
use std::sync::Arc;

use palyra_common::{Capability, CapabilityGrantSet, OperatorGrants, WasmPluginRunError};
use palyra_skills::consent::{ConsentRecord, consented_grants};

use super::find::FoundTool;
use crate::root::StateRoot;

/// Never more than manifest ∩ consent; a root nobody mapped to a directory stays closed.
pub(super) fn effective(
    root: &StateRoot,
    tool: &FoundTool,
    consent: &ConsentRecord,
    operator: &OperatorGrants,
) -> Result<Arc<CapabilityGrantSet>, WasmPluginRunError> {
    let grants = with_directories(&consented_grants(&tool.release.manifest, consent), &operator.capabilities);
    for directory in grants.filesystem().iter().filter_map(|grant| grant.directory()) {
        check_outside(root, directory)?;
    }
    Ok(Arc::new(grants))
}

/// The consented grants with the operator's directories; nothing else of the operator's opens anything.
fn with_directories(consented: &CapabilityGrantSet, operator: &CapabilityGrantSet) -> CapabilityGrantSet {
    let mapped = consented.intersect(operator);
    let is_root = |grant: &Capability| matches!(grant, Capability::Filesystem(_));
    let doors = Vec::<Capability>::from(consented.clone()).into_iter().filter(|grant| !is_root(grant));
    let roots = mapped.filesystem().iter().filter(|grant| grant.directory().is_some()).cloned();
    doors.chain(roots.map(Capability::Filesystem)).collect()
}

/// A guest that could write here could grant itself anything.
fn check_outside(root: &StateRoot, directory: &Path) -> Result<(), WasmPluginRunError> {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let (root, mapped) = (real(root.path()), real(directory));
    match mapped.starts_with(&root) || root.starts_with(&mapped) {
        true => Err(WasmPluginRunError::InvalidInput {
            subject: "input",
            pointer: None,
            reason: format!("`{}` contains the state root, or lies in it", directory.display()),
            remedy: Some("map the root to a directory outside of the state root".into()),
        }),
        false => Ok(()),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn grant() -> impl Strategy<Value = Capability> {
        let texts = [
            "http:https://a.example",
            "http:GET https://*.a.example/x/*",
            "secret:global/a reveal",
            "secret:global/a hosts=a.example inject=bearer",
            "storage:a/",
            "storage:a/b/ bytes=1",
            "channel:x",
            "fs-read:docs",
            "fs-write:docs",
            "fs-read:docs=/srv/a",
            "fs-write:docs=/srv/b",
            "fs-write:out=/srv/out",
        ];
        prop::sample::select(texts.to_vec()).prop_map(|text| text.parse().unwrap())
    }

    fn grants() -> impl Strategy<Value = CapabilityGrantSet> {
        prop::collection::vec(grant(), 0..8).prop_map(|list| list.into_iter().collect())
    }

    proptest! {
        #[test]
        fn grants_never_exceed_manifest_and_consent(manifest in grants(), consent in grants(), operator in grants()) {
            let consented = manifest.intersect(&consent);
            let effective = with_directories(&consented, &operator);
            prop_assert!(effective.is_within(&manifest) && effective.is_within(&consent));
            prop_assert!(effective.filesystem().iter().all(|grant| grant.directory().is_some()));
        }
    }

    #[test]
    fn a_directory_around_or_inside_the_state_root_is_refused() {
        let home = tempfile::tempdir().unwrap();
        let root = StateRoot::new(home.path().join("root"));
        std::fs::create_dir_all(root.vault()).unwrap();
        std::os::unix::fs::symlink(root.path(), home.path().join("link")).unwrap();
        for inside in [home.path().to_owned(), root.path().to_owned(), root.vault(), home.path().join("link")]
        {
            assert!(check_outside(&root, &inside).is_err(), "{}", inside.display());
        }
        std::fs::create_dir(home.path().join("beside")).unwrap();
        assert!(check_outside(&root, &home.path().join("beside")).is_ok());
    }
}
