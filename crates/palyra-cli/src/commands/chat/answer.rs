//! Asks the questions of a run on the terminal. Every answer except a clear yes is a denial.

use super::events::Conversation;
use crate::error::CliError;
use crate::forms::{Filled, ShownForm, escaped};
use crate::terminal::Terminal;
use palyra_api::sessions::{FormSubmit, Pause, PauseAnswer, PauseDecision, PauseKind};

/// Input that stops the run.
pub(super) const STOP: &str = "/stop";

/// Asks the user; returns `None` if the run has to be stopped.
pub(super) async fn ask(
    conversation: &Conversation<'_>,
    person: Terminal,
    pause: &Pause,
) -> Result<Option<PauseAnswer>, CliError> {
    match pause.kind {
        PauseKind::Form => fill_in(conversation, person, pause).await,
        PauseKind::Approval | PauseKind::Question => {
            if let (Some(tool), Some(arguments)) = (&pause.tool_id, &pause.arguments) {
                conversation.note(format!("`{tool}` with {arguments}"));
            }
            let question = format!("{} [y/N] ", escaped(&pause.question));
            let Some(typed) = person.line_between(question).await? else { return Ok(Some(deny(pause))) };
            Ok(match typed.trim() {
                STOP => None,
                "y" | "Y" | "yes" => Some(approve(pause, None)),
                _ => Some(deny(pause)),
            })
        }
    }
}

async fn fill_in(
    conversation: &Conversation<'_>,
    person: Terminal,
    pause: &Pause,
) -> Result<Option<PauseAnswer>, CliError> {
    let surface = pause.surface.as_deref().unwrap_or_default();
    let shown = conversation.client.surface(&conversation.session_id, surface).await?;
    let Some(form) = ShownForm::of(&shown.document)? else { return Ok(Some(deny(pause))) };
    Ok(match form.fill_in(person, conversation.printer, shown.rev).await? {
        Filled::Submit(submit) => Some(approve(pause, Some(submit))),
        Filled::No => Some(deny(pause)),
        Filled::Stop => None,
    })
}

fn approve(pause: &Pause, submit: Option<FormSubmit>) -> PauseAnswer {
    PauseAnswer {
        decision: PauseDecision::Approve,
        bound_to: pause.bound_to.clone(),
        submit,
        reason: None,
        owner_present: true,
    }
}

fn deny(pause: &Pause) -> PauseAnswer {
    PauseAnswer { decision: PauseDecision::Deny, ..approve(pause, None) }
}
