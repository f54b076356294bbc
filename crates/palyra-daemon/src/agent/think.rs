//! One request to the model: sends the conversation, passes on parts of the answer, and returns the whole.

use std::sync::Arc;

use futures::StreamExt;
use palyra_agent::{Input, RunState, SessionState, SmallForm, model_request, small_request};
use palyra_api::Problem;
use palyra_api::sessions::{SessionEvent, SessionEventBody};
use palyra_common::redact::escape_untrusted;
use palyra_models::{Message, ModelAnswer, ModelError, ModelEvent, ModelProvider, ModelRequest, Usage};

use super::{cards, route};
use crate::app::App;
use crate::models::provider_for;
use crate::problem::ToProblem;

/// Maximum number of earlier runs in the conversation that a model reads.
const HISTORY_RUNS: usize = 30;
/// Maximum size of an answer in bytes, in addition to the limits of the adapters.
const MAX_ANSWER_BYTES: usize = 1 << 20;

/// A provider, and the name of the model in its requests.
#[derive(Clone)]
pub struct ModelSource {
    pub(super) model: String,
    pub(super) provider: Arc<dyn ModelProvider>,
    pub(super) small: bool,
}

/// Requests the next answer of a run from its model.
pub(super) async fn think(app: Arc<App>, session: SessionState, run: RunState) -> Input {
    let asked = match asked(&app, &run).await {
        Ok(asked) => asked,
        Err(problem) => return Input::ModelFailed { reason: problem.detail },
    };
    // The second attempt offers the tools themselves, because the server of a small model may ignore the schema.
    let form = run.small_model.then_some(match run.invalid_answers {
        0 => SmallForm::Json,
        _ => SmallForm::Tools,
    });
    let answered = match answer(&app, &session, &run, &asked, form).await {
        Err(Unanswered::Model(ModelError::Refused { .. })) if form == Some(SmallForm::Json) => {
            answer(&app, &session, &run, &asked, Some(SmallForm::Tools)).await
        }
        answered => answered,
    };
    match answered {
        Ok(answer) => Input::Answered(Box::new(answer)),
        Err(error) => Input::ModelFailed { reason: error.to_string() },
    }
}

