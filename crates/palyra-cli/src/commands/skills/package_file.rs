//! A `.palyra-skill` file, read with its ceiling, and what can be said of it without installing it.

use crate::cli::Globals;
use crate::error::CliError;
use crate::files::read_file;
use crate::state;
use palyra_skills::audit::{AuditPolicy, InstalledTools};
use palyra_skills::constants::MAX_ARCHIVE_BYTES;
use palyra_skills::{Platform, SkillTrustStore, TrustSnapshot, Verification, verify_skill_artifact};
use palyra_state::{StateError, StateOptions};
use std::path::Path;
use std::sync::Arc;

/// The bytes of an artifact; a file over the ceiling is refused unread.
pub(super) fn read(path: &Path) -> Result<Arc<[u8]>, CliError> {
    Ok(read_file(path, MAX_ARCHIVE_BYTES)?.into())
}

/// Checks every byte and every signature of a file; whether its publisher is believed is not asked.
pub(super) fn verify_bytes(bytes: Arc<[u8]>) -> Result<Verification, CliError> {
    Background::nothing().verify(bytes, true)
}

/// What a file is judged against: the state root, or nothing where there is none.
pub(super) struct Background {
    trust: TrustSnapshot,
    platform: Platform,
    pub(super) policy: AuditPolicy,
    pub(super) tools: InstalledTools,
    /// Whether there is a state root.
    pub(super) known: bool,
}

impl Background {
    /// As this state root stands; a machine without one knows nobody.
    pub(super) fn read(globals: &Globals, command: &str) -> Result<Self, CliError> {
        match state::open(globals, command) {
            Ok(state) => {
                let view = state.view();
                Ok(Self {
                    trust: view.snapshot(),
                    platform: state.platform().clone(),
                    policy: view.audit_policy().clone(),
                    tools: view.index().installed_tools(),
                    known: true,
                })
            }
            Err(CliError::State(StateError::NotInitialised { .. })) => Ok(Self::nothing()),
            Err(error) => Err(error),
        }
    }

    fn nothing() -> Self {
        Self {
            trust: TrustSnapshot::new(SkillTrustStore::default()),
            platform: StateOptions::default().platform,
            policy: AuditPolicy::default(),
            tools: InstalledTools::none(),
            known: false,
        }
    }

    /// The whole verification; `tofu` permits a publisher that was never seen.
    pub(super) fn verify(&self, bytes: Arc<[u8]>, tofu: bool) -> Result<Verification, CliError> {
        let trust = self.trust.clone().with_tofu(tofu);
        verify_skill_artifact(bytes, &trust, &self.platform)
            .map_err(|refusal| CliError::File(Box::new(refusal).into()))
    }
}
