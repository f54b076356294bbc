//! Tests of the translation of every kind of event.

use palyra_api::sessions::{PauseKind, PauseStatus, SessionLabels};

use super::*;

fn event(body: SessionEventBody) -> SessionEvent {
    use SessionEventBody::{MessageDelta, ToolLog};
    let passes = matches!(body, MessageDelta { .. } | ToolLog { .. });
    SessionEvent { number: (!passes).then_some(1), at_ms: 7, run_id: "run_1".into(), body }
}

fn lines(translation: &mut Translation, body: SessionEventBody) -> Vec<String> {
    let events = translation.translate("ses_1", event(body));
    events
        .iter()
        .map(|event| {
            assert_eq!(event.timestamp, 7);
            serde_json::to_string(&event.body).unwrap()
        })
        .collect()
}

/// Compares events by value: the order of keys depends on the features of the JSON library.
#[track_caller]
fn assert_events(actual: &[String], expected: &[&str]) {
    let read = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    let actual: Vec<Value> = actual.iter().map(|text| read(text)).collect();
    let expected: Vec<Value> = expected.iter().map(|text| read(text)).collect();
    assert_eq!(actual, expected);
}

/// Asserts the translation of an event inside a run.
#[track_caller]
fn becomes(body: SessionEventBody, expected: &[&str]) {
    let mut translation = Translation::default();
    let said = SessionEventBody::MessageCompleted {
        message_id: "msg_0".into(),
        role: MessageRole::User,
        text: String::new(),
    };
    lines(&mut translation, said);
    assert_events(&lines(&mut translation, body), expected);
}

fn delta(offset: u64, text: &str, reasoning: bool) -> SessionEventBody {
    SessionEventBody::MessageDelta { message_id: "msg_1".into(), offset, text: text.into(), reasoning }
}

fn completed(text: &str) -> SessionEventBody {
    let role = MessageRole::Assistant;
    SessionEventBody::MessageCompleted { message_id: "msg_1".into(), role, text: text.into() }
}

fn finish(status: AgentRunStatus, reason: Option<&str>) -> SessionEventBody {
    SessionEventBody::RunFinished { status, reason: reason.map(str::to_owned) }
}

fn pause() -> Pause {
    Pause {
        pause_id: "pau_1".into(),
        session_id: "ses_1".into(),
        run_id: "run_1".into(),
        kind: PauseKind::Approval,
        status: PauseStatus::Waiting,
        question: "Run this tool?".into(),
        call_id: Some("call_2".into()),
        tool_id: Some("acme.a".into()),
        arguments: Some("{}".into()),
        approval_id: Some("apr_1".into()),
        surface: None,
        rev: None,
        bound_to: "00".into(),
        labels: SessionLabels { private: true, untrusted: false },
        requested_ms: 7,
        expires_ms: 1_000,
        answered_by: None,
        answered_ms: None,
    }
}

const START: &str = r#"{"type":"RUN_STARTED","threadId":"ses_1","runId":"run_1","protocolVersion":"1.0"}"#;

#[test]
fn messages_of_a_run_begin_with_the_run() {
    let mut translation = Translation::default();
    assert_events(
        &lines(&mut translation, completed("Hi")),
        &[
            START,
            r#"{"type":"TEXT_MESSAGE_START","messageId":"run_1/msg_1","role":"assistant"}"#,
            r#"{"type":"TEXT_MESSAGE_CONTENT","messageId":"run_1/msg_1","delta":"Hi"}"#,
            r#"{"type":"TEXT_MESSAGE_END","messageId":"run_1/msg_1"}"#,
        ],
    );
}

