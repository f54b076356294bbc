//! Lanes, their cursors and dead letters; the routes of hooks and channels have shapes of their own.

use palyra_api::channels::ChannelDeadLetter;
use palyra_api::deliveries as api;
use palyra_api::hooks;
use palyra_state::deliveries::{DeadLetter, LaneKey, LaneKind};

use super::ToApi;

convert_variants! {
    LaneKind => api::LaneKind { Hook, Channel }
}

impl ToApi for DeadLetter {
    type Api = api::DeliveryDeadLetter;

    fn to_api(&self) -> api::DeliveryDeadLetter {
        let Self { letter, lane: LaneKey { kind, name }, item, event, attempts, reason, at_ms } =
            self.clone();
        let kind = kind.to_api();
        api::DeliveryDeadLetter { letter, kind, lane: name, item, event, attempts, reason, at_ms }
    }
}

/// Converts a dead letter of an observer to the form of `/v1/hooks/dead-letters`.
pub(crate) fn hook_letter(letter: DeadLetter) -> hooks::DeadLetter {
    let DeadLetter { letter, lane, item, event, attempts, reason, at_ms } = letter;
    let event = event.unwrap_or_default();
    hooks::DeadLetter { letter, binding: lane.name, sequence: item, event, attempts, reason, at_ms }
}

/// Converts a dead letter of a channel to the form of `/v1/channels/{name}/dead-letters`.
pub(crate) fn channel_letter(letter: DeadLetter) -> ChannelDeadLetter {
    let DeadLetter { letter, lane, item, event: _, attempts, reason, at_ms } = letter;
    ChannelDeadLetter { letter, channel: lane.name, message: item, attempts, reason, at_ms }
}
