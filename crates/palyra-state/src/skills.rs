//! The owner's side of the install pipeline: installs, changes and removes skills.
//!
//! Every installation is a plan that is applied in one commit. Of two concurrent installations one wins, and
//! the other is planned again from the resulting state.

mod apply;
mod error;
mod installed;
mod operator;
mod runnable;
mod untrusted;

use std::collections::BTreeSet;
use std::sync::Arc;

use palyra_skills::audit::FindingId;
use palyra_skills::consent::ConsentGiven;
use palyra_skills::install::{
    InstallContext, InstallOutcome, InstallPlan, InstallRefusal, InstallRequest, InstallStep, plan_install,
};

pub use error::SkillError;
pub use installed::ReAudit;
pub use runnable::check_runnable;

use crate::error::StateError;
use crate::view::View;

/// Number of times a request is planned before a state that keeps changing is an error.
pub(crate) const MAX_ATTEMPTS: usize = 5;

/// Permissions that an operator grants with an installation; the default grants none.
#[derive(Debug, Clone, Default)]
pub struct InstallOptions {
    /// Permits pinning the keys of an unknown publisher on first use.
    pub allow_tofu: bool,
    /// Consent to the permissions of the release.
    pub consent: Option<ConsentGiven>,
    /// Soft findings of the audit that are accepted for this release.
    pub accept: BTreeSet<FindingId>,
}

/// Callback that receives each step of an installation.
pub type Observe<'a> = &'a mut dyn FnMut(&InstallStep);

crate::state::store! {
    /// Installs, changes and removes the skills of a state.
    SkillStore, skills
}

impl SkillStore<'_> {
    /// Installs an artifact, or updates the skill it is a release of; `by` is the actor of the events.
    pub fn install(
        &self,
        bytes: impl Into<Arc<[u8]>>,
        options: &InstallOptions,
        by: &str,
        observe: Observe<'_>,
    ) -> Result<InstallOutcome, SkillError> {
        self.install_skill_artifact(&options.request(bytes), by, observe)
    }

    /// Returns the outcome an installation would have; writes nothing.
    pub fn plan_install(
        &self,
        bytes: impl Into<Arc<[u8]>>,
        options: &InstallOptions,
    ) -> Result<InstallOutcome, Box<InstallRefusal>> {
        self.plan(&options.request(bytes), &mut |_| {}).into_preview()
    }

    /// Returns the outcome an update would have; fails if the skill is not installed. Writes nothing.
    pub fn plan_update(&self, request: &InstallRequest) -> Result<InstallOutcome, SkillError> {
        let planned = self.plan(request, &mut |_| {}).into_preview()?;
        match self.state.view().index().get(&planned.record.skill_id) {
            Some(_) => Ok(planned),
            None => Err(SkillError::NotInstalled { skill_id: planned.record.skill_id }),
        }
    }

    /// Plans a request and applies the plan, planning again while the state changes in between.
    ///
    /// Does not evaluate the access policy: a caller that has to authorizes the plan between [`Self::plan`]
    /// and [`Self::apply`].
    pub fn install_skill_artifact(
        &self,
        request: &InstallRequest,
        by: &str,
        observe: Observe<'_>,
    ) -> Result<InstallOutcome, SkillError> {
        retry_moved(|| self.apply(self.plan(request, observe), by, observe))
    }

    /// Plans a request against the current view. The commit lock is not held, so a long audit delays no other change.
    pub fn plan(&self, request: &InstallRequest, observe: Observe<'_>) -> InstallPlan {
        let view = self.state.view();
        self.with_context(&view, |context| plan_install(request, context, observe))
    }

    pub(crate) fn with_context<T>(&self, view: &View, work: impl FnOnce(&InstallContext<'_>) -> T) -> T {
        let snapshot = self.state.trust().snapshot(Arc::clone(view.trust()));
        work(&InstallContext {
            generation: view.generation(),
            trust: &snapshot,
            platform: &self.state.platform,
            policy: view.audit_policy(),
            index: view.index(),
            consents: view.consents(),
        })
    }
}

impl InstallOptions {
    /// Returns the request to install an artifact with these permissions.
    pub fn request(&self, bytes: impl Into<Arc<[u8]>>) -> InstallRequest {
        InstallRequest {
            allow_tofu: self.allow_tofu,
            consent: self.consent.clone(),
            accept: self.accept.clone(),
            ..InstallRequest::offered(bytes)
        }
    }
}

/// Calls `work`, which plans and applies, until its plan is not outdated, at most five times.
pub fn retry_moved<T>(mut work: impl FnMut() -> Result<T, SkillError>) -> Result<T, SkillError> {
    let mut attempt = 1;
    loop {
        match work() {
            Err(SkillError::State(StateError::Moved { .. })) if attempt < MAX_ATTEMPTS => attempt += 1,
            other => return other,
        }
    }
}
