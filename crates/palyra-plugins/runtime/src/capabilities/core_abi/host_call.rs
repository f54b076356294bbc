//! `host-call`: the operations of the WIT as JSON requests and responses.

use crate::capabilities::or_stop;
use crate::run_context::{HostFailure, HttpAnswer, HttpHeader, HttpOutgoing, HttpSecret, RunContext};
use crate::run_log::LogLevel;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use palyra_common::{CapabilityKind, InOrder};
use palyra_egress::InjectionForm;
use serde::Deserialize;
use serde_json::{Value, json};

/// Carries out one request and returns the response text.
pub(super) async fn answer(run: &RunContext, fuel: u64, request: &[u8]) -> wasmtime::Result<Vec<u8>> {
    let answer = match serde_json::from_slice::<Operation>(request) {
        Ok(operation) => carry_out(run, fuel, operation).await,
        Err(error) => Err(HostFailure::Invalid(format!("not a host-call request: {error}"))),
    };
    let response = match answer {
        Ok(value) => json!({ "ok": value }),
        Err(HostFailure::Stopped) => return or_stop(Err(HostFailure::Stopped)),
        Err(failure) => json!({ "error": { "code": failure.code(), "message": failure.message() } }),
    };
    // Bytes a guest reads cost it fuel, so a replay needs the same ones.
    Ok(serde_json::to_vec(&InOrder(&response))?)
}

