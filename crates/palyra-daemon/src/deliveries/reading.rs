//! Reads the journal, messages and cursors outside of the async workers.

use std::sync::Arc;

use palyra_journal::{EventKind, Page, Query};
use palyra_state::deliveries::{LaneItem, LaneTarget};
use palyra_state::{State, StateError};

/// Maximum number of events per read.
const EVENTS: usize = 500;
/// Maximum number of messages per read; their bodies are held in memory.
const MESSAGES: usize = 32;

/// Reads events of some kinds, starting at a sequence number.
pub(super) async fn read_page(
    state: &Arc<State>,
    from: u64,
    kinds: Vec<EventKind>,
) -> Result<Page, StateError> {
    let query = Query { from_sequence: Some(from), kinds, limit: EVENTS, ..Query::default() };
    blocking(state, move |state| Ok(state.journal().query(&query)?)).await
}

/// Reads items that may be for a lane, and the number at which to continue; events from `scanned` on are left to the
/// next scan.
pub(super) async fn read_items(
    state: &Arc<State>,
    target: &LaneTarget,
    from: u64,
    scanned: u64,
) -> Result<(Vec<LaneItem>, Option<u64>), StateError> {
    match target {
        LaneTarget::Hook(binding) => {
            let page = read_page(state, from, binding.event.journalled_as().to_vec()).await?;
            let next = page.next.as_ref().and_then(|query| query.from_sequence);
            let events = page.events.into_iter().filter(|event| event.leaf.sequence < scanned);
            let items = events.map(|event| LaneItem::Event(Arc::new(event))).collect();
            Ok((items, next.filter(|next| *next < scanned)))
        }
        LaneTarget::Channel(channel) => {
            let name = channel.name.clone();
            let messages =
                blocking(state, move |state| state.channels().messages(&name, from, MESSAGES)).await?;
            let next = messages.last().filter(|_| messages.len() == MESSAGES).map(|last| last.id + 1);
            Ok((messages.into_iter().map(|message| LaneItem::Message(Arc::new(message))).collect(), next))
        }
    }
}

/// Runs blocking work with the state outside of the async workers.
pub(super) async fn blocking<T: Send + 'static>(
    state: &Arc<State>,
    work: impl FnOnce(&State) -> Result<T, StateError> + Send + 'static,
) -> Result<T, StateError> {
    let state = Arc::clone(state);
    match tokio::task::spawn_blocking(move || work(&state)).await {
        Ok(done) => done,
        Err(error) => std::panic::resume_unwind(error.into_panic()),
    }
}
