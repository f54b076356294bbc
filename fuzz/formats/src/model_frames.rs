//! The answer of a model provider: read in pieces of any size it says the same, and it ends at most once.

use palyra_common::{JsonText, SecretValue};
use palyra_egress::Redactor;
use palyra_models::{AnswerReader, ModelError, ModelEvent, ModelRequest, Protocol, ToolSpec};

/// Takes the first byte as protocol and size of pieces, and the rest as the body of a response.
pub fn check_model_frames(data: &[u8]) {
    let Some((&choice, body)) = data.split_first() else { return };
    let protocol = Protocol::ALL[usize::from(choice) % Protocol::ALL.len()];
    let size = usize::from(choice / 3) + 1;
    let (whole, end) = read(protocol, body, body.len().max(1));
    let finished = whole.iter().position(|event| matches!(event, ModelEvent::Finished(_)));
    assert!(finished.is_none_or(|at| at + 1 == whole.len()), "something came behind the end");
    assert_eq!(finished.is_some(), end.is_ok(), "an answer ends or fails");
    let shown = format!("{whole:?}{end:?}");
    assert!(!shown.contains(KEY), "the key was shown");
    assert_eq!(read(protocol, body, size), (whole, end), "the answer depends on how it was cut");
}

const KEY: &str = "sk-0123456789";

fn read(protocol: Protocol, body: &[u8], size: usize) -> (Vec<ModelEvent>, Result<(), ModelError>) {
    let tool =
        ToolSpec { name: "a".into(), description: String::new(), input_schema: JsonText::empty_object() };
    let request = ModelRequest { tools: vec![tool], ..ModelRequest::default() };
    let key = SecretValue::new(KEY);
    let mut reader = AnswerReader::new(protocol, &request, Redactor::new([&key]));
    let mut events = Vec::new();
    for piece in body.chunks(size) {
        if let Err(error) = reader.push(piece, &mut events) {
            return (events, Err(error));
        }
    }
    let end = reader.finish(&mut events);
    (events, end)
}
