//! From the bytes of a response to events: frames, the protocol's decoder, and what its output passes through.

mod fenced;
mod masked;
mod output;
mod partial_calls;
mod reader;
mod sse;

pub use reader::AnswerReader;

pub(crate) use output::Output;
pub(crate) use partial_calls::PartialCalls;
pub(crate) use sse::SseFrame;

use crate::error::ModelError;

/// Turns the frames of one protocol into output.
pub(crate) trait Decoder: Send {
    /// Reads a frame of an event stream.
    fn frame(&mut self, frame: &SseFrame, output: &mut Output) -> Result<(), ModelError>;

    /// Reads an answer that came whole, because the server does not stream.
    fn whole(&mut self, body: &SseFrame, output: &mut Output) -> Result<(), ModelError>;

    /// Ends the answer if the provider said everything that matters; `false` when something is missing.
    fn end(&mut self, output: &mut Output) -> Result<bool, ModelError>;
}
