//! Corridor 2 on the owner's side: everything that brings a skill in, changes its state or takes it out.
//!
//! Every way in walks `install_skill_artifact`; every change is one commit. Of two who race one wins, and the
//! other is decided anew against what the winner left.

mod error;
mod installed;
mod operator;
mod untrusted;

use std::collections::BTreeSet;
use std::sync::Arc;

use palyra_skills::audit::FindingId;
use palyra_skills::consent::ConsentGiven;
use palyra_skills::install::{
    InstallContext, InstallError, InstallOutcome, InstallRefusal, InstallRequest, InstallStep,
    install_skill_artifact, plan_install,
};

pub use error::SkillError;
pub use installed::ReAudit;

use crate::error::StateError;
use crate::gate::{InstallGate, InstallQuestion};
use crate::state::State;
use crate::transaction::Installing;
use crate::view::View;

/// How often a decision is taken anew because the state moved on meanwhile.
const MAX_ATTEMPTS: usize = 5;

/// What an operator permits with an installation; the default permits nothing.
#[derive(Debug, Clone, Default)]
pub struct InstallOptions {
    /// Whether the keys of a publisher never seen may be pinned.
    pub allow_tofu: bool,
    /// What a person agreed to.
    pub consent: Option<ConsentGiven>,
    /// Soft findings that are accepted for this release.
    pub accept: BTreeSet<FindingId>,
    /// Whether a policy lets it in, asked once it is known whose release it is and before anything is written.
    pub gate: InstallGate,
}

/// Is told of each step as it passes.
pub type Observe<'a> = &'a mut dyn FnMut(&InstallStep);

impl State {
    /// Installs an artifact, or updates the skill it is a release of.
    pub fn install(
        &self,
        bytes: impl Into<Arc<[u8]>>,
        options: &InstallOptions,
        observe: Observe<'_>,
    ) -> Result<InstallOutcome, SkillError> {
        self.walk_gated(&offered(bytes.into(), options), &options.gate, observe)
    }

    /// Updates a skill that is installed; an artifact of another skill is refused before anything is stored.
    pub fn update(
        &self,
        bytes: impl Into<Arc<[u8]>>,
        options: &InstallOptions,
        observe: Observe<'_>,
    ) -> Result<InstallOutcome, SkillError> {
        let request = offered(bytes.into(), options);
        self.plan_known(&request)?;
        self.walk_gated(&request, &options.gate, observe)
    }

    /// What an installation would do; nothing is written.
    pub fn plan_install(
        &self,
        bytes: impl Into<Arc<[u8]>>,
        options: &InstallOptions,
    ) -> Result<InstallOutcome, Box<InstallRefusal>> {
        self.plan(&offered(bytes.into(), options))
    }

    /// What an update would do; an artifact of a skill that is not installed is none.
    pub fn plan_update(
        &self,
        bytes: impl Into<Arc<[u8]>>,
        options: &InstallOptions,
    ) -> Result<InstallOutcome, SkillError> {
        self.plan_known(&offered(bytes.into(), options))
    }

    fn plan_known(&self, request: &InstallRequest) -> Result<InstallOutcome, SkillError> {
        let planned = self.plan(request)?;
        match self.view().index().get(&planned.record.skill_id) {
            Some(_) => Ok(planned),
            None => Err(SkillError::NotInstalled { skill_id: planned.record.skill_id }),
        }
    }

    fn plan(&self, request: &InstallRequest) -> Result<InstallOutcome, Box<InstallRefusal>> {
        let view = self.view();
        self.with_context(&view, |context| plan_install(request, context, &mut |_| {}).map_err(Box::new))
    }

    /// Walks the corridor with a release that is here already: about that one the policy was asked before.
    pub(crate) fn walk(
        &self,
        request: &InstallRequest,
        observe: Observe<'_>,
    ) -> Result<InstallOutcome, SkillError> {
        self.walk_gated(request, &InstallGate::default(), observe)
    }

    /// Walks the corridor until its decision is still true when it is committed.
    pub(crate) fn walk_gated(
        &self,
        request: &InstallRequest,
        gate: &InstallGate,
        observe: Observe<'_>,
    ) -> Result<InstallOutcome, SkillError> {
        let mut attempt = 1;
        loop {
            match self.walk_once(request, gate, observe) {
                Err(SkillError::State(StateError::Moved { .. })) if attempt < MAX_ATTEMPTS => attempt += 1,
                other => return other,
            }
        }
    }

    fn walk_once(
        &self,
        request: &InstallRequest,
        gate: &InstallGate,
        observe: Observe<'_>,
    ) -> Result<InstallOutcome, SkillError> {
        let view = self.view();
        let result = self.with_context(&view, |context| {
            // The decision is taken without the gate, so that a long audit keeps nobody waiting.
            let mut transaction = LazyInstalling { state: self, gate, inner: None };
            install_skill_artifact(request, context, &mut transaction, observe)
        });
        result.map_err(|error| match error {
            InstallError::Refused(refusal) => SkillError::Refused(refusal),
            InstallError::Store(error) => error,
        })
    }

    pub(crate) fn with_context<T>(&self, view: &View, work: impl FnOnce(&InstallContext<'_>) -> T) -> T {
        let snapshot = self.trust_snapshot(Arc::clone(view.trust()));
        work(&InstallContext {
            generation: view.generation(),
            trust: &snapshot,
            platform: &self.platform,
            policy: view.audit_policy(),
            index: view.index(),
            consents: view.consents(),
        })
    }
}

fn offered(bytes: Arc<[u8]>, options: &InstallOptions) -> InstallRequest {
    InstallRequest {
        allow_tofu: options.allow_tofu,
        consent: options.consent.clone(),
        accept: options.accept.clone(),
        ..InstallRequest::offered(bytes)
    }
}

/// Asks the policy of whoever brings a release about that release.
fn permitted(gate: &InstallGate, outcome: &InstallOutcome) -> Result<(), SkillError> {
    let record = &outcome.record;
    let release = record.release(outcome.payload).unwrap_or(&record.current);
    gate.ask(&InstallQuestion { record, release }).map_err(|decision| SkillError::Denied {
        skill_id: record.skill_id.clone(),
        version: release.manifest.version.to_string(),
        decision,
    })
}

/// Waits for whoever commits now with the first call that writes.
struct LazyInstalling<'a> {
    state: &'a State,
    gate: &'a InstallGate,
    inner: Option<Installing<'a>>,
}

impl<'a> LazyInstalling<'a> {
    fn inner(&mut self) -> &mut Installing<'a> {
        self.inner.get_or_insert_with(|| Installing::begin(self.state))
    }
}

macro_rules! forward {
    ($($name:ident($($argument:ident: $type:ty),*));+ $(;)?) => {
        impl palyra_skills::install::InstallTransaction for LazyInstalling<'_> {
            type Error = SkillError;

            fn permit(&mut self, outcome: &InstallOutcome) -> Result<(), SkillError> {
                permitted(self.gate, outcome)
            }

            $(fn $name(&mut self, $($argument: $type),*) -> Result<(), SkillError> {
                Ok(self.inner().$name($($argument),*)?)
            })+
        }
    };
}
forward! {
    expect_generation(generation: u64);
    put_object(archive: palyra_skills::Sha256Digest, bytes: &[u8]);
    apply_trust(change: &palyra_skills::TrustChange);
    put_consent(consent: &palyra_skills::consent::ConsentRecord);
    put_record(record: &palyra_skills::index::SkillRecord);
    append_event(event: &palyra_skills::install::InstallEvent);
    advance_generation();
    commit_events();
}
