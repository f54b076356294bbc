//! Tool calls that arrive as text: a fenced block of JSON, a bare JSON object, or a `<tool_call>` element.
//!
//! Servers for small models return a call this way even if a structured tool call was requested.

use crate::limits::MAX_ARGUMENT_BYTES;
use crate::message::ToolCall;
use palyra_common::JsonText;
use serde::Deserialize;
use serde_json::Value;

/// A piece of an answer's text.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Piece {
    Text(String),
    Call(ToolCall),
}

/// Holds back text that could be a call of one of the tools, until it is one or is not.
#[derive(Debug, Default)]
pub(super) struct FencedCalls {
    /// Names of the tools; without any, all text passes.
    tools: Vec<String>,
    /// Text that is held back because it begins with an opening, or with a prefix of one.
    held: String,
    /// Whether `held` begins at the start of a line, or of the answer.
    line_start: LineStart,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum LineStart {
    /// Only white space has been received.
    #[default]
    Answer,
    Line,
    Middle,
}

/// The opening and the closing of a block.
struct Fence {
    open: &'static str,
    close: &'static str,
}

const FENCES: [Fence; 5] = [
    Fence { open: "```json\n", close: "```" },
    Fence { open: "```tool_call\n", close: "```" },
    Fence { open: "```tool_code\n", close: "```" },
    Fence { open: "```\n", close: "```" },
    Fence { open: "<tool_call>", close: "</tool_call>" },
];

impl FencedCalls {
    pub(super) fn new(tools: Vec<String>) -> Self {
        Self { tools, ..Self::default() }
    }

    /// Adds text and returns the pieces that are determined.
    pub(super) fn push(&mut self, text: &str) -> Vec<Piece> {
        if self.tools.is_empty() {
            return vec![Piece::Text(text.to_owned())];
        }
        self.held.push_str(text);
        let mut pieces = Vec::new();
        while let Some(piece) = self.decide(false) {
            pieces.push(piece);
        }
        pieces
    }

    /// Returns the pieces of the remaining text at the end of the stream.
    pub(super) fn finish(&mut self) -> Vec<Piece> {
        let mut pieces = Vec::new();
        while let Some(piece) = self.decide(true) {
            pieces.push(piece);
        }
        pieces
    }

    /// Removes the next determined piece from the held text, or returns `None` if more text is needed.
    fn decide(&mut self, at_end: bool) -> Option<Piece> {
        if self.held.is_empty() {
            return None;
        }
        if self.line_start == LineStart::Middle {
            let end = self.held.find('\n').map_or(self.held.len(), |at| at + 1);
            return Some(self.pass(end));
        }
        let blank = self.held.len() - self.held.trim_start().len();
        let rest = &self.held[blank..];
        if rest.is_empty() {
            return at_end.then(|| self.pass(blank));
        }
        let bare = self.line_start == LineStart::Answer && rest.starts_with(['{', '[']);
        if bare {
            return if at_end || self.held.len() > MAX_ARGUMENT_BYTES {
                Some(self.block(blank, self.held.len(), self.held.len()))
            } else {
                None
            };
        }
        if let Some(fence) = FENCES.iter().find(|fence| rest.starts_with(fence.open)) {
            let start = blank + fence.open.len();
            return match self.held[start..].find(fence.close) {
                Some(length) => Some(self.block(start, start + length, start + length + fence.close.len())),
                None if at_end => Some(self.block(start, self.held.len(), self.held.len())),
                None if self.held.len() > MAX_ARGUMENT_BYTES => Some(self.pass(self.held.len())),
                None => None,
            };
        }
        let could_open = FENCES.iter().any(|fence| fence.open.starts_with(rest));
        if could_open && !at_end {
            return None;
        }
        let end = rest.find('\n').map_or(self.held.len(), |at| blank + at + 1);
        Some(self.pass(end))
    }

    /// Removes text from the front and returns it unchanged.
    fn pass(&mut self, end: usize) -> Piece {
        let rest = self.held.split_off(end);
        let text = std::mem::replace(&mut self.held, rest);
        self.line_start = if text.ends_with('\n') { LineStart::Line } else { LineStart::Middle };
        Piece::Text(text)
    }

    /// Removes a block from the front and returns its call, or its text if it is not a call.
    fn block(&mut self, start: usize, end: usize, whole: usize) -> Piece {
        match self.call(&self.held[start..end]) {
            None => self.pass(whole),
            Some(call) => {
                self.held.drain(..whole);
                // Text after a call starts like a new line.
                self.line_start = LineStart::Line;
                Piece::Call(call)
            }
        }
    }

