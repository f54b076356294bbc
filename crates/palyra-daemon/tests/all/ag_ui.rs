//! A session as an AG-UI stream: complete, and resumed during a run.

use crate::daemon::Daemon;
use crate::sessions::{session, settled, yes};
use http::Method;
use palyra_api::client::remote::Remote;
use palyra_api::client::sse::{SseEvent, SseStream};
use palyra_api::client::{empty_body, request};
use palyra_api::{Client, ClientError};
use palyra_common::Scope;
use serde_json::{Value, json};

async fn follow(
    client: &Client<Remote>,
    session: &str,
    after: Option<&str>,
) -> Result<SseStream, ClientError> {
    let mut asked = request(Method::GET, &format!("/v1/sessions/{session}/ag-ui"), empty_body())?;
    if let Some(after) = after {
        asked.headers_mut().insert("last-event-id", after.parse().unwrap());
    }
    Ok(SseStream::new(client.open(asked).await?.into_body()))
}

/// Reads events up to the end of a run.
async fn until_end(stream: &mut SseStream) -> Vec<(SseEvent, Value)> {
    let mut events = Vec::new();
    loop {
        let event = stream.next().await.unwrap().unwrap();
        let data: Value = serde_json::from_str(&event.data).unwrap();
        let ends = data["type"] == "RUN_FINISHED";
        events.push((event, data));
        if ends {
            return events;
        }
    }
}

fn types(events: &[(SseEvent, Value)]) -> Vec<&str> {
    events.iter().map(|(_, data)| data["type"].as_str().unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn session_is_a_stream_of_ag_ui_that_can_be_taken_up_again() {
    let daemon = Daemon::with_bench().await;
    let client = daemon.over_tcp();
    let session = session(&client, &["acme.bench.echo"]).await;
    let mut stream = follow(&client, &session, None).await.unwrap();
    let run = client.say(&session, "please echo the number 7").await.unwrap();
    let asked = until_end(&mut stream).await;
    let message = ["TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END"];
    let call = ["TOOL_CALL_START", "TOOL_CALL_ARGS", "TOOL_CALL_END"];
    let expected = [&["RUN_STARTED"][..], &message, &call, &["ACTIVITY_SNAPSHOT", "RUN_FINISHED"]].concat();
    assert_eq!(types(&asked), expected);
    assert!(asked.iter().all(|(event, _)| event.event.is_none()), "AG-UI has no names of events");
    let ids: Vec<&str> = asked.iter().filter_map(|(event, _)| event.id.as_deref()).collect();
    assert_eq!(ids, ["1", "2", "3", "4"], "a stored event has its number once");
    let interrupt = &asked.last().unwrap().1["outcome"]["interrupts"][0];
    let pause = client.pause(interrupt["id"].as_str().unwrap()).await.unwrap();
    assert_eq!(interrupt["metadata"]["palyra"]["boundTo"], pause.bound_to.as_str());
    client.answer_pause(&pause.pause_id, &yes(&pause, Some(json!({ "n": 8 })))).await.unwrap();
    let answered = until_end(&mut stream).await;
    settled(&client, &run.run_id).await;
    let mut got = types(&answered);
    // The first call of a tool also reports that its code is being compiled, which is not stored.
    let passing = answered.iter().position(|(_, data)| data["name"] == "palyra.tool.log");
    if let Some(index) = passing {
        got.remove(index);
    }
    let expected =
        [&["RUN_STARTED", "CUSTOM"][..], &call, &["CUSTOM", "TOOL_CALL_RESULT", "RUN_FINISHED"]].concat();
    assert_eq!(got, expected);
    assert_eq!(answered[0].1["parentRunId"], run.run_id.as_str());
    assert_eq!(answered.last().unwrap().1["outcome"], json!({ "type": "success" }));

    // Events that were not read before the disconnect are sent again, within a run.
    let mut again = follow(&client, &session, answered[1].0.id.as_deref()).await.unwrap();
    let rest = until_end(&mut again).await;
    let expected = [&["RUN_STARTED"][..], &call, &["CUSTOM", "TOOL_CALL_RESULT", "RUN_FINISHED"]].concat();
    assert_eq!(types(&rest), expected);

    let other = daemon.over_tcp_as(&daemon.token_with("other", &[Scope::Read]));
    let refused = follow(&other, &session, None).await.err().unwrap().into_problem();
    assert_eq!(refused.code.as_str(), "not_found");
}
