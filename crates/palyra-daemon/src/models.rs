//! Models of the agent: the provider of a record, and a test of it.

mod probe;

use std::sync::Arc;

use palyra_api::Problem;
use palyra_common::ErrorCode;
use palyra_common::capabilities::SecretRef;
use palyra_models::{HttpProvider, HttpProviderConfig, ProviderKey, RetryPolicy, Timeouts};
use palyra_state::State;
use palyra_state::models::ModelRecord;

pub(crate) use probe::probe;

use crate::app::App;
use crate::blocking::blocking;
use crate::problem::ToProblem;

/// Returns the provider of a model, with its key from the vault.
pub(crate) async fn provider_for(app: &Arc<App>, record: &ModelRecord) -> Result<HttpProvider, Problem> {
    let problem = |error: palyra_state::DefinitionError| error.to_problem();
    let guard = app.egress().map_err(|error| Problem::new(ErrorCode::Internal, error))?;
    let closed = || Problem::new(ErrorCode::CapabilityDenied, "this daemon has no network access");
    let guard = guard.ok_or_else(closed)?;
    let key = match record.key_reference().map_err(problem)? {
        None => None,
        Some(name) => {
            let state = Arc::clone(app.state());
            Some(blocking(move || read_key(&state, name)).await??)
        }
    };
    let config = HttpProviderConfig {
        protocol: record.protocol,
        endpoint: record.endpoint().map_err(problem)?,
        key,
        retries: RetryPolicy::default(),
        timeouts: Timeouts::default(),
    };
    Ok(HttpProvider::new(guard, config))
}

/// Reads the key from the vault; blocks the calling thread.
fn read_key(state: &State, name: SecretRef) -> Result<ProviderKey, Problem> {
    let found = state.vault().secrets().get(&name);
    match found.map_err(|error| Problem::new(ErrorCode::StateIo, error.to_string()))? {
        Some(value) => Ok(ProviderKey { value, name }),
        None => Err(Problem::new(ErrorCode::NotFound, format!("the secret `{name}` is not in the vault"))
            .hint(format!("run `palyra vault put {name}`"))),
    }
}
