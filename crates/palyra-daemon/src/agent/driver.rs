//! The task of one run: for each input it computes a step, writes the plan, and starts the effects.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use palyra_agent::{
    CallOutcome, Effect, Found, Input, Plan, RunState, SessionState, SurfaceState, Verdict, World, step,
};
use palyra_api::Problem;
use palyra_api::sessions::PauseKind;
use palyra_common::{ErrorCode, Principal};
use palyra_journal::NewEvent;
use palyra_state::{ApprovalStatus, StateError};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::{Id, JoinError, JoinSet};

use super::{call, cards, route, sessions, think, write};
use crate::app::{App, until_stopping};
use crate::forms::CheckedForm;
use crate::problem::ToProblem;

/// Maximum number of commands in the inbox of a run.
pub(super) const INBOX: usize = 16;
/// Maximum sleep, so that a clock that was set forward is noticed.
const LONGEST_SLEEP_MS: u64 = 60_000;
/// Error message for an effect that panicked.
const INTERNAL: &str = "an internal error of the daemon; see its log";

/// A request of a principal to a run.
pub(super) struct Command {
    pub(super) input: Input,
    /// Leaves to append in the same transaction.
    pub(super) leaves: Vec<NewEvent>,
    /// The pause that is answered; the command is refused if the run does not wait for it.
    pub(super) pause_id: Option<String>,
    /// The submitted form; its secrets are stored only once no other answer can come first.
    pub(super) form: Option<(CheckedForm, Arc<Principal>)>,
    pub(super) reply: oneshot::Sender<Result<RunState, Problem>>,
}

/// Starts the task of a run with its first input; `commands` is the receiver of [`Agent::open`](super::Agent).
pub(super) fn begin(app: &Arc<App>, run: RunState, input: Input, commands: mpsc::Receiver<Command>) {
    let driver = Driver {
        app: Arc::clone(app),
        run,
        effects: JoinSet::new(),
        panicked: HashMap::new(),
        stopped: watch::Sender::new(false),
        decisions: app.approvals().changes(),
    };
    tokio::spawn(driver.drive(input, commands));
}

struct Driver {
    app: Arc<App>,
    run: RunState,
    effects: JoinSet<Input>,
    /// The input to use for each effect if it panics.
    panicked: HashMap<Id, Input>,
    stopped: watch::Sender<bool>,
    decisions: watch::Receiver<u64>,
}

/// Reason for a driver to wake.
enum Woken {
    Command(Option<Command>),
    Effect(Input),
    Decision,
    Clock,
    Stopping,
}

impl Driver {
    async fn drive(mut self, input: Input, mut commands: mpsc::Receiver<Command>) {
        match self.take(input, Vec::new()).await {
            Ok(()) => self.attend(&mut commands).await,
            Err(error) => self.cannot_store(&error),
        }
        let _ = self.stopped.send(true);
        drop(commands);
        self.app.agent().close(&self.run.run_id);
    }

    async fn attend(&mut self, commands: &mut mpsc::Receiver<Command>) {
        let mut stopping = self.app.stopping();
        let mut read = None;
        while let Some(wake_in) = self.run.wake_in_ms(self.app.now_ms()) {
            // A decision made before the pause was written does not wake the run.
            let approval = self.run.pause.as_ref().and_then(|pause| pause.approval_id.clone());
            if approval.is_some() && approval != read {
                read = approval;
                if let Err(error) = self.read_approval().await {
                    return self.cannot_store(&error);
                }
                continue;
            }
            let sleep = Duration::from_millis(wake_in.clamp(1, LONGEST_SLEEP_MS));
            let woken = tokio::select! {
                biased;
                () = until_stopping(&mut stopping) => Woken::Stopping,
                command = commands.recv() => Woken::Command(command),
                Some(done) = self.effects.join_next_with_id() => match self.outcome(done) {
                    Some(input) => Woken::Effect(input),
                    None => continue,
                },
                Ok(()) = self.decisions.changed() => Woken::Decision,
                () = tokio::time::sleep(sleep) => Woken::Clock,
            };
            let taken = match woken {
                // The next daemon resumes what is in progress.
                Woken::Stopping | Woken::Command(None) => return,
                Woken::Command(Some(command)) => self.command(command).await,
                Woken::Effect(input) => self.take(input, Vec::new()).await,
                Woken::Decision => self.read_approval().await,
                Woken::Clock => self.take(Input::Clock, Vec::new()).await,
            };
            if let Err(error) = taken {
                return self.cannot_store(&error);
            }
        }
    }