    fn call(&self, text: &str) -> Option<ToolCall> {
        // This also limits the nesting, so the parser below cannot recurse further.
        let text = JsonText::parse(text.trim()).ok()?;
        let call = match serde_json::from_str(text.as_str()).ok()? {
            Value::Array(calls) => {
                serde_json::from_value::<[TextCall; 1]>(Value::Array(calls)).ok()?.into_iter().next()?
            }
            call => serde_json::from_value::<TextCall>(call).ok()?,
        };
        let call = match call {
            TextCall::Plain(call) => call,
            TextCall::Wrapped { function } => function,
        };
        if !self.tools.contains(&call.name) {
            return None;
        }
        let arguments = match call.arguments {
            Value::Null => "{}".to_owned(),
            Value::String(text) => text,
            value => value.to_string(),
        };
        Some(ToolCall { id: String::new(), name: call.name, arguments })
    }
}

/// A call in the forms that models write.
#[derive(Deserialize)]
#[serde(untagged)]
enum TextCall {
    Plain(PlainCall),
    Wrapped { function: PlainCall },
}

#[derive(Deserialize)]
struct PlainCall {
    #[serde(alias = "tool", alias = "tool_name")]
    name: String,
    #[serde(alias = "parameters", alias = "input")]
    arguments: Value,
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    /// Returns all text in one piece, and the calls.
    fn read(text: &str, size: usize) -> (String, Vec<(String, String)>) {
        let mut fenced = FencedCalls::new(vec!["text__count".into()]);
        let chars: Vec<char> = text.chars().collect();
        let mut pieces: Vec<Piece> =
            chars.chunks(size).flat_map(|part| fenced.push(&part.iter().collect::<String>())).collect();
        pieces.extend(fenced.finish());
        let (mut text, mut calls) = (String::new(), Vec::new());
        for piece in pieces {
            match piece {
                Piece::Text(piece) => text.push_str(&piece),
                Piece::Call(call) => calls.push((call.name, call.arguments)),
            }
        }
        (text, calls)
    }

    #[test]
    fn call_is_recognised_in_every_form_however_it_is_cut() {
        let call = "{\"name\": \"text__count\", \"arguments\": {\"text\": \"a ``` b\"}}";
        let plain = call.replace(" ```", "");
        for (text, around) in [
            (plain.clone(), ""),
            (format!("\n {plain}\n"), ""),
            (format!("```json\n{plain}\n```"), ""),
            (format!("```\n{plain}\n```\n"), "\n"),
            (format!("I call it:\n```json\n{plain}\n```"), "I call it:\n"),
            (format!("```json\n{plain}"), ""),
            (format!("<tool_call>{plain}</tool_call>"), ""),
            (plain.replace("arguments", "parameters"), ""),
            (format!("[{plain}]"), ""),
            (format!("{{\"type\":\"function\",\"function\":{plain}}}"), ""),
        ] {
            for size in 1..=text.len() {
                let (rest, calls) = read(&text, size);
                let expected = ("text__count".to_owned(), "{\"text\":\"a b\"}".to_owned());
                assert_eq!((rest.as_str(), calls), (around, vec![expected]), "{text} in pieces of {size}");
            }
        }
    }

    #[test]
    fn other_text_passes_unchanged_however_it_is_cut() {
        for text in [
            "plain text",
            "{\"name\": \"unknown\", \"arguments\": {}}",
            "{\"name\": \"text__count\"",
            "```json\n{\"a\": 1}\n```\nbehind",
            "```rust\nfn main() {}\n```",
            "see `text` and ``` here\n\n``",
            "a {\"name\": \"text__count\", \"arguments\": {}}",
            " \n ",
            "<tool",
        ] {
            for size in 1..=text.len() {
                assert_eq!(read(text, size), (text.to_owned(), Vec::new()), "{text} in pieces of {size}");
            }
        }
    }

    #[test]
    fn text_is_not_held_back_longer_than_needed() {
        let mut fenced = FencedCalls::new(vec!["text__count".into()]);
        assert_eq!(fenced.push("Hel"), [Piece::Text("Hel".into())]);
        assert_eq!(fenced.push("lo `"), [Piece::Text("lo `".into())]);
        assert_eq!(fenced.push("\n``"), [Piece::Text("\n".into())]);
        assert_eq!(fenced.push("x"), [Piece::Text("``x".into())]);
        assert_eq!(FencedCalls::new(Vec::new()).push("```json\n"), [Piece::Text("```json\n".into())]);
    }

    #[test]
    fn two_calls_behind_each_other_are_both_taken() {
        let block = "```json\n{\"name\": \"text__count\", \"arguments\": {}}\n```\n";
        let (_, calls) = read(&block.repeat(2), 3);
        assert_eq!(calls.len(), 2);
    }
}
