//! Methods that relay to one operation of the HTTP API: the fields of a message become its path, query and body, and
//! its response becomes a message.

use std::collections::BTreeMap;
use std::pin::Pin;

use futures::Stream;
use futures::stream::unfold;
use http::header::{ACCEPT, HeaderName, HeaderValue};
use http::{Method, Request as HttpRequest};
use palyra_api::Problem;
use palyra_api::client::sse::SseStream;
use palyra_api::client::{ApiBody, empty_body, full_body, request as to_path, segment};
use palyra_common::ErrorCode;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::RawValue;
use tonic::{Request, Response, Status};

use super::answer::{Answer, enter, failed, refused};

/// Fields with the position of a client in a stream; the HTTP API has it in a header.
const AFTER: [&str; 2] = ["after", "after_sequence"];
const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

/// A stream of response messages.
pub(super) type Messages<M> = Pin<Box<dyn Stream<Item = Result<M, Status>> + Send>>;

/// Sends a message to the operation of its method.
pub(super) async fn call<Q: Serialize, A: DeserializeOwned>(
    request: Request<Q>,
    verb: Method,
    path: &str,
) -> Result<A, Status> {
    let (client, asked) = enter(request)?;
    let request = Fields::of(&asked).and_then(|fields| fields.into_request(verb, path));
    client.answer(Ok(request.map_err(|problem| refused(&problem))?)).await.map_err(failed)
}

/// Follows the server-sent events of a method's operation.
pub(super) async fn follow<Q: Serialize, A: DeserializeOwned, M: 'static>(
    request: Request<Q>,
    path: &str,
    in_message: impl Fn(A) -> M + Copy + Send + Sync + 'static,
) -> Answer<Messages<M>> {
    let (client, asked) = enter(request)?;
    let request = Fields::of(&asked).and_then(|fields| fields.into_subscription(path));
    let request = request.map_err(|problem| refused(&problem))?;
    let events = SseStream::new(client.open(request).await.map_err(failed)?.into_body());
    let messages = unfold(events, move |mut events| async move {
        let message = match events.next().await {
            Ok(event) => {
                let event: Result<A, _> = serde_json::from_str(&event?.data);
                let unread = |error: serde_json::Error| Problem::new(ErrorCode::Internal, error.to_string());
                event.map(in_message).map_err(|error| refused(&unread(error)))
            }
            Err(error) => Err(failed(error.into())),
        };
        Some((message, events))
    });
    Ok(Response::new(Box::pin(messages)))
}

/// The fields of a message with the names and in the JSON of the HTTP API.
struct Fields(BTreeMap<String, Box<RawValue>>);

impl Fields {
    fn of(message: &impl Serialize) -> Result<Self, Problem> {
        let usage = |error: serde_json::Error| Problem::new(ErrorCode::Usage, error.to_string());
        let text = serde_json::to_string(message).map_err(usage)?;
        serde_json::from_str(&text).map(Self).map_err(usage)
    }

    /// Builds the request: fields that are not in the path become the body, or the query of a method without a body.
    fn into_request(mut self, verb: Method, path: &str) -> Result<HttpRequest<ApiBody>, Problem> {
        let path = self.fill(path)?;
        let request = match verb {
            Method::GET | Method::DELETE => to_path(verb, &self.query_after(path), empty_body()),
            _ => {
                let body = serde_json::to_vec(&self.0).unwrap_or_default();
                to_path(verb, &path, full_body(body)).map(|mut request| {
                    let json = HeaderValue::from_static("application/json");
                    request.headers_mut().insert(http::header::CONTENT_TYPE, json);
                    request
                })
            }
        };
        request.map_err(palyra_api::ClientError::into_problem)
    }

    fn into_subscription(mut self, path: &str) -> Result<HttpRequest<ApiBody>, Problem> {
        let path = self.fill(path)?;
        let after = AFTER.iter().find_map(|name| self.0.remove(*name));
        let request = to_path(Method::GET, &self.query_after(path), empty_body());
        let mut request = request.map_err(palyra_api::ClientError::into_problem)?;
        let headers = request.headers_mut();
        headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream"));
        let after = after.and_then(|after| HeaderValue::from_str(after.get()).ok());
        headers.extend(after.map(|after| (LAST_EVENT_ID, after)));
        Ok(request)
    }

    /// Fills the parameters of a path with fields.
    fn fill(&mut self, path: &str) -> Result<String, Problem> {
        let parts = path.split('/').map(|part| {
            let Some(name) = part.strip_prefix('{').and_then(|part| part.strip_suffix('}')) else {
                return Ok(part.to_owned());
            };
            let text = self.0.remove(name).and_then(|value| plain(&value)).filter(|text| !text.is_empty());
            let missing = || Problem::new(ErrorCode::Usage, format!("`{name}` is missing"));
            text.map(|text| segment(&text)).ok_or_else(missing)
        });
        parts.collect::<Result<Vec<_>, _>>().map(|parts| parts.join("/"))
    }

