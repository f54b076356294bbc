//! A model as an operator configured it.

pub use palyra_common::model::models::ModelPrice;

use std::collections::BTreeMap;

use palyra_common::capabilities::SecretRef;
use palyra_models::{Endpoint, Protocol, Usage};
use serde::{Deserialize, Serialize};

use crate::DefinitionError;
use crate::text::short_name;

/// Maximum length of a model's local name.
const MAX_NAME: usize = 64;
const MAX_PROVIDER_NAME: usize = 200;

/// A model and its provider. Contains the name of the provider's key, never the key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelRecord {
    /// Local name matching `[a-z0-9][a-z0-9._-]*`, at most 64 characters.
    pub name: String,
    /// API protocol of the provider.
    pub protocol: Protocol,
    /// Base URL of the provider, in normal form.
    pub base_url: String,
    /// Name of the model at the provider, at most 200 bytes.
    pub model: String,
    /// Secret in the vault with the provider's key, as `SCOPE/KEY`; `None` for a provider without keys.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Permits a provider on the loopback interface.
    #[serde(default)]
    pub allow_loopback: bool,
    /// Context size in tokens, if the operator configured it; at least 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_tokens: Option<u32>,
    /// Maximum number of output tokens per answer; `None` leaves the limit to the provider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_output_tokens: Option<u32>,
    /// Price of its tokens, if the operator configured it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price: Option<ModelPrice>,
    /// True for a small model that only fills in arguments of tools that the router selected.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub small: bool,
}

/// All models, and the name of the default one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ModelSettings {
    pub(crate) default: Option<String>,
    pub(crate) models: BTreeMap<String, ModelRecord>,
}

impl ModelRecord {
    /// Returns the validated endpoint of the provider.
    pub fn endpoint(&self) -> Result<Endpoint, DefinitionError> {
        Endpoint::new(&self.base_url, self.allow_loopback).map_err(|error| self.bad("base_url", error.reason))
    }

    /// Returns the parsed reference to the provider's key.
    pub fn key_reference(&self) -> Result<Option<SecretRef>, DefinitionError> {
        let parse = |key: &String| key.parse().map_err(|error| self.bad("key", format!("{error}")));
        self.key.as_ref().map(parse).transpose()
    }

    /// Returns the price of the tokens, rounded up, in millionths of the operator's currency; `None` without a price.
    pub fn cost(&self, usage: Usage) -> Option<u64> {
        let ModelPrice { input, output } = self.price?;
        let total = u128::from(usage.input_tokens) * u128::from(input)
            + u128::from(usage.output_tokens) * u128::from(output);
        u64::try_from(total.div_ceil(1_000_000)).ok()
    }

    /// Checks every field and normalizes the base URL.
    pub(super) fn checked(mut self) -> Result<Self, DefinitionError> {
        let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
        let first_is_plain = self.name.bytes().next().is_some_and(plain);
        let rest = self.name.bytes().all(|byte| plain(byte) || b"._-".contains(&byte));
        if !first_is_plain || !rest || self.name.len() > MAX_NAME {
            let reason = "use lower-case letters, digits, `.`, `_` and `-`, at most 64 characters";
            return Err(self.bad("name", reason.to_owned()));
        }
        let visible = |text: &str| !text.trim().is_empty() && !text.chars().any(char::is_control);
        if !visible(&self.model) || self.model.len() > MAX_PROVIDER_NAME {
            return Err(self.bad("model", "it is empty, too long, or has control characters".to_owned()));
        }
        for (field, tokens) in
            [("context_tokens", self.context_tokens), ("max_output_tokens", self.max_output_tokens)]
        {
            if tokens == Some(0) {
                return Err(self.bad(field, "it must be at least 1".to_owned()));
            }
        }
        self.key_reference()?;
        self.base_url = self.endpoint()?.base_url().to_owned();
        Ok(self)
    }

    fn bad(&self, field: &'static str, reason: String) -> DefinitionError {
        DefinitionError::Bad { kind: "model", name: short_name(&self.name), field, reason }
    }
}
