//! Events as they come: `text/event-stream`, decoded line by line under a cap.

use bytes::{Buf, Bytes, BytesMut};
use http_body_util::BodyExt;

use super::{ApiBody, TransportError};

/// Maximum length of a line in a stream, in bytes.
const MAX_LINE_BYTES: usize = 1 << 20;

/// One event of a stream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SseEvent {
    /// Id of the event, to continue after it with `Last-Event-ID`.
    pub id: Option<String>,
    /// Type of the event; `None` stands for `message`.
    pub event: Option<String>,
    /// Data of the event, with its lines joined.
    pub data: String,
}

/// Reads events from a body; the caller reconnects with the last id.
pub struct SseStream {
    body: ApiBody,
    buffer: BytesMut,
    decoder: Decoder,
    ended: bool,
}

impl SseStream {
    /// Creates a stream over a response body.
    pub fn new(body: ApiBody) -> Self {
        Self { body, buffer: BytesMut::new(), decoder: Decoder::default(), ended: false }
    }

    /// Waits for the next event; returns `None` at the end of the stream.
    pub async fn next(&mut self) -> Result<Option<SseEvent>, TransportError> {
        loop {
            while let Some(line) = take_line(&mut self.buffer) {
                if let Some(event) = self.decoder.line(&String::from_utf8_lossy(&line)) {
                    return Ok(Some(event));
                }
            }
            if self.ended {
                return Ok(None);
            }
            if self.buffer.len() > MAX_LINE_BYTES {
                return Err(TransportError::Broken("a line of the event stream is too long".into()));
            }
            match self.body.frame().await {
                Some(Ok(frame)) => {
                    if let Ok(data) = frame.into_data() {
                        self.buffer.extend_from_slice(&data);
                    }
                }
                Some(Err(error)) => return Err(TransportError::Broken(error.to_string())),
                None => self.ended = true,
            }
        }
    }
}

/// The fields of an event that were received so far.
#[derive(Default)]
struct Decoder {
    event: SseEvent,
    any_data: bool,
}

impl Decoder {
    /// Processes a line; an empty one completes the event.
    fn line(&mut self, line: &str) -> Option<SseEvent> {
        if line.is_empty() {
            let event = std::mem::take(&mut self.event);
            return std::mem::take(&mut self.any_data).then_some(event);
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "id" => self.event.id = Some(value.to_owned()),
            "event" => self.event.event = Some(value.to_owned()),
            "data" => {
                if self.any_data {
                    self.event.data.push('\n');
                }
                self.any_data = true;
                self.event.data.push_str(value);
            }
            _ => {}
        }
        None
    }
}

fn take_line(buffer: &mut BytesMut) -> Option<Bytes> {
    let end = buffer.iter().position(|byte| *byte == b'\n')?;
    let mut line = buffer.split_to(end);
    buffer.advance(1);
    if line.last() == Some(&b'\r') {
        line.truncate(line.len() - 1);
    }
    Some(line.freeze())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn events(lines: &str) -> Vec<SseEvent> {
        let mut decoder = Decoder::default();
        let mut buffer = BytesMut::from(lines);
        let mut events = Vec::new();
        while let Some(line) = take_line(&mut buffer) {
            events.extend(decoder.line(&String::from_utf8_lossy(&line)));
        }
        events
    }

    #[test]
    fn events_comments_and_several_lines_of_data() {
        let read = events(
            ": heartbeat\n\nid: 7\nevent: run:completed\ndata: {\"a\":\ndata:1}\n\ndata: x\r\n\r\ndata: cut",
        );
        let first = SseEvent {
            id: Some("7".into()),
            event: Some("run:completed".into()),
            data: "{\"a\":\n1}".into(),
        };
        assert_eq!(read, [first, SseEvent { data: "x".into(), ..SseEvent::default() }]);
    }
}
