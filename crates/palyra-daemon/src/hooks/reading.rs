//! Reading the journal and the cursors, off the async workers.

use std::collections::BTreeMap;
use std::sync::Arc;

use palyra_journal::{EventKind, Page, Query};
use palyra_state::hooks::HookCursor;
use palyra_state::{State, StateError};

/// Events read at once.
const PAGE: usize = 500;

/// Events of some kinds from a place on.
pub(super) async fn read_page(
    state: &Arc<State>,
    from: u64,
    kinds: Vec<EventKind>,
) -> Result<Page, StateError> {
    let query = Query { from_sequence: Some(from), kinds, limit: PAGE, ..Query::default() };
    blocking(state, move |state| Ok(state.journal().query(&query)?)).await
}

/// How far every observer has come.
pub(super) async fn read_cursors(state: &Arc<State>) -> Result<BTreeMap<String, HookCursor>, StateError> {
    blocking(state, |state| Ok(state.hook_cursors()?.into_iter().collect())).await
}

async fn blocking<T: Send + 'static>(
    state: &Arc<State>,
    work: impl FnOnce(&State) -> Result<T, StateError> + Send + 'static,
) -> Result<T, StateError> {
    let state = Arc::clone(state);
    match tokio::task::spawn_blocking(move || work(&state)).await {
        Ok(done) => done,
        Err(error) => std::panic::resume_unwind(error.into_panic()),
    }
}
