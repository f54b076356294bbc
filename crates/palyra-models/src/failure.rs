//! Converts errors reported by providers to typed errors.

use crate::error::ModelError;
use crate::limits::MAX_MESSAGE_CHARS;
use palyra_common::redact::escape_untrusted;
use palyra_egress::Redactor;
use serde::Deserialize;
use serde_json::Value;
use std::time::Duration;

/// The error of a provider, in any of the common forms.
#[derive(Debug, Default, Deserialize)]
#[serde(from = "Value")]
pub(crate) struct ErrorBody {
    message: String,
    /// The values of `code` and `type`, which differ between providers.
    kinds: Vec<String>,
}

impl From<Value> for ErrorBody {
    fn from(value: Value) -> Self {
        let text = |value: &Value| match value {
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        };
        if let Some(inner) = value.get("error").filter(|inner| !inner.is_null()) {
            return Self::from(inner.clone());
        }
        let member = |name: &str| value.get(name).and_then(text);
        let message = text(&value).or_else(|| member("message")).or_else(|| member("detail"));
        Self {
            message: message.unwrap_or_else(|| "no reason given".to_owned()),
            kinds: ["code", "type"].into_iter().filter_map(member).collect(),
        }
    }
}

/// Names that providers, servers and routers use for a conversation that exceeds the context window.
const CONTEXT_KINDS: [&str; 3] =
    ["context_length_exceeded", "exceed_context_size_error", "request_too_large"];
const CONTEXT_PHRASES: [&str; 4] =
    ["prompt is too long", "maximum context length", "exceeds the available context size", "context window"];

/// Converts an error inside of a successful stream.
pub(crate) fn failure_in_stream(body: ErrorBody) -> ModelError {
    let is = |kind: &str| body.kinds.iter().any(|known| known == kind);
    if body.is_about_context() {
        return ModelError::ContextTooLong { message: body.message };
    }
    if is("rate_limit_error") || is("rate_limit_exceeded") || is("429") {
        return ModelError::RateLimited { retry_after: None, message: body.message };
    }
    ModelError::ProviderFailed { status: None, message: body.message }
}

/// Converts a response with a status other than 200.
pub(crate) fn failure_of_response(status: u16, retry_after: Option<Duration>, body: &[u8]) -> ModelError {
    let body = match serde_json::from_slice::<Value>(body) {
        Ok(value) => ErrorBody::from(value),
        Err(_) => ErrorBody { message: plain_text(body), kinds: Vec::new() },
    };
    let message = body.message.clone();
    match status {
        429 => ModelError::RateLimited { retry_after, message },
        // Some servers report it with a 500.
        400 | 413 | 422 | 500 if body.is_about_context() => ModelError::ContextTooLong { message },
        413 => ModelError::ContextTooLong { message },
        408 | 409 | 500.. => ModelError::ProviderFailed { status: Some(status), message },
        _ => ModelError::Refused { status, message },
    }
}

impl ErrorBody {
    fn is_about_context(&self) -> bool {
        let message = self.message.to_ascii_lowercase();
        self.kinds.iter().any(|kind| CONTEXT_KINDS.contains(&kind.as_str()))
            || CONTEXT_PHRASES.iter().any(|phrase| message.contains(phrase))
    }
}

/// Returns the message of a body that is not JSON, such as the page of a proxy.
fn plain_text(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body);
    match text.trim() {
        "" => "no reason given".to_owned(),
        text if text.starts_with('<') => "the response is an HTML page".to_owned(),
        text => text.to_owned(),
    }
}

impl ModelError {
    /// Returns the error with every text on one line, clipped and without secrets.
    pub(crate) fn cleaned(self, redactor: &Redactor) -> Self {
        let clean = |text: String| -> String {
            let text = redactor.redact_text(&text).into_owned();
            let clipped: String = text.chars().take(MAX_MESSAGE_CHARS).collect();
            escape_untrusted(&clipped.replace(['\n', '\r'], " "))
        };
        match self {
            Self::Unreachable { reason } => Self::Unreachable { reason: clean(reason) },
            Self::RateLimited { retry_after, message } => {
                Self::RateLimited { retry_after, message: clean(message) }
            }
            Self::ContextTooLong { message } => Self::ContextTooLong { message: clean(message) },
            Self::Refused { status, message } => Self::Refused { status, message: clean(message) },
            Self::ProviderFailed { status, message } => {
                Self::ProviderFailed { status, message: clean(message) }
            }
            Self::MalformedFrame { frame, reason } => Self::MalformedFrame { frame, reason: clean(reason) },
            other => other,
        }
    }
}

/// Parses `Retry-After`, which is a number of seconds or a date.
pub(crate) fn retry_after(value: &str, now_unix_ms: u64) -> Option<Duration> {
    if let Ok(seconds) = value.trim().parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let at = jiff::fmt::rfc2822::parse(value.trim()).ok()?.timestamp().as_millisecond();
    let wait = u64::try_from(at).ok()?.saturating_sub(now_unix_ms);
    Some(Duration::from_millis(wait))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn context_and_rate_errors_are_recognised_for_each_provider() {
        for (status, body) in [
            (
                400,
                r#"{"error":{"message":"too many tokens","type":"invalid_request_error","code":"context_length_exceeded"}}"#,
            ),
            (
                400,
                r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}"#,
            ),
            (
                400,
                r#"{"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error"}}"#,
            ),
            (400, r#"{"object":"error","message":"This model's maximum context length is 4096 tokens"}"#),
            (413, "<html>too large</html>"),
        ] {
            let error = failure_of_response(status, None, body.as_bytes());
            assert!(matches!(error, ModelError::ContextTooLong { .. }), "{body}: {error:?}");
        }
        let error = failure_of_response(429, Some(Duration::from_secs(2)), b"slow down");
        let expected = ModelError::RateLimited {
            retry_after: Some(Duration::from_secs(2)),
            message: "slow down".into(),
        };
        assert_eq!(error, expected);
        let error = failure_of_response(401, None, br#"{"error":"bad key"}"#);
        assert_eq!(error, ModelError::Refused { status: 401, message: "bad key".into() });
        let error = failure_of_response(529, None, b"");
        assert_eq!(
            error,
            ModelError::ProviderFailed { status: Some(529), message: "no reason given".into() }
        );
    }

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        let now = 1_700_000_000_000;
        for (value, expected) in [
            ("2", Some(2_000)),
            ("0.5", Some(500)),
            ("Tue, 14 Nov 2023 22:13:30 GMT", Some(10_000)),
            ("Tue, 14 Nov 2023 22:13:00 GMT", Some(0)),
            ("-1", None),
            ("soon", None),
            ("1e300", None),
        ] {
            assert_eq!(retry_after(value, now), expected.map(Duration::from_millis), "{value}");
        }
    }

    #[test]
    fn texts_of_a_provider_are_clipped_and_freed_of_the_key() {
        let key = palyra_common::SecretValue::new("sk-secret-key");
        let redactor = Redactor::new([&key]);
        let message = format!("bad key sk-secret-key\n\u{1b}[31m{}", "x".repeat(1_000));
        let ModelError::Refused { message, .. } =
            (ModelError::Refused { status: 401, message }).cleaned(&redactor)
        else {
            panic!("another error")
        };
        assert!(message.starts_with("bad key **** \\u{1b}[31mxxx"), "{message}");
        assert!(message.len() < 400 && !message.contains('\n'));
    }
}