    /// Reports a step that was not stored: the row is as it was before it, and the next daemon continues from there.
    fn cannot_store(&self, error: &StateError) {
        tracing::error!(%error, run = self.run.run_id, "cannot store a step of an agent run");
    }

    /// Returns the result of an effect; `None` for one that was aborted with its run.
    fn outcome(&mut self, done: Result<(Id, Input), JoinError>) -> Option<Input> {
        match done {
            Ok((id, input)) => {
                self.panicked.remove(&id);
                Some(input)
            }
            Err(error) => {
                let instead = self.panicked.remove(&error.id()).filter(|_| error.is_panic());
                if instead.is_some() {
                    tracing::error!(%error, run = self.run.run_id, "an effect of an agent run panicked");
                }
                instead
            }
        }
    }

    async fn command(&mut self, command: Command) -> Result<(), StateError> {
        let Command { input, leaves, pause_id, form, reply } = command;
        let waits = |id: &String| self.run.pause.as_ref().is_some_and(|pause| pause.pause_id == *id);
        if pause_id.as_ref().is_some_and(|id| !waits(id)) {
            let decided = Problem::new(
                ErrorCode::AlreadyDecided,
                "this pause was already answered, or its run has \
                    ended",
            );
            let _ = reply.send(Err(decided));
            return Ok(());
        }
        if *self.app.stopping().borrow() {
            let _ = reply.send(Err(Problem::new(ErrorCode::Busy, "the daemon is stopping")));
            return Ok(());
        }
        if let Some((mut form, by)) = form
            && let Err(problem) = form.keep_secrets(&self.app, &by).await
        {
            let _ = reply.send(Err(problem));
            return Ok(());
        }
        let taken = self.take(input, leaves).await;
        // The requester may be gone.
        let _ = reply.send(match &taken {
            Ok(()) => Ok(self.run.clone()),
            Err(error) => Err(error.to_problem()),
        });
        taken
    }

    /// Reads the decision of the approval that the run waits for, if it waits for one.
    async fn read_approval(&mut self) -> Result<(), StateError> {
        let pause = self.run.pause.clone().filter(|pause| pause.kind == PauseKind::Approval);
        let Some((pause_id, approval_id)) =
            pause.and_then(|pause| Some((pause.pause_id, pause.approval_id?)))
        else {
            return Ok(());
        };
        let state = Arc::clone(self.app.state());
        let approval = tokio::task::spawn_blocking(move || state.approvals().get(&approval_id)).await;
        let Ok(Ok(approval)) = approval else { return Ok(()) };
        let verdict = match approval.status {
            ApprovalStatus::Pending => return Ok(()),
            ApprovalStatus::Approved | ApprovalStatus::Used => Verdict::Yes,
            ApprovalStatus::Denied => Verdict::No,
            ApprovalStatus::Expired => Verdict::Expired,
        };
        self.take(Input::Decided { pause_id, verdict, by: approval.decided_by }, Vec::new()).await
    }

