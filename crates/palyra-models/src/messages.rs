//! The Messages API of Anthropic.

mod decode;
mod encode;

pub(crate) use decode::MessagesDecoder;
pub(crate) use encode::encode;
