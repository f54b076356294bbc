//! The OpenAI-compatible chat completions protocol.

mod decode;
mod encode;

pub(crate) use decode::ChatDecoder;
pub(crate) use encode::encode;
