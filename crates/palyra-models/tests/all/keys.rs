//! The key is sent in the head of a request and appears nowhere else.

use crate::support::{answer, ask, request, text_answer};
use palyra_common::SecretValue;
use palyra_models::testing::{ProviderServer, ServerReply};
use palyra_models::{ModelEvent, Protocol, ProviderKey, StopReason};

const KEY: &str = "sk-test-0123456789abcdef";

fn key() -> ProviderKey {
    ProviderKey { name: "global/model.test".parse().unwrap(), value: SecretValue::new(KEY) }
}

#[tokio::test]
async fn key_is_sent_where_the_protocol_wants_it() {
    for (protocol, header, value) in [
        (Protocol::ChatCompletions, "authorization", format!("Bearer {KEY}")),
        (Protocol::Responses, "authorization", format!("Bearer {KEY}")),
        (Protocol::Messages, "x-api-key", KEY.to_owned()),
    ] {
        let server = ProviderServer::start([ServerReply::events(text_answer("ok"))]).await.unwrap();
        let provider = server.provider(protocol, Some(key()));
        assert_eq!(answer(&provider, request("x")).await.unwrap().text, "ok");
        let sent = &server.requests()[0];
        assert_eq!(sent.headers[header], value.as_str());
        assert!(!String::from_utf8_lossy(&sent.body).contains(KEY));
        assert!(!format!("{provider:?}").contains(KEY));
    }
}

#[tokio::test]
async fn provider_that_repeats_the_key_does_not_get_it_shown() {
    for protocol in Protocol::ALL {
        let body = format!("{{\"error\":{{\"message\":\"Incorrect API key provided: {KEY}\"}}}}");
        let server = ProviderServer::start([ServerReply::Status(401, Vec::new(), body)]).await.unwrap();
        let events = ask(&server.provider(protocol, Some(key())), request("x")).await;
        let shown = format!("{events:?}");
        assert!(shown.contains("Incorrect API key provided: ****") && !shown.contains(KEY), "{shown}");

        // Piece by piece, one character in each frame, which no search over the bytes of the wire would find.
        let mut events = vec![ModelEvent::Text("it is ".into())];
        events.extend(KEY.chars().map(|c| ModelEvent::Text(c.into())));
        events.extend([ModelEvent::Text(".".into()), ModelEvent::Finished(StopReason::EndTurn)]);
        let server = ProviderServer::start([ServerReply::events(events)]).await.unwrap();
        let got = answer(&server.provider(protocol, Some(key())), request("x")).await.unwrap();
        assert_eq!(got.text, "it is ****.", "{protocol}");
    }
}