#[test]
fn pieces_of_a_message_are_sent_once_and_the_rest_with_the_whole() {
    let mut translation = Translation::default();
    lines(&mut translation, delta(0, "I th", false));
    assert_events(
        &lines(&mut translation, delta(4, "ink", false)),
        &[r#"{"type":"TEXT_MESSAGE_CONTENT","messageId":"run_1/msg_1","delta":"ink"}"#],
    );
    assert!(lines(&mut translation, delta(20, "lost before", false)).is_empty());
    assert_events(
        &lines(&mut translation, completed("I think so.")),
        &[
            r#"{"type":"TEXT_MESSAGE_CONTENT","messageId":"run_1/msg_1","delta":" so."}"#,
            r#"{"type":"TEXT_MESSAGE_END","messageId":"run_1/msg_1"}"#,
        ],
    );
    // The beginning of this message is missing.
    let mut late = Translation::default();
    assert_events(&lines(&mut late, delta(4, "ink", false)), &[START]);
}

#[test]
fn what_passed_before_stored_events_that_were_read_is_left_out() {
    let mut translation = Translation::default();
    lines(&mut translation, completed("I think"));
    assert!(lines(&mut translation, delta(0, "I th", false)).is_empty());
    lines(&mut translation, finish(AgentRunStatus::Finished, None));
    assert!(lines(&mut translation, delta(0, "I th", false)).is_empty());
    assert_eq!(lines(&mut translation, completed("More"))[0], START);
}

#[test]
fn reasoning_is_a_span_of_its_own() {
    let mut translation = Translation::default();
    lines(&mut translation, completed(""));
    assert_events(
        &lines(&mut translation, delta(0, "hm", true)),
        &[
            r#"{"type":"REASONING_START","messageId":"run_1/msg_1/reasoning"}"#,
            r#"{"type":"REASONING_MESSAGE_START","messageId":"run_1/msg_1/reasoning","role":"reasoning"}"#,
            r#"{"type":"REASONING_MESSAGE_CONTENT","messageId":"run_1/msg_1/reasoning","delta":"hm"}"#,
        ],
    );
    assert_events(
        &lines(&mut translation, finish(AgentRunStatus::Finished, None)),
        &[
            r#"{"type":"REASONING_MESSAGE_END","messageId":"run_1/msg_1/reasoning"}"#,
            r#"{"type":"REASONING_END","messageId":"run_1/msg_1/reasoning"}"#,
            r#"{"type":"RUN_FINISHED","threadId":"ses_1","runId":"run_1","outcome":{"type":"success"}}"#,
        ],
    );
}

#[test]
fn tools_are_called_and_give_results() {
    let (call_id, tool_id) = ("call_2".to_owned(), "acme.a".to_owned());
    let proposed = |invalid: Option<&str>| SessionEventBody::ToolProposed {
        call_id: call_id.clone(),
        tool_id: tool_id.clone(),
        arguments: r#"{"n":1}"#.into(),
        invalid: invalid.map(str::to_owned),
    };
    let call = [
        r#"{"type":"TOOL_CALL_START","toolCallId":"run_1/call_2","toolCallName":"acme.a"}"#,
        r#"{"type":"TOOL_CALL_ARGS","toolCallId":"run_1/call_2","delta":"{\"n\":1}"}"#,
        r#"{"type":"TOOL_CALL_END","toolCallId":"run_1/call_2"}"#,
    ];
    becomes(proposed(None), &call);
    let refused = r#"{"type":"TOOL_CALL_RESULT","messageId":"run_1/call_2/result","toolCallId":"run_1/call_2","role":"tool","content":"no such tool","metadata":{"palyra":{"status":"invalid"}}}"#;
    becomes(proposed(Some("no such tool")), &[call[0], call[1], call[2], refused]);
    becomes(
        SessionEventBody::ToolStarted { call_id: call_id.clone(), tool_id: tool_id.clone() },
        &[
            r#"{"type":"CUSTOM","name":"palyra.tool.started","value":{"toolCallId":"run_1/call_2","toolId":"acme.a"}}"#,
        ],
    );
    becomes(
        SessionEventBody::ToolLog { call_id: call_id.clone(), text: "half".into() },
        &[
            r#"{"type":"CUSTOM","name":"palyra.tool.log","value":{"text":"half","toolCallId":"run_1/call_2"}}"#,
        ],
    );
    let done = SessionEventBody::ToolFinished {
        call_id,
        tool_id,
        status: ToolCallStatus::Completed,
        tool_run_id: Some("run_t".into()),
        output: Some("4".into()),
        error: None,
    };
    becomes(
        done,
        &[
            r#"{"type":"TOOL_CALL_RESULT","messageId":"run_1/call_2/result","toolCallId":"run_1/call_2","role":"tool","content":"4","metadata":{"palyra":{"status":"completed","toolId":"acme.a","toolRunId":"run_t"}}}"#,
        ],
    );
}

#[test]
fn surfaces_are_activities() {
    becomes(
        SessionEventBody::SurfaceCreated { surface: "s".into(), rev: 2, document: json!({ "v": 1 }) },
        &[
            r#"{"type":"ACTIVITY_SNAPSHOT","messageId":"surface/s","activityType":"palyra.a2ui","content":{"document":{"v":1},"rev":2,"surface":"s"},"replace":true}"#,
        ],
    );
    becomes(
        SessionEventBody::SurfacePatched { surface: "s".into(), rev: 3, patch: json!({ "v": 1 }) },
        &[
            r#"{"type":"CUSTOM","name":"palyra.surface.patched","value":{"patch":{"v":1},"rev":3,"surface":"s"}}"#,
        ],
    );
}

#[test]
fn pause_ends_a_run_and_its_answer_begins_the_next() {
    let mut translation = Translation::default();
    lines(&mut translation, completed(""));
    let paused = lines(&mut translation, SessionEventBody::RunPaused { pause: Box::new(pause()) });
    assert_events(
        &paused,
        &[
            r#"{"type":"RUN_FINISHED","threadId":"ses_1","runId":"run_1","outcome":{"type":"interrupt","interrupts":[{"id":"pau_1","reason":"approval","message":"Run this tool?","toolCallId":"run_1/call_2","expiresAt":"1970-01-01T00:00:01Z","metadata":{"palyra":{"approvalId":"apr_1","arguments":"{}","boundTo":"00","labels":{"private":true,"untrusted":false},"rev":null,"surface":null,"toolId":"acme.a"}}}]}}"#,
        ],
    );
    let resumed = SessionEventBody::RunResumed {
        pause_id: "pau_1".into(),
        status: PauseStatus::Answered,
        answered_by: Some("owner".into()),
    };
    assert_events(
        &lines(&mut translation, resumed),
        &[
            r#"{"type":"RUN_STARTED","threadId":"ses_1","runId":"run_1/pau_1","protocolVersion":"1.0","parentRunId":"run_1"}"#,
            r#"{"type":"CUSTOM","name":"palyra.run.resumed","value":{"answeredBy":"owner","interruptId":"pau_1","status":"answered"}}"#,
        ],
    );
    assert_events(
        &lines(&mut translation, finish(AgentRunStatus::Cancelled, Some("stopped"))),
        &[
            r#"{"type":"RUN_FINISHED","threadId":"ses_1","runId":"run_1/pau_1","outcome":{"type":"cancelled"}}"#,
        ],
    );
}

#[test]
fn end_of_a_run_closes_what_is_open_and_has_its_tokens() {
    let mut translation = Translation::default();
    lines(&mut translation, delta(0, "half", false));
    let used = AgentUse { input_tokens: 3, output_tokens: 2, ..AgentUse::default() };
    assert!(lines(&mut translation, SessionEventBody::Usage { used }).is_empty());
    assert_events(
        &lines(&mut translation, finish(AgentRunStatus::OutOfBudget, Some("too long"))),
        &[
            r#"{"type":"TEXT_MESSAGE_END","messageId":"run_1/msg_1"}"#,
            r#"{"type":"RUN_ERROR","message":"too long","code":"out_of_budget","usage":[{"inputTokens":3,"outputTokens":2,"totalTokens":5}]}"#,
        ],
    );
}
