//! The install pipeline on the owner's side: everything that installs a skill, changes its state or removes it.
//!
//! Every installation is a plan that is applied in one commit. Of two concurrent installations one wins, and the other
//! is planned again from the state the winner left.

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

/// How many times a request is planned before a state that keeps moving on is an error.
pub(crate) const MAX_ATTEMPTS: usize = 5;

/// What an operator permits with an installation; the default permits nothing.
#[derive(Debug, Clone, Default)]
pub struct InstallOptions {
    /// Whether the keys of a publisher never seen may be pinned.
    pub allow_tofu: bool,
    /// What a person agreed to.
    pub consent: Option<ConsentGiven>,
    /// Soft findings that are accepted for this release.
    pub accept: BTreeSet<FindingId>,
}

/// Receives each step.
pub type Observe<'a> = &'a mut dyn FnMut(&InstallStep);

crate::state::store! {
    /// The installed skills of a state: everything that installs one, changes it or removes it.
    SkillStore, skills
}

impl SkillStore<'_> {
    /// Installs an artifact, or updates the skill it is a release of; `by` is the actor of its events.
    pub fn install(
        &self,
        bytes: impl Into<Arc<[u8]>>,
        options: &InstallOptions,
        by: &str,
        observe: Observe<'_>,
    ) -> Result<InstallOutcome, SkillError> {
        self.install_skill_artifact(&options.request(bytes), by, observe)
    }

    /// What an installation would do; nothing is written.
    pub fn plan_install(
        &self,
        bytes: impl Into<Arc<[u8]>>,
        options: &InstallOptions,
    ) -> Result<InstallOutcome, Box<InstallRefusal>> {
        self.plan(&options.request(bytes), &mut |_| {}).into_preview()
    }

    /// What an update would do; refuses an artifact of a skill that is not installed. Nothing is written.
    pub fn plan_update(&self, request: &InstallRequest) -> Result<InstallOutcome, SkillError> {
        let planned = self.plan(request, &mut |_| {}).into_preview()?;
        match self.state.view().index().get(&planned.record.skill_id) {
            Some(_) => Ok(planned),
            None => Err(SkillError::NotInstalled { skill_id: planned.record.skill_id }),
        }
    }

    /// Plans a request and applies the plan, until a plan is still current when it is committed.
    ///
    /// No access policy is asked: a caller that has one authorizes the plan between [`Self::plan`] and [`Self::apply`].
    pub fn install_skill_artifact(
        &self,
        request: &InstallRequest,
        by: &str,
        observe: Observe<'_>,
    ) -> Result<InstallOutcome, SkillError> {
        retry_moved(|| self.apply(self.plan(request, observe), by, observe))
    }

    /// Plans a request against the present view; the commit lock is not held, so a long audit delays no other change.
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
    /// Returns the request to install an artifact under these options.
    pub fn request(&self, bytes: impl Into<Arc<[u8]>>) -> InstallRequest {
        InstallRequest {
            allow_tofu: self.allow_tofu,
            consent: self.consent.clone(),
            accept: self.accept.clone(),
            ..InstallRequest::offered(bytes)
        }
    }
}

/// Repeats work that plans and applies while its plan is outdated when it is applied, up to five times.
pub fn retry_moved<T>(mut work: impl FnMut() -> Result<T, SkillError>) -> Result<T, SkillError> {
    let mut attempt = 1;
    loop {
        match work() {
            Err(SkillError::State(StateError::Moved { .. })) if attempt < MAX_ATTEMPTS => attempt += 1,
            other => return other,
        }
    }
}
