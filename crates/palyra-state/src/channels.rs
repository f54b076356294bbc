//! Channels: where messages of guests go once they are published.
//!
//! An operator defines a channel; a guest with a grant publishes to it. A message is a row before anybody is told, and
//! what tells others, a webhook or a file, has a cursor of its own.

mod define;
mod error;
mod messages;
mod record;

pub use error::ChannelError;
pub(crate) use messages::read_message;
pub use messages::{MessageSeal, PublishedMessage, publish};
pub use record::{ChannelKind, ChannelRecord};
