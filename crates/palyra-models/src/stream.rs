//! Converts the bytes of a response to events: frames, the decoder of the protocol, and the checks of its output.

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

/// Converts the frames of one protocol to output.
pub(crate) trait Decoder: Send {
    /// Processes a frame of an event stream.
    fn frame(&mut self, frame: &SseFrame, output: &mut Output) -> Result<(), ModelError>;

    /// Processes a complete response of a server that does not stream.
    fn whole(&mut self, body: &SseFrame, output: &mut Output) -> Result<(), ModelError>;

    /// Ends the response if the provider sent everything required. Returns `false` if something is missing.
    fn end(&mut self, output: &mut Output) -> Result<bool, ModelError>;
}
