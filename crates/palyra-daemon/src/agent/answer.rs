//! Answers of people: to approvals, forms and questions of runs, and requests to stop.

use std::sync::Arc;

use palyra_agent::{Input, RunState, SessionState, SurfaceState, Verdict};
use palyra_api::Problem;
use palyra_api::sessions::{AgentRun, Pause, PauseAnswer, PauseDecision, PauseKind, PauseStatus};
use palyra_common::{ErrorCode, Principal, Scope};
use palyra_journal::NewEvent;
use palyra_policy::{Action, Resource};
use palyra_state::authorizer::any_tool;
use palyra_state::{ApprovalDecision, ApprovalScope, ApprovalVerdict, Presence, StateError, decide_approval};
use serde_json::json;
use tokio::sync::oneshot;

use super::driver::Command;
use super::sessions::broken;
use crate::app::App;
use crate::blocking::blocking;
use crate::forms::{self, CheckedForm};
use crate::policy::missing_scope;
use crate::problem::{ToProblem, not_found};

/// Answers pauses and stops runs on behalf of a principal.
pub(crate) struct Answerer<'p> {
    pub(crate) app: &'p Arc<App>,
    pub(crate) principal: &'p Arc<Principal>,
}

impl Answerer<'_> {
    /// Returns a pause of a session the principal may see.
    pub(crate) async fn pause(&self, pause_id: &str) -> Result<Pause, Problem> {
        let (app, id) = (Arc::clone(self.app), pause_id.to_owned());
        let pause: Option<Pause> = read(move || app.sessions().pause(&id)).await?;
        let unknown = || {
            not_found("pause", pause_id, Vec::new())
                .hint("list the open questions with `GET /v1/pauses?status=waiting`")
        };
        let pause = pause.ok_or_else(unknown)?;
        // Principals that may decide approvals see their content, in any session.
        let decides = pause.kind == PauseKind::Approval && self.principal.may(Scope::Approve);
        match self.app.session_of(self.principal, &pause.session_id).await {
            Ok(_) => Ok(pause),
            Err(_) if decides => Ok(pause),
            Err(_) => Err(unknown()),
        }
    }

    /// Answers a pause; of several concurrent answers, one wins.
    pub(crate) async fn answer(&self, pause_id: &str, answer: PauseAnswer) -> Result<Pause, Problem> {
        let pause = self.pause(pause_id).await?;
        if answer.bound_to != pause.bound_to {
            let message = "the answer does not match this question: its `bound_to` differs";
            return Err(Problem::new(ErrorCode::Usage, message).hint("read the pause again, then answer it"));
        }
        if pause.status != PauseStatus::Waiting {
            return Err(decided(&pause));
        }
        match pause.kind {
            PauseKind::Approval => self.approve(&pause, answer).await?,
            PauseKind::Form | PauseKind::Question => self.reply(&pause, answer).await?,
        }
        self.pause(pause_id).await
    }

    /// Decides the approval of a pause like any other approval; the run is notified of the decision.
    async fn approve(&self, pause: &Pause, answer: PauseAnswer) -> Result<(), Problem> {
        if !self.principal.may(Scope::Approve) {
            let (authorizer, tool) = (self.app.authorizer(), Resource::Tool(any_tool()));
            return Err(missing_scope(&authorizer, self.principal, Scope::Approve, Action::Approve, tool));
        }
        let Some(approval_id) = &pause.approval_id else {
            return Err(Problem::new(ErrorCode::Internal, "the pause has no approval"));
        };
        let state = Arc::clone(self.app.state());
        let id = approval_id.clone();
        let approval = blocking(move || state.approvals().get(&id)).await?;
        let arguments = approval.map_err(|error| error.to_problem())?.arguments_sha256;
        let verdict = match answer.decision {
            PauseDecision::Approve => ApprovalVerdict::Approve(ApprovalScope::Once),
            PauseDecision::Deny => ApprovalVerdict::Deny,
        };
        let present = answer.owner_present && self.principal.is_owner();
        let decision = ApprovalDecision {
            verdict,
            decider: Arc::clone(self.principal),
            presence: if present { Presence::Owner } else { Presence::Unknown },
            reason: answer.reason,
            // The pause is bound to the arguments of its call.
            arguments_sha256: arguments,
        };
        let decided = decide_approval(self.app.state(), approval_id, decision).await;
        let decided = decided.map_err(|error| error.to_problem())?;
        let verdict = match answer.decision {
            PauseDecision::Approve => Verdict::Yes,
            PauseDecision::Deny => Verdict::No,
        };
        let input = Input::Decided { pause_id: pause.pause_id.clone(), verdict, by: decided.decided_by };
        // The run may have received the decision already.
        match self.command(&pause.run_id, input, None, Some(&pause.pause_id)).await {
            Err(problem) if problem.code == ErrorCode::AlreadyDecided => Ok(()),
            other => other.map(drop),
        }
    }

    /// Answers a form or a question, which requires access to its session.
    async fn reply(&self, pause: &Pause, answer: PauseAnswer) -> Result<(), Problem> {
        let session = self.app.session_of(self.principal, &pause.session_id).await?;
        let (verdict, form) = match (answer.decision, answer.submit) {
            (PauseDecision::Deny, _) => (Verdict::No, None),
            (PauseDecision::Approve, None) if pause.kind == PauseKind::Question => (Verdict::Yes, None),
            (PauseDecision::Approve, None) => {
                return Err(Problem::new(ErrorCode::Usage, "the form is not filled in: `submit` is missing"));
            }
            (PauseDecision::Approve, Some(submit)) => {
                let surface = pause.surface.as_deref().unwrap_or_default();
                let shown = surface_of(self.app, &session, surface).await?;
                if Some(submit.rev) != pause.rev || shown.rev != submit.rev {
                    return Err(stale(&shown));
                }
                let document = shown.document().map_err(forms::invalid)?;
                let form = CheckedForm::new(&document, shown.skill_id.as_deref(), &submit)?;
                let of =
                    json!({ "session": session.session_id, "rev": shown.rev, "form": submit.component_id });
                let leaf = form.leaf(self.app.now_ms(), self.principal, &shown.surface, of);
                (Verdict::Values(form.values.clone()), Some((form, leaf)))
            }
        };
        let by = Some(self.principal.name.clone());
        let input = Input::Decided { pause_id: pause.pause_id.clone(), verdict, by };
        self.command(&pause.run_id, input, form, Some(&pause.pause_id)).await.map(drop)
    }

    /// Stops a run; fails if it has ended.
    pub(crate) async fn stop(&self, run_id: &str) -> Result<AgentRun, Problem> {
        let run = self.run(run_id).await?;
        if run.status.is_final() {
            let message = format!("run `{run_id}` has ended: {}", run.status.wire_name());
            return Err(Problem::new(ErrorCode::NotUnderWay, message));
        }
        let input = Input::Stop { by: self.principal.name.clone() };
        self.command(run_id, input, None, None).await.map(|run| run.to_api())
    }

    /// Returns a run of a session the principal may see.
    pub(crate) async fn run(&self, run_id: &str) -> Result<RunState, Problem> {
        let (app, id) = (Arc::clone(self.app), run_id.to_owned());
        let run: Option<RunState> = read(move || app.sessions().run(&id)).await?;
        let unknown = || not_found("agent run", run_id, Vec::new());
        let run = run.ok_or_else(unknown)?;
        self.app.session_of(self.principal, &run.session_id).await.map_err(|_| unknown())?;
        Ok(run)
    }

    async fn command(
        &self,
        run_id: &str,
        input: Input,
        form: Option<(CheckedForm, NewEvent)>,
        pause_id: Option<&str>,
    ) -> Result<RunState, Problem> {
        // A finished run needs no answer: another client answered, or it was stopped.
        let code = if pause_id.is_some() { ErrorCode::AlreadyDecided } else { ErrorCode::NotUnderWay };
        let ended = || Problem::new(code, format!("run `{run_id}` is not in progress"));
        let inbox = self.app.agent().inbox(run_id).await.ok_or_else(ended)?;
        let (reply, answered) = oneshot::channel();
        let (form, leaf) = form.unzip();
        let form = form.map(|form| (form, Arc::clone(self.principal)));
        let (leaves, pause_id) = (leaf.into_iter().collect(), pause_id.map(str::to_owned));
        let command = Command { input, leaves, pause_id, form, reply };
        inbox.send(command).await.map_err(|_| ended())?;
        answered.await.map_err(|_| ended())?
    }
}

