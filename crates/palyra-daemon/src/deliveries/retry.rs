//! Retries a dead letter on request of a person.

use palyra_common::ErrorCode;
use std::sync::Arc;

use palyra_api::Problem;
use palyra_runner::HookAnswer;
use palyra_state::deliveries::{DeadLetter, DeliveryError};
use serde_json::json;

use super::sinks::{SendError, send};
use crate::app::App;
use crate::blocking::blocking;
use crate::problem::ToProblem;

/// A dead letter that was delivered, with the answer of the hook.
pub(crate) struct Retried {
    pub(crate) letter: DeadLetter,
    pub(crate) answer: Option<HookAnswer>,
}

/// Delivers a dead letter once, concurrently with its lane; a failure keeps the letter with the new reason.
///
/// The attempt is completed and recorded even if the caller is dropped.
pub(crate) async fn retry(app: &Arc<App>, letter: DeadLetter, principal: String) -> Result<Retried, Problem> {
    let app = Arc::clone(app);
    let attempt = tokio::spawn(async move { attempt(&app, letter, &principal).await });
    attempt.await.map_err(|error| Problem::new(ErrorCode::Internal, error.to_string()))?
}

async fn attempt(app: &Arc<App>, letter: DeadLetter, principal: &str) -> Result<Retried, Problem> {
    let (state, wanted) = (Arc::clone(app.state()), letter.clone());
    let find =
        move || Ok((state.deliveries().target(&wanted.lane)?, state.deliveries().dead_letter_item(&wanted)?));
    let (target, item) = blocking(find).await?.map_err(|error: DeliveryError| error.to_problem())?;
    app.deliveries().begin_retry(letter.letter).await.map_err(|error| error.to_problem())?;
    match send(app, &target, &item, false).await {
        Ok(answer) => {
            let recorded = app.deliveries().finish_retry(&letter, &item, principal).await;
            recorded.map_err(|error| error.to_problem())?;
            Ok(Retried { letter, answer })
        }
        Err(error) => {
            let noted = app.deliveries().note_retry_failure(letter.letter, &error.reason()).await;
            noted.map_err(|error| error.to_problem())?;
            Err(problem(&letter, &error))
        }
    }
}

fn problem(letter: &DeadLetter, error: &SendError) -> Problem {
    match error {
        SendError::Call(error) => error.to_problem(),
        SendError::State(error) => error.to_problem(),
        SendError::NotTaken(_) | SendError::Invalid(_) => {
            let reason = error.reason();
            Problem::new(ErrorCode::NotDelivered, format!("delivery failed: {reason}"))
                .details(json!({ "channel": letter.lane.name, "letter": letter.letter, "reason": reason }))
        }
    }
}
