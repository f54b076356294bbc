//! The three supported protocols of providers.

use crate::chat::{self, ChatDecoder};
use crate::endpoint::Endpoint;
use crate::error::ModelError;
use crate::messages::{self, MessagesDecoder};
use crate::request::ModelRequest;
use crate::responses::{self, ResponsesDecoder};
use crate::stream::Decoder;
use palyra_egress::InjectionForm;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt;
use std::str::FromStr;

/// The protocol of a provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Protocol {
    /// Chat completions as OpenAI defined them, which Ollama, vLLM, llama.cpp, LM Studio and routers support too.
    ChatCompletions,
    /// The Responses API of OpenAI.
    Responses,
    /// The Messages API of Anthropic.
    Messages,
}

/// The text is not the name of a protocol.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown protocol `{0}`: choose from chat-completions, responses, messages")]
pub struct UnknownProtocol(String);

impl Protocol {
    /// Every supported protocol.
    pub const ALL: [Self; 3] = [Self::ChatCompletions, Self::Responses, Self::Messages];

    /// Returns the name on the wire and on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ChatCompletions => "chat-completions",
            Self::Responses => "responses",
            Self::Messages => "messages",
        }
    }

    /// Returns the path of a request below the base URL.
    pub(crate) fn path(self) -> &'static str {
        match self {
            Self::ChatCompletions => "/chat/completions",
            Self::Responses => "/responses",
            Self::Messages => "/messages",
        }
    }

    /// Returns the placement of the key.
    pub(crate) fn key_form(self) -> InjectionForm {
        match self {
            Self::ChatCompletions | Self::Responses => InjectionForm::Bearer,
            Self::Messages => InjectionForm::Header("x-api-key".to_owned()),
        }
    }

    /// Headers besides those of every request.
    pub(crate) fn headers(self) -> Vec<(String, String)> {
        match self {
            Self::ChatCompletions | Self::Responses => Vec::new(),
            Self::Messages => vec![("anthropic-version".to_owned(), "2023-06-01".to_owned())],
        }
    }

    /// Encodes the body of a request.
    pub(crate) fn encode(self, request: &ModelRequest, endpoint: &Endpoint) -> Result<Value, ModelError> {
        match self {
            Self::ChatCompletions => chat::encode(request, endpoint.is_host("api.openai.com")),
            Self::Responses => responses::encode(request, endpoint.is_host("api.openai.com")),
            Self::Messages => messages::encode(request),
        }
    }

    pub(crate) fn decoder(self) -> Box<dyn Decoder> {
        match self {
            Self::ChatCompletions => Box::<ChatDecoder>::default(),
            Self::Responses => Box::<ResponsesDecoder>::default(),
            Self::Messages => Box::<MessagesDecoder>::default(),
        }
    }
}

impl fmt::Display for Protocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Protocol {
    type Err = UnknownProtocol;

    fn from_str(text: &str) -> Result<Self, UnknownProtocol> {
        let known = Self::ALL.into_iter().find(|protocol| protocol.as_str() == text);
        known.ok_or_else(|| UnknownProtocol(text.chars().take(60).collect()))
    }
}
