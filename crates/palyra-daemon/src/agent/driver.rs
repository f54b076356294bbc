//! The task of one run: for each input it computes a step, writes the plan, and starts the effects.

use std::sync::Arc;
use std::time::Duration;

use palyra_agent::{Effect, Input, Plan, RunState, SessionState, Verdict, World, step};
use palyra_api::Problem;
use palyra_api::sessions::PauseKind;
use palyra_common::ErrorCode;
use palyra_journal::NewEvent;
use palyra_state::{ApprovalStatus, StateError};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinSet;

use super::{call, cards, route, sessions, think, write};
use crate::app::{App, until_stopping};
use crate::problem::ToProblem;

/// Commands a run may be behind with.
const INBOX: usize = 16;
/// Maximum sleep, so that a clock that was set forward is noticed.
const LONGEST_SLEEP_MS: u64 = 60_000;

/// A request of a principal to a run.
pub(super) struct Command {
    pub(super) input: Input,
    /// Leaves to append in the same transaction.
    pub(super) leaves: Vec<NewEvent>,
    /// The pause that is answered; the command is refused if the run does not wait for it.
    pub(super) pause_id: Option<String>,
    pub(super) reply: oneshot::Sender<Result<RunState, Problem>>,
}

/// Begins the task of a run with its first input.
pub(super) fn begin(app: &Arc<App>, run: RunState, input: Input) -> Result<(), Problem> {
    let (inbox, commands) = mpsc::channel(INBOX);
    if !app.agent().open(&run.run_id, inbox) {
        return Err(Problem::new(ErrorCode::Busy, "too many agent runs are in progress or waiting"));
    }
    let driver = Driver {
        app: Arc::clone(app),
        run,
        effects: JoinSet::new(),
        stopped: watch::Sender::new(false),
        decisions: app.state().approvals().changes(),
    };
    tokio::spawn(driver.drive(input, commands));
    Ok(())
}

struct Driver {
    app: Arc<App>,
    run: RunState,
    effects: JoinSet<Input>,
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
        if let Err(error) = self.take(input, Vec::new()).await {
            tracing::error!(%error, run = self.run.run_id, "cannot store a step of an agent run");
        } else {
            self.attend(&mut commands).await;
        }
        let _ = self.stopped.send(true);
        self.app.agent().close(&self.run.run_id);
    }

    async fn attend(&mut self, commands: &mut mpsc::Receiver<Command>) {
        let mut stopping = self.app.stopping();
        while let Some(wake_in) = self.run.wake_in_ms(self.app.now_ms()) {
            let sleep = Duration::from_millis(wake_in.clamp(1, LONGEST_SLEEP_MS));
            let woken = tokio::select! {
                biased;
                () = until_stopping(&mut stopping) => Woken::Stopping,
                command = commands.recv() => Woken::Command(command),
                Some(done) = self.effects.join_next() => match done {
                    Ok(input) => Woken::Effect(input),
                    Err(error) if error.is_cancelled() => continue,
                    Err(error) => Woken::Effect(Input::ModelFailed { reason: error.to_string() }),
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
                // The row is as it was before the step: the next daemon goes on from there.
                tracing::error!(%error, run = self.run.run_id, "cannot store a step of an agent run");
                return;
            }
        }
    }

    async fn command(&mut self, command: Command) -> Result<(), StateError> {
        let Command { input, leaves, pause_id, reply } = command;
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
        match effect {
            Effect::Think => {
                self.effects.spawn(think::think(app, session, run));
            }
            Effect::Route => {
                self.effects.spawn_blocking(move || {
                    let cards = cards::cards(app.state(), &session);
                    Input::Routed(route::route(&cards, &run.text, app.now_ms(), run.small_model))
                });
            }
            Effect::Search { call_id, query } => {
                self.effects.spawn_blocking(move || {
                    let cards = cards::cards(app.state(), &session);
                    Input::ToolsFound { call_id, tools: route::search(&cards, &query) }
                });
            }
            Effect::Call { call_id } => {
                let Some(proposed) = run.call(&call_id).cloned() else { return };
                let stopped = self.stopped.subscribe();
                self.effects.spawn(async move {
                    let outcome = call::call(app, session, run, proposed, stopped).await;
                    Input::CallEnded { call_id, outcome }
                });
            }
            Effect::Abort => {
                // A running call is cancelled and ends with its receipt; a model stream is dropped.
                let _ = self.stopped.send(true);
                self.effects.abort_all();
            }
        }
    }
}
