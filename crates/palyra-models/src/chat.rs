//! OpenAI-compatible chat completions.

mod decode;
mod encode;

pub(crate) use decode::ChatDecoder;
pub(crate) use encode::encode;
