//! Background compilation of releases that become runnable, so that their first call does not wait.

use std::collections::HashSet;
use std::sync::Arc;

use palyra_api::skills::{CompiledCode, SkillCodeState};
use palyra_runner::{CodeState, stored_code_state};
use palyra_skills::{RuntimeStatus, Sha256Digest, SkillRecord};
use parking_lot::Mutex;

use crate::app::App;

/// Maximum number of releases that wait for compilation; further ones are compiled by their first call.
const MAX_WAITING: usize = 64;

/// Payload digests of the releases being compiled in the background.
#[derive(Clone, Default)]
pub(crate) struct BackgroundCompilations(Arc<Mutex<HashSet<Sha256Digest>>>);

/// A compilation in progress; removed from the set on drop.
struct Underway {
    all: BackgroundCompilations,
    payload: Sha256Digest,
}

/// The outcome of a request to compile a payload.
enum Begun {
    Now(Underway),
    Before,
    TooMany,
}

impl BackgroundCompilations {
    fn begin(&self, payload: Sha256Digest) -> Begun {
        let mut payloads = self.0.lock();
        if payloads.contains(&payload) {
            return Begun::Before;
        }
        if payloads.len() >= MAX_WAITING {
            return Begun::TooMany;
        }
        payloads.insert(payload);
        Begun::Now(Underway { all: self.clone(), payload })
    }

    fn contains(&self, payload: &Sha256Digest) -> bool {
        self.0.lock().contains(payload)
    }
}

impl Drop for Underway {
    fn drop(&mut self) {
        self.all.0.lock().remove(&self.payload);
    }
}

impl App {
    /// Starts to compile a runnable skill and returns at once; `None` if nothing was started.
    ///
    /// A one-shot command compiles in the foreground instead, with `prepare`.
    pub(crate) fn compile_in_background(self: &Arc<Self>, skill_id: &str) -> Option<CompiledCode> {
        let view = self.view();
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

    /// Returns the state of a release's code if the release can run; blocks the calling thread.
    pub(crate) fn code_of(&self, record: &SkillRecord) -> Option<CompiledCode> {
        let runs = record.status_and_eligibility(self.state().platform()).0 == RuntimeStatus::Active;
        runs.then(|| self.compiled_code(&record.current.payload))
    }

    fn compiled_code(&self, payload: &Sha256Digest) -> CompiledCode {
        let state = if self.background_compilations().contains(payload) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn background_compilations_are_bounded_and_free_their_places() {
        let all = BackgroundCompilations::default();
        let payload = |n: usize| Sha256Digest::of(&n.to_be_bytes());
        let mut held: Vec<Begun> = (0..MAX_WAITING).map(|n| all.begin(payload(n))).collect();
        assert!(held.iter().all(|begun| matches!(begun, Begun::Now(_))));
        assert!(matches!(all.begin(payload(0)), Begun::Before));
        assert!(matches!(all.begin(payload(MAX_WAITING)), Begun::TooMany));
        drop(held.pop());
        assert!(matches!(all.begin(payload(MAX_WAITING)), Begun::Now(_)));
    }
}
