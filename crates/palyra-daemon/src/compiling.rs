//! Releases are compiled when they become runnable, beside everything else, so that their first call does not wait.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use palyra_api::skills::{CompiledCode, SkillCodeState};
use palyra_runner::{CodeState, stored_code_state};
use palyra_skills::{RuntimeStatus, Sha256Digest, SkillRecord};

use crate::app::App;

/// Releases that may wait to be compiled at once; what comes on top is compiled by its first call.
const MAX_WAITING: usize = 64;

/// The releases that are compiled in the background, by payload.
#[derive(Clone, Default)]
pub(crate) struct BackgroundCompilations(Arc<Mutex<HashSet<Sha256Digest>>>);

/// One of them, until it is dropped.
struct Underway {
    all: BackgroundCompilations,
    payload: Sha256Digest,
}

/// Whether a compilation was begun.
enum Begun {
    Now(Underway),
    Before,
    TooMany,
}

impl BackgroundCompilations {
    fn begin(&self, payload: Sha256Digest) -> Begun {
        let mut payloads = self.payloads();
        match payloads.contains(&payload) {
            true => Begun::Before,
            false if payloads.len() >= MAX_WAITING => Begun::TooMany,
            false => {
                payloads.insert(payload);
                Begun::Now(Underway { all: self.clone(), payload })
            }
        }
    }

    fn payloads(&self) -> MutexGuard<'_, HashSet<Sha256Digest>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Underway {
    fn drop(&mut self) {
        self.all.payloads().remove(&self.payload);
    }
}

impl App {
    /// Compiles a skill that can run now, without making the caller wait; none where nothing is begun.
    ///
    /// A command that owns the state for a moment compiles while its person waits: it asks for `prepare`.
    pub(crate) fn compile_in_background(self: &Arc<Self>, skill_id: &str) -> Option<CompiledCode> {
        let view = self.state().view();
        let record = view.index().get(skill_id)?;
        if !self.is_gateway() || record.runtime_status() != RuntimeStatus::Active {
            return None;
        }
        let compiling = CompiledCode { state: SkillCodeState::Compiling, problem: None };
        let chore = self.begin_chore()?;
        let underway = match self.background_compilations().begin(record.current.payload) {
            Begun::Now(underway) => underway,
            Begun::Before => return Some(compiling),
            Begun::TooMany => return None,
        };
        let (app, skill_id) = (Arc::clone(self), skill_id.to_owned());
        tokio::spawn(async move {
            match app.prepare(&skill_id).await {
                Ok(()) => tracing::info!(skill_id, "skill compiled"),
                Err(error) => tracing::warn!(skill_id, %error, "cannot compile a skill"),
            }
            // The state stays open until nothing uses it any more.
            drop((underway, app));
            drop(chore);
        });
        Some(compiling)
    }

    /// The state of the code of a skill's release, where that can run; blocks the calling thread.
    pub(crate) fn code_of(&self, record: &SkillRecord) -> Option<CompiledCode> {
        let runs = record.status_and_eligibility(self.state().platform()).0 == RuntimeStatus::Active;
        runs.then(|| self.compiled_code(&record.current.payload))
    }

    fn compiled_code(&self, payload: &Sha256Digest) -> CompiledCode {
        let state = if self.background_compilations().payloads().contains(payload) {
            CodeState::Compiling
        } else {
            match self.started_caller() {
                Some(caller) => caller.code_state(payload),
                None => stored_code_state(self.state(), payload),
            }
        };
        let (state, problem) = match state {
            CodeState::NotCompiled => (SkillCodeState::NotCompiled, None),
            CodeState::Compiling => (SkillCodeState::Compiling, None),
            CodeState::Ready => (SkillCodeState::Ready, None),
            CodeState::Failed(error) => (SkillCodeState::Failed, Some(error.to_string())),
        };
        CompiledCode { state, problem }
    }
}