    /// Plans a step, writes it, and only then starts its effects.
    async fn take(&mut self, input: Input, leaves: Vec<NewEvent>) -> Result<(), StateError> {
        let Some(_permit) = self.app.begin_chore() else { return Ok(()) };
        let lock = self.app.agent().lock_of(&self.run.session_id);
        let _held = lock.lock().await;
        let (app, session_id) = (Arc::clone(&self.app), self.run.session_id.clone());
        let run = self.run.clone();
        let planned = tokio::task::spawn_blocking(move || {
            let session = sessions::find(app.state(), &session_id)?;
            let session = session.ok_or_else(|| sessions::gone(&session_id))?;
            let cards = cards::cards(app.state(), &session);
            let input = with_replaced(&app, &session_id, input);
            let plan = step(&run, input, World { now_ms: app.now_ms(), tools: &cards });
            Ok::<_, StateError>((session, plan))
        });
        let (mut session, mut plan) = match planned.await {
            Ok(planned) => planned?,
            Err(error) => return Err(sessions::broken(&error.to_string())),
        };
        if plan.run == self.run && leaves.is_empty() {
            return Ok(());
        }
        for effect in &plan.effects {
            if let Effect::Call { call_id } = effect {
                plan.run.name_run(call_id, self.app.sessions().new_id("run")?);
            }
        }
        write::write(&self.app, &mut session, &plan, leaves).await?;
        let Plan { run, effects, .. } = plan;
        self.run = run;
        for effect in effects {
            self.carry_out(effect, &session);
        }
        Ok(())
    }

    fn carry_out(&mut self, effect: Effect, session: &SessionState) {
        let (app, run, session) = (Arc::clone(&self.app), self.run.clone(), session.clone());
        let (task, instead) = match effect {
            Effect::Think => {
                let task = self.effects.spawn(think::think(app, session, run));
                (task, Input::ModelFailed { reason: INTERNAL.to_owned() })
            }
            Effect::Route => {
                let task = self.effects.spawn_blocking(move || {
                    let generation = *app.state().changes().borrow();
                    let cards = cards::cards(app.state(), &session);
                    let index = app.agent().index(generation, &cards);
                    Input::Routed(route::route(&index, &cards, &run.text, app.now_ms(), run.small_model))
                });
                (task, Input::ModelFailed { reason: INTERNAL.to_owned() })
            }
            Effect::Search { call_id, query } => {
                let id = call_id.clone();
                let task = self.effects.spawn_blocking(move || {
                    let generation = *app.state().changes().borrow();
                    let cards = cards::cards(app.state(), &session);
                    let index = app.agent().index(generation, &cards);
                    Input::ToolsFound { call_id, tools: route::search(&index, &cards, &query) }
                });
                (task, Input::ToolsFound { call_id: id, tools: Vec::new() })
            }
            Effect::Call { call_id } => {
                let Some(proposed) = run.call(&call_id).cloned() else { return };
                let (id, stopped) = (call_id.clone(), self.stopped.subscribe());
                let labels = call::possible_labels(&app, &proposed);
                let task = self.effects.spawn(async move {
                    let outcome = call::call(app, session, run, proposed, stopped).await;
                    Input::CallEnded { call_id, outcome }
                });
                let outcome = CallOutcome::Failed { tool_run_id: None, error: INTERNAL.to_owned(), labels };
                (task, Input::CallEnded { call_id: id, outcome })
            }
            Effect::Abort => {
                // A running call is cancelled and ends with its receipt; a model stream is dropped.
                let _ = self.stopped.send(true);
                self.effects.abort_all();
                return;
            }
        };
        self.panicked.insert(task.id(), instead);
    }
}

/// Adds the surfaces that new documents of the input replace, as they are when the step is planned.
fn with_replaced(app: &App, session_id: &str, mut input: Input) -> Input {
    let add = |outcome: &mut CallOutcome| {
        if let CallOutcome::Completed { document: Some(document), replaces, .. } = outcome {
            *replaces = surface(app, session_id, document.surface()).map(Box::new);
        }
    };
    match &mut input {
        Input::CallEnded { outcome, .. } => add(outcome),
        Input::Resume { found } => found.iter_mut().for_each(|(_, found)| {
            if let Found::Ended(outcome) = found {
                add(outcome);
            }
        }),
        _ => {}
    }
    input
}

fn surface(app: &App, session_id: &str, name: &str) -> Option<SurfaceState> {
    let bytes = app.sessions().surface(session_id, name).unwrap_or_else(|error| {
        tracing::error!(%error, "cannot read a surface");
        None
    })?;
    serde_json::from_slice(&bytes).ok()
}
