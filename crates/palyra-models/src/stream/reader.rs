//! The body of a response, read into events without any I/O.

use super::sse::SseParser;
use super::{Decoder, Output, SseFrame};
use crate::error::ModelError;
use crate::event::ModelEvent;
use crate::protocol::Protocol;
use crate::request::ModelRequest;
use palyra_egress::Redactor;
use std::fmt;

/// Reads the body of one response, in pieces of any size.
pub struct AnswerReader {
    parser: SseParser,
    decoder: Box<dyn Decoder>,
    output: Output,
}

impl AnswerReader {
    /// Creates a reader for the answer to `request`; `redactor` masks its values in every event.
    pub fn new(protocol: Protocol, request: &ModelRequest, redactor: Redactor) -> Self {
        Self {
            parser: SseParser::default(),
            decoder: protocol.decoder(),
            output: Output::new(protocol, request, redactor),
        }
    }

    /// Reads bytes of an event stream and appends their events to `events`, also before an error.
    ///
    /// Bytes behind the end of the answer are ignored.
    pub fn push(&mut self, bytes: &[u8], events: &mut Vec<ModelEvent>) -> Result<(), ModelError> {
        let result = self.read(bytes);
        events.extend(self.output.take());
        result
    }

    /// Reads a response that is not streamed, and ends the answer.
    pub fn whole(&mut self, body: &[u8], events: &mut Vec<ModelEvent>) -> Result<(), ModelError> {
        let result = self.read_whole(body);
        events.extend(self.output.take());
        result
    }

    /// Ends the body; an answer that lacks its end is [`ModelError::Truncated`].
    pub fn finish(&mut self, events: &mut Vec<ModelEvent>) -> Result<(), ModelError> {
        let result = self.end();
        events.extend(self.output.take());
        result
    }

    /// Returns whether the answer has ended.
    pub fn is_finished(&self) -> bool {
        self.output.is_finished()
    }

    fn read(&mut self, bytes: &[u8]) -> Result<(), ModelError> {
        for byte in bytes {
            if self.is_finished() {
                return Ok(());
            }
            if let Some(frame) = self.parser.push(*byte)? {
                self.decoder.frame(&frame, &mut self.output)?;
            }
        }
        Ok(())
    }

    fn read_whole(&mut self, body: &[u8]) -> Result<(), ModelError> {
        let frame = SseFrame { number: 1, data: String::new() };
        let data = String::from_utf8(body.to_vec()).map_err(|_| frame.malformed("it is not UTF-8"))?;
        self.decoder.whole(&SseFrame { data, ..frame }, &mut self.output)?;
        self.end()
    }

    fn end(&mut self) -> Result<(), ModelError> {
        if self.is_finished() {
            return Ok(());
        }
        if let Some(frame) = self.parser.finish()? {
            self.decoder.frame(&frame, &mut self.output)?;
        }
        if self.is_finished() || self.decoder.end(&mut self.output)? {
            Ok(())
        } else {
            Err(ModelError::Truncated)
        }
    }
}

impl fmt::Debug for AnswerReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AnswerReader").field("output", &self.output).finish_non_exhaustive()
    }
}
