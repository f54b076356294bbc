//! Questions of a run, asked on the terminal. Whatever is not a clear yes is a no.

use super::events::Conversation;
use super::{form, show};
use crate::error::CliError;
use crate::terminal::Terminal;
use palyra_a2ui::{A2uiDocument, ComponentBody};
use palyra_api::ClientError;
use palyra_api::sessions::{FormSubmit, Pause, PauseAnswer, PauseDecision, PauseKind};

/// What a person types to stop the run.
const STOP: &str = "/stop";

/// The answer of the person; none if the run is to stop.
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
            let question = format!("{} [y/N] ", show::escaped(&pause.question));
            let Some(typed) = person.line_between(question).await? else { return Ok(Some(deny(pause))) };
            Ok(match typed.trim() {
                STOP => None,
                "y" | "Y" | "yes" => Some(approve(pause, None)),
                _ => Some(deny(pause)),
            })
        }
    }
}

/// A form that has all it needs takes one confirmation; one that lacks something is filled in first.
async fn fill_in(
    conversation: &Conversation<'_>,
    person: Terminal,
    pause: &Pause,
) -> Result<Option<PauseAnswer>, CliError> {
    let surface = pause.surface.as_deref().unwrap_or_default();
    let shown = conversation.client.surface(&conversation.session_id, surface).await?;
    let document = A2uiDocument::parse(&shown.document.to_string())
        .map_err(|error| ClientError::Protocol(format!("the form cannot be read {error}")))?;
    let found = document.components().iter().find_map(|component| match &component.body {
        ComponentBody::Form(form) => Some((component.id.clone(), form)),
        _ => None,
    });
    let Some((component_id, form)) = found else { return Ok(Some(deny(pause))) };
    let mut values = form::defaults(form);
    let mut edit = form::is_incomplete(form, &values) || form.fields.iter().any(form::wants_a_person);
    loop {
        if edit && !form::fill(person, form, &mut values).await? {
            return Ok(None);
        }
        let label = form.submit_label.as_deref().unwrap_or("Submit");
        let question = format!("{}? [y = yes, e = edit, N = no] ", show::escaped(label));
        let Some(typed) = person.line_between(question).await? else { return Ok(Some(deny(pause))) };
        match typed.trim() {
            STOP => return Ok(None),
            "e" | "E" => edit = true,
            "y" | "Y" | "yes" => {
                let submit = FormSubmit { rev: shown.rev, component_id, values: values.into() };
                return Ok(Some(approve(pause, Some(submit))));
            }
            _ => return Ok(Some(deny(pause))),
        }
    }
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