/// The operations; names are those of the WIT, fields are spelled with `_`.
#[derive(Debug, Deserialize)]
#[serde(tag = "op", deny_unknown_fields)]
enum Operation {
    #[serde(rename = "host-capabilities.find")]
    Find { kind: Kind, name: String },
    #[serde(rename = "host-capabilities.name")]
    Name { handle: i32 },
    #[serde(rename = "http.send")]
    HttpSend { handle: i32, request: Box<Request> },
    #[serde(rename = "secrets.reveal")]
    SecretsReveal { handle: i32 },
    #[serde(rename = "storage.get")]
    StorageGet { handle: i32, key: String },
    #[serde(rename = "storage.put")]
    StoragePut { handle: i32, key: String, value_text: Option<String>, value_base64: Option<String> },
    #[serde(rename = "storage.delete")]
    StorageDelete { handle: i32, key: String },
    #[serde(rename = "storage.list")]
    StorageList { handle: i32, prefix: String, cursor: Option<String>, limit: u32 },
    #[serde(rename = "channels.publish")]
    ChannelsPublish {
        handle: i32,
        content_type: String,
        body_text: Option<String>,
        body_base64: Option<String>,
    },
    #[serde(rename = "log.write")]
    LogWrite { level: LogLevel, message: String },
    #[serde(rename = "run.run-id")]
    RunId {},
    #[serde(rename = "run.tool-id")]
    ToolId {},
    #[serde(rename = "run.remaining-fuel")]
    RemainingFuel {},
    #[serde(rename = "run.remaining-milliseconds")]
    RemainingMilliseconds {},
    #[serde(rename = "run.operator-config")]
    OperatorConfig {},
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    Http,
    Secret,
    Storage,
    Channel,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Request {
    method: String,
    url: String,
    #[serde(default)]
    headers: Vec<HttpHeader>,
    body_text: Option<String>,
    body_base64: Option<String>,
    #[serde(default)]
    secrets: Vec<Injection>,
    timeout_ms: Option<u32>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Injection {
    secret: i32,
    form: Form,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Form {
    Bearer,
    Header(String),
    Query(String),
    BasicPassword(String),
}

async fn carry_out(run: &RunContext, fuel: u64, operation: Operation) -> Result<Value, HostFailure> {
    match operation {
        Operation::Find { kind, name } => Ok(json!(run.find(kind.into(), &name))),
        Operation::Name { handle } => Ok(json!(run.handle_name(handle))),
        Operation::HttpSend { handle, request } => {
            let answer = run.http_send(handle, request.into_outgoing()?).await?;
            check_memory(run, answer.body.0.len())?;
            Ok(shown_answer(&answer))
        }
        Operation::SecretsReveal { handle } => {
            run.secret_reveal(handle).map(|value| shown_bytes("value", &value))
        }
        Operation::StorageGet { handle, key } => {
            let value = run.storage_get(handle, &key).await?;
            check_memory(run, value.as_ref().map_or(0, Vec::len))?;
            Ok(value.map_or(Value::Null, |value| shown_bytes("value", &value)))
        }
        Operation::StoragePut { handle, key, value_text, value_base64 } => {
            let value = given_bytes("value", value_text, value_base64)?;
            run.storage_put(handle, &key, value).await.map(|()| Value::Null)
        }
        Operation::StorageDelete { handle, key } => run.storage_delete(handle, &key).await.map(Value::Bool),
        Operation::StorageList { handle, prefix, cursor, limit } => {
            let page = run.storage_list(handle, &prefix, cursor.as_deref(), limit).await?;
            Ok(json!({ "keys": page.keys, "next": page.next }))
        }
        Operation::ChannelsPublish { handle, content_type, body_text, body_base64 } => {
            let body = given_bytes("body", body_text, body_base64)?;
            run.channel_publish(handle, &content_type, body).await.map(|()| Value::Null)
        }
        Operation::LogWrite { level, message } => {
            run.log(level, "log", &message);
            Ok(Value::Null)
        }
        Operation::RunId {} => Ok(json!(*run.run_id)),
        Operation::ToolId {} => Ok(json!(*run.tool_id)),
        Operation::RemainingFuel {} => run.observe("run.remaining_fuel", || fuel).map(|fuel| json!(fuel)),
        Operation::RemainingMilliseconds {} => run.remaining_millis().map(|millis| json!(millis)),
        Operation::OperatorConfig {} => serde_json::from_str(run.operator_config.as_str())
            .map_err(|error| HostFailure::Unavailable(error.to_string())),
    }
}

impl Request {
    fn into_outgoing(self) -> Result<HttpOutgoing, HostFailure> {
        let body = match (&self.body_text, &self.body_base64) {
            (None, None) => Vec::new(),
            _ => given_bytes("body", self.body_text, self.body_base64)?,
        };
        let secret =
            |injection: Injection| HttpSecret { handle: injection.secret, form: injection.form.into() };
        Ok(HttpOutgoing {
            method: self.method,
            url: self.url,
            headers: self.headers,
            body,
            secrets: self.secrets.into_iter().map(secret).collect(),
            timeout_ms: self.timeout_ms,
        })
    }
}

impl From<Form> for InjectionForm {
    fn from(form: Form) -> Self {
        match form {
            Form::Bearer => Self::Bearer,
            Form::Header(name) => Self::Header(name),
            Form::Query(name) => Self::Query(name),
            Form::BasicPassword(username) => Self::BasicPassword { username },
        }
    }
}

impl From<Kind> for CapabilityKind {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Http => Self::Http,
            Kind::Secret => Self::Secret,
            Kind::Storage => Self::Storage,
            Kind::Channel => Self::Channel,
        }
    }
}

fn given_bytes(name: &str, text: Option<String>, base64: Option<String>) -> Result<Vec<u8>, HostFailure> {
    match (text, base64) {
        (Some(text), None) => Ok(text.into_bytes()),
        (None, Some(encoded)) => STANDARD
            .decode(encoded)
            .map_err(|error| HostFailure::Invalid(format!("`{name}_base64`: {error}"))),
        _ => Err(HostFailure::Invalid(format!("pass either `{name}_text` or `{name}_base64`"))),
    }
}

/// Refuses bytes whose encoded form exceeds the run's memory, before they are encoded.
fn check_memory(run: &RunContext, bytes: usize) -> Result<(), HostFailure> {
    // Base64 and text together have seven bytes for three.
    run.hold(bytes.saturating_mul(7) / 3).map(drop)
}

/// Returns bytes as JSON for a guest: as base64, and as text if they are valid UTF-8.
fn shown_bytes(name: &str, bytes: &[u8]) -> Value {
    let mut shown = serde_json::Map::new();
    shown.insert(format!("{name}_base64"), Value::String(STANDARD.encode(bytes)));
    if let Ok(text) = std::str::from_utf8(bytes) {
        shown.insert(format!("{name}_text"), Value::String(text.to_owned()));
    }
    Value::Object(shown)
}

fn shown_answer(answer: &HttpAnswer) -> Value {
    let mut shown = shown_bytes("body", &answer.body.0);
    shown["status"] = json!(answer.status);
    shown["headers"] = json!(answer.headers);
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_of_the_contract_is_known() {
        let bodies = [
            ("host-capabilities.find", r#""kind":"http","name":"x""#),
            ("host-capabilities.name", r#""handle":1"#),
            (
                "http.send",
                r#""handle":1,"request":{"method":"GET","url":"u","secrets":[{"secret":2,"form":"bearer"},{"secret":2,"form":{"header":"x"}}]}"#,
            ),
            ("secrets.reveal", r#""handle":1"#),
            ("storage.get", r#""handle":1,"key":"k""#),
            ("storage.put", r#""handle":1,"key":"k","value_text":"v""#),
            ("storage.delete", r#""handle":1,"key":"k""#),
            ("storage.list", r#""handle":1,"prefix":"","limit":9"#),
            ("channels.publish", r#""handle":1,"content_type":"a","body_base64":"""#),
            ("log.write", r#""level":"info","message":"m""#),
            ("run.run-id", ""),
            ("run.tool-id", ""),
            ("run.remaining-fuel", ""),
            ("run.remaining-milliseconds", ""),
            ("run.operator-config", ""),
        ];
        let known: Vec<&str> = bodies.iter().map(|(op, _)| *op).collect();
        assert_eq!(known, palyra_plugins_sdk::abi::operations::ALL);
        for (op, body) in bodies {
            let comma = if body.is_empty() { "" } else { "," };
            let text = format!(r#"{{"op":"{op}"{comma}{body}}}"#);
            serde_json::from_str::<Operation>(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
        }
        for bad in [
            r#"{"op":"shell"}"#,
            r#"{"op":"storage.get","handle":1,"key":"k","x":1}"#,
            r#"{"op":"run.run-id","x":1}"#,
            "[]",
            "1",
        ] {
            assert!(serde_json::from_str::<Operation>(bad).is_err(), "{bad}");
        }
    }
}
