//! Parses server-sent events from a byte stream into frames, under a byte limit.

use crate::error::ModelError;
use crate::limits::MAX_FRAME_BYTES;
use serde::de::DeserializeOwned;

/// One event of the stream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct SseFrame {
    /// Its position in the stream, from 1.
    pub(crate) number: u64,
    /// Its data lines, joined by line feeds.
    pub(crate) data: String,
}

impl SseFrame {
    /// Reads the data as JSON.
    pub(crate) fn json<T: DeserializeOwned>(&self) -> Result<T, ModelError> {
        serde_json::from_str(&self.data).map_err(|error| self.malformed(error.to_string()))
    }

    pub(crate) fn malformed(&self, reason: impl Into<String>) -> ModelError {
        ModelError::MalformedFrame { frame: self.number, reason: reason.into() }
    }
}

/// Splits a stream of bytes into frames; only data lines are kept, because the protocols repeat an event's name in
/// its data.
#[derive(Debug, Default)]
pub(crate) struct SseParser {
    line: Vec<u8>,
    data: Vec<u8>,
    has_data: bool,
    /// The last byte was a carriage return, so a line feed next belongs to it.
    after_return: bool,
    lines: u64,
    frames: u64,
}

impl SseParser {
    /// Reads the next byte; a frame is complete at the empty line behind it.
    pub(crate) fn push(&mut self, byte: u8) -> Result<Option<SseFrame>, ModelError> {
        let second_half = std::mem::take(&mut self.after_return) && byte == b'\n';
        match byte {
            b'\n' if second_half => Ok(None),
            b'\r' | b'\n' => {
                self.after_return = byte == b'\r';
                self.end_line()
            }
            _ if self.line.len() + self.data.len() >= MAX_FRAME_BYTES => {
                Err(ModelError::LimitReached { what: "frame bytes", allowed: MAX_FRAME_BYTES as u64 })
            }
            _ => {
                self.line.push(byte);
                Ok(None)
            }
        }
    }

    /// Returns the last frame of a stream that ends without an empty line.
    pub(crate) fn finish(&mut self) -> Result<Option<SseFrame>, ModelError> {
        if !self.line.is_empty() {
            self.end_line()?;
        }
        self.end_frame()
    }

    fn end_line(&mut self) -> Result<Option<SseFrame>, ModelError> {
        let mut line = std::mem::take(&mut self.line);
        self.lines += 1;
        if self.lines == 1 && line.starts_with("\u{feff}".as_bytes()) {
            line.drain(..3);
        }
        if line.is_empty() {
            return self.end_frame();
        }
        let value = match line.strip_prefix(b"data") {
            Some([b':', b' ', value @ ..] | [b':', value @ ..]) => value,
            Some([]) => &[],
            _ => return Ok(None),
        };
        if self.has_data {
            self.data.push(b'\n');
        }
        self.has_data = true;
        self.data.extend_from_slice(value);
        Ok(None)
    }

    fn end_frame(&mut self) -> Result<Option<SseFrame>, ModelError> {
        let data = std::mem::take(&mut self.data);
        if !std::mem::take(&mut self.has_data) {
            return Ok(None);
        }
        self.frames += 1;
        let number = self.frames;
        match String::from_utf8(data) {
            Ok(data) => Ok(Some(SseFrame { number, data })),
            Err(_) => Err(ModelError::MalformedFrame { frame: number, reason: "it is not UTF-8".to_owned() }),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    fn frames(bytes: &[u8]) -> Vec<String> {
        let mut parser = SseParser::default();
        let mut frames: Vec<SseFrame> = bytes.iter().filter_map(|byte| parser.push(*byte).unwrap()).collect();
        frames.extend(parser.finish().unwrap());
        frames.into_iter().map(|frame| frame.data).collect()
    }

    #[test]
    fn frames_end_at_empty_lines_of_every_kind() {
        for end in ["\n", "\r\n", "\r"] {
            let text = "data: a\ndata:b\n\n: comment\nevent: x\ndata:  c\n\n\n\nid: 1\n\ndata\n\ndata: last";
            let expected = ["a\nb", " c", "", "last"];
            assert_eq!(frames(text.replace('\n', end).as_bytes()), expected, "{end:?}");
        }
        assert_eq!(frames("\u{feff}data: a\n\n".as_bytes()), ["a"]);
        assert_eq!(frames(b"{\"no\": \"stream\"}"), Vec::<String>::new());
    }

    #[test]
    fn frame_over_the_limit_is_an_error_before_it_is_kept() {
        let mut parser = SseParser::default();
        let endless = std::iter::repeat_n(b'x', MAX_FRAME_BYTES * 2);
        let mut results = b"data: ".iter().copied().chain(endless).map(|byte| parser.push(byte));
        let error = results.find_map(Result::err).unwrap();
        assert!(matches!(error, ModelError::LimitReached { what: "frame bytes", .. }));

        let mut parser = SseParser::default();
        let lines = std::iter::repeat_n(*b"data:x\n", MAX_FRAME_BYTES).flatten();
        let mut results = lines.map(|byte| parser.push(byte));
        assert!(results.find_map(Result::err).is_some());
    }

    #[test]
    fn frame_that_is_not_utf8_is_named_by_its_number() {
        let mut parser = SseParser::default();
        let error = b"data: a\n\ndata: \xff\n\n".iter().find_map(|byte| parser.push(*byte).err()).unwrap();
        assert!(matches!(error, ModelError::MalformedFrame { frame: 2, .. }));
    }
}
