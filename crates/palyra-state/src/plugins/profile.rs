//! The capability profile of a skill: an upper bound for its runs, and the directories of its file roots.

use std::path::Path;

use palyra_common::{BadSetting, PluginCapabilityProfile};
use palyra_journal::EventKind;
use serde_json::json;

use super::{PROFILE, PluginSettingError, Revised, SettingStore, put};
use crate::commit::Change;
use crate::db::{RowChange, SealedTable};
use crate::root::StateRoot;

impl SettingStore<'_> {
    /// Returns the profile of a skill, if one is set.
    pub fn profile(&self, skill_id: &str) -> Option<Revised<PluginCapabilityProfile>> {
        self.state.view().plugins().profiles.get(skill_id).cloned()
    }

    /// Sets the profile of an installed skill on behalf of a principal; returns its revision.
    pub fn set_profile(
        &self,
        skill_id: &str,
        profile: &PluginCapabilityProfile,
        principal: &str,
    ) -> Result<u64, PluginSettingError> {
        self.change_profile(skill_id, profile, None, principal)
    }

    /// Sets the profile only if `made_from` is still its revision, 0 for none; otherwise fails with
    /// [`PluginSettingError::Changed`], so that a profile narrowed in between is not widened again.
    pub fn change_profile(
        &self,
        skill_id: &str,
        profile: &PluginCapabilityProfile,
        made_from: Option<u64>,
        principal: &str,
    ) -> Result<u64, PluginSettingError> {
        profile.validate()?;
        for (root, directory) in &profile.directories {
            check_outside(&self.state.root, directory).map_err(|found| {
                BadSetting::new(format!("directories.{root}"), found, "a directory outside the state root")
            })?;
        }
        let mut gate = self.state.gate();
        self.installed_for_setting(skill_id)?;
        let found = gate.view.plugins().profiles.get(skill_id).map_or(0, |profile| profile.revision);
        if let Some(expected) = made_from.filter(|expected| *expected != found) {
            return Err(PluginSettingError::Changed { expected, found });
        }
        let revision = gate.view.generation() + 1;
        let rows = vec![put(format!("{PROFILE}{skill_id}"), revision, profile)?];
        let details = json!({ "revision": revision, "profile": profile });
        let event = self.state.event(EventKind::PluginProfileChanged, principal);
        let event = event.skill(skill_id).details(details);
        self.state.commit(&mut gate, Change { rows, events: vec![event] })?;
        Ok(revision)
    }

    /// Removes the profile of a skill; returns whether there was one.
    pub fn remove_profile(&self, skill_id: &str, principal: &str) -> Result<bool, PluginSettingError> {
        let mut gate = self.state.gate();
        if !gate.view.plugins().profiles.contains_key(skill_id) {
            return Ok(false);
        }
        let key = format!("{PROFILE}{skill_id}");
        let rows = vec![RowChange::Delete { table: SealedTable::Setting, key }];
        let event = self.state.event(EventKind::PluginProfileChanged, principal);
        let event = event.skill(skill_id).details(json!({ "removed": true }));
        self.state.commit(&mut gate, Change { rows, events: vec![event] })?;
        Ok(true)
    }
}

/// Rejects a directory that contains the state root or is inside it: a guest with access to it could grant
/// itself any permission.
pub fn check_outside(root: &StateRoot, directory: &Path) -> Result<(), String> {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let (root, mapped) = (real(root.path()), real(directory));
    if mapped.starts_with(&root) || root.starts_with(&mapped) {
        Err(format!("`{}`, which contains the state root or is inside it", directory.display()))
    } else {
        Ok(())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

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
