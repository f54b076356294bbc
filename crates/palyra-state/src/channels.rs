//! Channels: destinations of the messages that guests publish.
//!
//! An operator defines a channel; a guest with a grant publishes to it. A message is committed before its delivery,
//! and each webhook or file has a cursor.

mod define;
mod messages;
mod record;

pub(crate) use messages::{KEPT, read_message};
pub use messages::{MessageSeal, PublishedMessage, publish};
pub use record::{ChannelKind, ChannelRecord};

crate::state::store! {
    /// Defines the channels of a state and stores the messages published to them.
    ChannelStore, channels
}
