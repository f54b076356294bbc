//! What every stream of events has: its bytes, its heartbeat, and one step after another.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures::Stream;
use serde::Serialize;

use crate::access::Principal;
use crate::app::App;

/// How often a quiet stream says that it is still there.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// Something that has more to say.
pub(super) trait Speaks: Send + 'static {
    /// What it says next; `None` at its end.
    fn next_bytes(&mut self) -> impl Future<Output = Option<Bytes>> + Send;
}

/// Its words as a body, for as long as whoever hears them would be let in; the heartbeat bounds how late that is seen.
pub(super) fn stream(
    app: Arc<App>,
    hearer: Principal,
    speaker: impl Speaks,
) -> impl Stream<Item = Result<Bytes, Infallible>> + Send {
    futures::stream::unfold((app, hearer, speaker), |(app, hearer, mut speaker)| async move {
        let bytes = speaker.next_bytes().await?;
        hearer.is_still_known(app.state()).then_some((Ok(bytes), (app, hearer, speaker)))
    })
}

/// Comes when nothing else did for a while.
pub(super) async fn heartbeat() -> Bytes {
    tokio::time::sleep(HEARTBEAT).await;
    Bytes::from_static(b": still here\n\n")
}

/// One event.
pub(super) fn event(name: &str, id: Option<u64>, data: &impl Serialize) -> Bytes {
    let data = serde_json::to_string(data).unwrap_or_default();
    let id = id.map(|id| format!("id: {id}\n")).unwrap_or_default();
    format!("{id}event: {name}\ndata: {data}\n\n").into()
}