/// Reason why a model gave no answer.
#[derive(Debug, thiserror::Error)]
enum Unanswered {
    #[error(transparent)]
    Model(#[from] ModelError),
    #[error("the request cannot be made: {0}")]
    Request(#[from] tokio::task::JoinError),
}

/// Builds the request for the next answer of a run.
async fn request(
    app: &Arc<App>,
    session: &SessionState,
    run: &RunState,
    small: Option<SmallForm>,
) -> Result<ModelRequest, Unanswered> {
    let (app, session, run) = (Arc::clone(app), session.clone(), run.clone());
    let made = tokio::task::spawn_blocking(move || {
        let generation = *app.state().changes().borrow();
        let cards = cards::cards(app.state(), &session);
        if let Some(form) = small {
            let card = |tool_id: &str| cards.iter().find(|card| card.tool_id == tool_id);
            let ranked: Vec<_> =
                run.candidates.iter().filter_map(|candidate| card(&candidate.tool_id)).collect();
            return small_request(&run, &ranked, form);
        }
        let (shown, more) = route::select(|| app.agent().index(generation, &cards), &cards, &run);
        model_request(&run, &history(&app, &run), &shown, more)
    });
    Ok(made.await?)
}

/// Collects the answer of the model. Its pieces are forwarded as they arrive, except those of a small model.
async fn answer(
    app: &Arc<App>,
    session: &SessionState,
    run: &RunState,
    asked: &Asked,
    small: Option<SmallForm>,
) -> Result<ModelAnswer, Unanswered> {
    let (model, max_output_tokens) = (asked.model.clone(), asked.max_output_tokens);
    let request = ModelRequest { model, max_output_tokens, ..request(app, session, run, small).await? };
    let asked_bytes = request_bytes(&request);
    let mut stream = asked.provider.stream(request);
    let mut answer = ModelAnswer::default();
    let mut reasoned = 0;
    while let Some(event) = stream.next().await {
        let event = event?;
        match &event {
            ModelEvent::Text(text) if !run.small_model => pass_on(app, run, answer.text.len(), text, false),
            ModelEvent::Reasoning(text) => {
                pass_on(app, run, reasoned, text, true);
                reasoned += text.len();
            }
            _ => {}
        }
        let finished = matches!(event, ModelEvent::Finished(_));
        answer.apply(event);
        let calls: usize = answer.tool_calls.iter().map(|call| call.arguments.len() + call.name.len()).sum();
        if answer.text.len() + answer.reasoning.len() + calls > MAX_ANSWER_BYTES {
            let (what, allowed) = ("answer bytes", MAX_ANSWER_BYTES as u64);
            return Err(ModelError::LimitReached { what, allowed }.into());
        }
        if finished {
            let answered_bytes = answer.text.len() + answer.reasoning.len() + calls;
            let reported = answer.usage.filter(|usage| usage.input_tokens > 0 || usage.output_tokens > 0);
            answer.usage = Some(reported.unwrap_or_else(|| estimated_usage(asked_bytes, answered_bytes)));
            return Ok(answer);
        }
    }
    Err(ModelError::Truncated.into())
}

/// Estimates the usage of a request whose provider reports none, so that the token budget of the run still ends it.
fn estimated_usage(asked_bytes: usize, answered_bytes: usize) -> Usage {
    const BYTES_OF_A_TOKEN: u64 = 4;
    let tokens = |bytes: usize| (bytes as u64).div_ceil(BYTES_OF_A_TOKEN);
    Usage { input_tokens: tokens(asked_bytes), output_tokens: tokens(answered_bytes), ..Usage::default() }
}

fn request_bytes(request: &ModelRequest) -> usize {
    let tools = request.tools.iter().map(|tool| tool.description.len() + tool.input_schema.as_str().len());
    request.system.len() + request.messages.iter().map(Message::size).sum::<usize>() + tools.sum::<usize>()
}

/// The provider to call with its parameters.
struct Asked {
    provider: Arc<dyn ModelProvider>,
    model: String,
    max_output_tokens: Option<u32>,
}

/// Returns the provider of the run's model, with its current key from the vault.
async fn asked(app: &Arc<App>, run: &RunState) -> Result<Asked, Problem> {
    let name = run.model.clone().unwrap_or_default();
    if let Some(ModelSource { provider, .. }) = app.agent().model() {
        return Ok(Asked { provider, model: name, max_output_tokens: None });
    }
    let record = app.models().get(&name).map_err(|error| error.to_problem())?;
    let provider = Arc::new(provider_for(app, &record).await?);
    Ok(Asked { provider, model: record.model, max_output_tokens: record.max_output_tokens })
}

/// Returns the name of the session's model: its own, or the default; `None` selects the local router.
pub(super) fn model_name(app: &App, session: &SessionState) -> Option<String> {
    let default = || match app.agent().model() {
        Some(source) => Some(source.model),
        None => app.models().default_name(),
    };
    session.model.clone().or_else(default)
}

/// Returns whether a model only fills in arguments of tools that the router ranks.
pub(super) fn is_small(app: &App, name: &str) -> bool {
    match app.agent().model() {
        Some(source) => source.small,
        None => app.models().get(name).is_ok_and(|record| record.small),
    }
}

fn pass_on(app: &App, run: &RunState, offset: usize, text: &str, reasoning: bool) {
    let body = SessionEventBody::MessageDelta {
        // The message gets the next number of the run.
        message_id: format!("msg_{}", run.next_number),
        offset: offset as u64,
        text: escape_untrusted_lines(text),
        reasoning,
    };
    let event = SessionEvent { number: None, at_ms: app.now_ms(), run_id: run.run_id.clone(), body };
    app.agent().hub().passing(&run.session_id, event);
}

/// Escapes text of a model for terminals, preserving line breaks.
pub(super) fn escape_untrusted_lines(text: &str) -> String {
    text.split('\n').map(escape_untrusted).collect::<Vec<_>>().join("\n")
}

/// Returns the conversation of earlier runs of the session, oldest first; unreadable runs are skipped.
fn history(app: &App, run: &RunState) -> Vec<Message> {
    let rows = app.sessions().runs_of(&run.session_id, Some(&run.run_id), HISTORY_RUNS);
    let rows = rows.unwrap_or_else(|error| {
        tracing::error!(%error, "cannot read the history of a session");
        Vec::new()
    });
    let read = |bytes: &Vec<u8>| serde_json::from_slice::<RunState>(bytes).ok();
    // The columns for queries are not covered by the MAC: a run of another session must not enter the conversation.
    let own = |earlier: &RunState| earlier.session_id == run.session_id;
    rows.iter().rev().filter_map(read).filter(own).flat_map(|earlier| earlier.messages).collect()
}
