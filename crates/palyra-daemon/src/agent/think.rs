//! One request to the model: the conversation goes out, pieces of the answer are passed on, the whole comes back.

use std::sync::Arc;

use futures::StreamExt;
use palyra_agent::{Input, RunState, SessionState, model_request};
use palyra_api::Problem;
use palyra_api::sessions::{SessionEvent, SessionEventBody};
use palyra_common::redact::escape_untrusted;
use palyra_models::{Message, ModelAnswer, ModelEvent, ModelProvider, ModelRequest};

use super::{cards, route};
use crate::app::App;
use crate::models::provider_for;
use crate::problem::ToProblem;

/// Earlier runs whose conversation a model reads.
const HISTORY_RUNS: usize = 30;
/// Longest answer that is taken, whatever an adapter lets through.
const MAX_ANSWER_BYTES: usize = 1 << 20;

/// A provider, and the name of the model it is asked for.
#[derive(Clone)]
pub struct ModelSource {
    pub(super) model: String,
    pub(super) provider: Arc<dyn ModelProvider>,
}

/// Asks the model for the next answer of a run.
pub(super) async fn think(app: Arc<App>, session: SessionState, run: RunState) -> Input {
    let asked = match asked(&app, &run).await {
        Ok(asked) => asked,
        Err(problem) => return Input::ModelFailed { reason: problem.detail },
    };
    let request = {
        let (app, session, run) = (Arc::clone(&app), session.clone(), run.clone());
        let made = tokio::task::spawn_blocking(move || {
            let cards = cards::cards(app.state(), &session);
            let (shown, more) = route::select(&cards, &run);
            model_request(&run, &history(&app, &run), &shown, more)
        });
        match made.await {
            Ok(request) => {
                let (model, max_output_tokens) = (asked.model, asked.max_output_tokens);
                ModelRequest { model, max_output_tokens, ..request }
            }
            Err(error) => return Input::ModelFailed { reason: error.to_string() },
        }
    };
    let mut stream = asked.provider.stream(request);
    let mut answer = ModelAnswer::default();
    let mut reasoned = 0;
    while let Some(event) = stream.next().await {
        let event = match event {
            Ok(event) => event,
            Err(error) => return Input::ModelFailed { reason: error.to_string() },
        };
        match &event {
            ModelEvent::Text(text) => pass_on(&app, &run, answer.text.len(), text, false),
            ModelEvent::Reasoning(text) => {
                pass_on(&app, &run, reasoned, text, true);
                reasoned += text.len();
            }
            _ => {}
        }
        let finished = matches!(event, ModelEvent::Finished(_));
        answer.apply(event);
        let calls: usize = answer.tool_calls.iter().map(|call| call.arguments.len() + call.name.len()).sum();
        if answer.text.len() + answer.reasoning.len() + calls > MAX_ANSWER_BYTES {
            return Input::ModelFailed {
                reason: format!("the answer is longer than {MAX_ANSWER_BYTES} bytes"),
            };
        }
        if finished {
            return Input::Answered(Box::new(answer));
        }
    }
    Input::ModelFailed { reason: "the model closed its answer before it was complete".to_owned() }
}

/// Who is asked, and for what.
struct Asked {
    provider: Arc<dyn ModelProvider>,
    model: String,
    max_output_tokens: Option<u32>,
}

/// The provider of the run's model, with its key as the vault has it now.
async fn asked(app: &Arc<App>, run: &RunState) -> Result<Asked, Problem> {
    let name = run.model.clone().unwrap_or_default();
    if let Some(ModelSource { provider, .. }) = app.agent().model() {
        return Ok(Asked { provider, model: name, max_output_tokens: None });
    }
    let record = app.state().models().get(&name).map_err(|error| error.to_problem())?;
    let provider = Arc::new(provider_for(app, &record).await?);
    Ok(Asked { provider, model: record.model, max_output_tokens: record.max_output_tokens })
}

/// The name of the model that answers in a session: its own, or the default; none leaves it to the local router.
pub(super) fn model_name(app: &App, session: &SessionState) -> Option<String> {
    let default = || match app.agent().model() {
        Some(source) => Some(source.model),
        None => app.state().models().default_name(),
    };
    session.model.clone().or_else(default)
}

fn pass_on(app: &App, run: &RunState, offset: usize, text: &str, reasoning: bool) {
    let body = SessionEventBody::MessageDelta {
        // The message will have the next number of the run.
        message_id: format!("msg_{}", run.next_number),
        offset: offset as u64,
        text: escape_untrusted_lines(text),
        reasoning,
    };
    let event = SessionEvent { number: None, at_ms: app.now_ms(), run_id: run.run_id.clone(), body };
    app.agent().hub().passing(&run.session_id, event);
}

/// Text of a model without what a terminal obeys; its line breaks stay.
pub(super) fn escape_untrusted_lines(text: &str) -> String {
    text.split('\n').map(escape_untrusted).collect::<Vec<_>>().join("\n")
}

/// The conversation of earlier runs of the session, oldest first; a run that cannot be read is left out.
fn history(app: &App, run: &RunState) -> Vec<Message> {
    let rows = app.state().sessions().runs_of(&run.session_id, Some(&run.run_id), HISTORY_RUNS);
    let rows = rows.unwrap_or_else(|error| {
        tracing::error!(%error, "the history of a session cannot be read");
        Vec::new()
    });
    let read = |bytes: &Vec<u8>| serde_json::from_slice::<RunState>(bytes).ok();
    rows.iter().rev().filter_map(read).flat_map(|earlier| earlier.messages).collect()
}