/// Returns a surface of a session.
pub(crate) async fn surface_of(
    app: &Arc<App>,
    session: &SessionState,
    surface: &str,
) -> Result<SurfaceState, Problem> {
    let (app, id, name) = (Arc::clone(app), session.session_id.clone(), surface.to_owned());
    let found: Option<SurfaceState> = read(move || app.sessions().surface(&id, &name)).await?;
    found.ok_or_else(|| not_found("surface", surface, Vec::new()))
}

async fn read<T: serde::de::DeserializeOwned>(
    work: impl FnOnce() -> Result<Option<Vec<u8>>, StateError> + Send + 'static,
) -> Result<Option<T>, Problem> {
    let Some(bytes) = blocking(work).await?.map_err(|error| error.to_problem())? else { return Ok(None) };
    serde_json::from_slice(&bytes).map(Some).map_err(|error| broken(&error.to_string()).to_problem())
}

fn stale(shown: &SurfaceState) -> Problem {
    let message = format!("the surface `{}` has changed: its revision is {}", shown.surface, shown.rev);
    Problem::new(ErrorCode::AlreadyDecided, message).hint("read it again, then fill it in")
}

fn decided(pause: &Pause) -> Problem {
    let message = format!("pause `{}` is already {}", pause.pause_id, pause.status.wire_name());
    Problem::new(ErrorCode::AlreadyDecided, message).details(json!({ "pause_id": pause.pause_id }))
}
