//! Converts a channel to its API type, with the progress of its delivery.

use palyra_api::channels::Channel;
use palyra_state::channels::{ChannelKind, ChannelRecord};
use palyra_state::deliveries::LaneKey;

use super::super::answer::Failure;
use crate::app::App;
use crate::to_api::{ToApi, channel_letter};

/// Maximum number of dead letters in the report about a channel.
const LETTERS: usize = 20;

pub(super) fn show_channel(app: &App, channel: &ChannelRecord) -> Result<Channel, Failure> {
    let cursor = channel.kind.is_delivered().then(|| app.channels().cursor(channel)).transpose()?;
    let dead_letters = app.deliveries().dead_letters(&LaneKey::channel(&channel.name).into(), LETTERS)?;
    let ChannelRecord { name, kind, since: _ } = channel;
    let mut shown = Channel {
        name: name.clone(),
        to: kind.word().into(),
        path: None,
        url: None,
        secret: None,
        allow_addresses: Vec::new(),
        cursor: cursor.to_api(),
        dead_letters: dead_letters.into_iter().map(channel_letter).collect(),
    };
    match kind {
        ChannelKind::Console => {}
        ChannelKind::File { path } => shown.path = Some(path.display().to_string()),
        ChannelKind::Webhook { url, secret, allow_addresses, timeout_ms: _ } => {
            shown.url = Some(url.clone());
            shown.secret = Some(secret.clone());
            shown.allow_addresses = allow_addresses.iter().map(ToString::to_string).collect();
        }
    }
    Ok(shown)
}