    fn query_after(&self, path: String) -> String {
        let pairs = self.0.iter().filter_map(|(name, value)| Some((name, plain(value)?)));
        let pairs: Vec<String> = pairs.map(|(name, text)| format!("{name}={}", segment(&text))).collect();
        if pairs.is_empty() { path } else { format!("{path}?{}", pairs.join("&")) }
    }
}

/// Formats a value as a part of a URL; returns `None` for null and empty values.
fn plain(value: &RawValue) -> Option<String> {
    match serde_json::from_str(value.get()).ok()? {
        Value::String(text) => Some(text),
        Value::Bool(_) | Value::Number(_) => Some(value.get().to_owned()),
        Value::Array(values) if !values.is_empty() => {
            let texts: Vec<&str> = values.iter().filter_map(Value::as_str).collect();
            Some(texts.join(","))
        }
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use palyra_api::grpc::gateway::v1::{
        AnswerPauseRequest, ChangeSessionRequest, GetSurfaceRequest, ListSessionsRequest, PauseDecision,
        SubscribeEventsRequest, ToolIds,
    };
    use palyra_api::grpc::plugins::v1::SetConfigRequest;
    use palyra_api::grpc::routines::v1::{AddRoutineRequest, Misfire};

    fn asked(message: &impl Serialize, verb: Method, path: &str) -> Result<(String, String), Problem> {
        let mut fields = Fields::of(message)?;
        let path = fields.fill(path)?;
        Ok(match verb {
            Method::GET => (fields.query_after(path), String::new()),
            _ => (path, serde_json::to_string(&fields.0).unwrap()),
        })
    }

    #[test]
    fn fields_become_path_query_and_body() {
        let list = ListSessionsRequest {
            search: Some("a&b".into()),
            archived: Some(false),
            limit: Some(5),
            before: None,
        };
        let (path, _) = asked(&list, Method::GET, "/v1/sessions").unwrap();
        assert_eq!(path, "/v1/sessions?archived=false&limit=5&search=a%26b");
        let topics =
            SubscribeEventsRequest { topics: vec!["run".into(), "skill".into()], after_sequence: None };
        assert_eq!(asked(&topics, Method::GET, "/v1/events").unwrap().0, "/v1/events?topics=run%2Cskill");
        let surface = GetSurfaceRequest { session_id: "ses/1".into(), surface: "..".into() };
        let path = "/v1/sessions/{session_id}/surfaces/{surface}";
        assert_eq!(asked(&surface, Method::GET, path).unwrap().0, "/v1/sessions/ses%2F1/surfaces/%2E%2E");
        let nothing = GetSurfaceRequest { session_id: "ses_1".into(), surface: String::new() };
        assert_eq!(asked(&nothing, Method::GET, path).unwrap_err().detail, "`surface` is missing");
    }

    #[test]
    fn bodies_are_those_of_the_http_api() {
        let routine = AddRoutineRequest {
            name: "hourly".into(),
            input_json: Some(r#"{"n":  1.50}"#.into()),
            misfire: Misfire::Skip.into(),
            ..Default::default()
        };
        let (_, body) = asked(&routine, Method::POST, "/v1/routines").unwrap();
        assert_eq!(
            body,
            r#"{"disabled":false,"input":{"n":  1.50},"misfire":"skip","name":"hourly","replace":false}"#
        );
        let answer = AnswerPauseRequest {
            pause_id: "pau_1".into(),
            decision: PauseDecision::Approve.into(),
            bound_to: "0".into(),
            submit: Some(palyra_api::grpc::gateway::v1::FormSubmit {
                rev: 1,
                component_id: "form".into(),
                values_json: r#"{"n":1}"#.into(),
            }),
            ..Default::default()
        };
        let (path, body) = asked(&answer, Method::POST, "/v1/pauses/{pause_id}/answer").unwrap();
        assert_eq!(path, "/v1/pauses/pau_1/answer");
        let submit = r#"{"rev":1,"values":{"n":1},"componentId":"form"}"#;
        assert_eq!(
            body,
            format!(r#"{{"bound_to":"0","decision":"approve","owner_present":false,"submit":{submit}}}"#)
        );
        let all = ChangeSessionRequest { tools: Some(ToolIds::default()), ..Default::default() };
        assert!(serde_json::to_string(&all).unwrap().contains(r#""tools":[]"#));
        assert!(!serde_json::to_string(&ChangeSessionRequest::default()).unwrap().contains("tools"));
    }

    #[test]
    fn what_is_not_json_or_no_value_is_refused_without_its_text() {
        let config = SetConfigRequest {
            skill_id: "acme.notes".into(),
            values_json: [("n".to_owned(), "hush".to_owned())].into(),
        };
        let refused = Fields::of(&config).err().unwrap();
        assert!(refused.code == ErrorCode::Usage && !refused.detail.contains("hush"), "{refused}");
        let refused = Fields::of(&AddRoutineRequest { misfire: 77, ..Default::default() }).err().unwrap();
        assert!(refused.detail.contains("`77`"), "{refused}");
    }
}
