//! Streams recorded from real providers.

use crate::support::{collected, request};
use palyra_egress::Redactor;
use palyra_models::{AnswerReader, ModelAnswer, Protocol, StopReason};

fn read(protocol: Protocol, stream: &str) -> ModelAnswer {
    let mut reader = AnswerReader::new(protocol, &request("x"), Redactor::default());
    let mut events = Vec::new();
    reader.push(stream.as_bytes(), &mut events).unwrap();
    reader.finish(&mut events).unwrap();
    collected(events)
}

/// Recorded from llama.cpp with a small model by `cargo xtask models --record`.
#[test]
fn recorded_streams_of_llama_cpp_are_read() {
    for (protocol, stream) in [
        (Protocol::ChatCompletions, include_str!("../frames/llama-cpp-chat-completions.sse")),
        (Protocol::Responses, include_str!("../frames/llama-cpp-responses.sse")),
        (Protocol::Messages, include_str!("../frames/llama-cpp-messages.sse")),
    ] {
        let answer = read(protocol, stream);
        assert!(!answer.text.is_empty(), "{protocol}");
        let usage = answer.usage.unwrap();
        assert!(usage.input_tokens > 0 && usage.output_tokens > 0, "{protocol}: {usage:?}");
        assert!(matches!(answer.stop, Some(StopReason::EndTurn | StopReason::MaxOutputTokens)));
    }
}
