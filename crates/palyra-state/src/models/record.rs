//! One model, as an operator defined it.

use std::collections::BTreeMap;

use palyra_common::capabilities::SecretRef;
use palyra_models::{Endpoint, Protocol, Usage};
use serde::{Deserialize, Serialize};

use super::ModelSettingError;
use crate::text::short_name;

/// Longest name of a model, here and at its provider.
const MAX_NAME: usize = 64;
const MAX_PROVIDER_NAME: usize = 200;

/// A model and how it is reached. It names its key and never holds it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelRecord {
    /// Its name here: `[a-z0-9][a-z0-9._-]*`, at most 64 characters.
    pub name: String,
    /// The protocol of its provider.
    pub protocol: Protocol,
    /// The base URL of its provider.
    pub base_url: String,
    /// The model's name at its provider.
    pub model: String,
    /// The secret in the vault that holds the key, as `SCOPE/KEY`; none for a provider without keys.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Whether a provider on this machine is allowed.
    #[serde(default)]
    pub allow_loopback: bool,
    /// How many tokens its context has, where the operator knows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_tokens: Option<u32>,
    /// Most tokens of one answer; the provider's own limit without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_output_tokens: Option<u32>,
    /// Price per token, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price: Option<ModelPrice>,
    /// Whether it only fills in arguments of tools that the router ranks.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub small: bool,
}

/// Price per million tokens, in millionths of the operator's currency.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelPrice {
    /// Price of one million input tokens.
    pub input: u64,
    /// Price of one million output tokens.
    pub output: u64,
}

/// All models, and the default one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ModelSettings {
    pub(crate) default: Option<String>,
    pub(crate) models: BTreeMap<String, ModelRecord>,
}

impl ModelRecord {
    /// The checked place of its provider.
    pub fn endpoint(&self) -> Result<Endpoint, ModelSettingError> {
        Endpoint::new(&self.base_url, self.allow_loopback).map_err(|error| self.bad("base_url", error.reason))
    }

    /// The name of its key in the vault.
    pub fn key_reference(&self) -> Result<Option<SecretRef>, ModelSettingError> {
        let parse = |key: &String| key.parse().map_err(|error| self.bad("key", format!("{error}")));
        self.key.as_ref().map(parse).transpose()
    }

    /// What this many tokens cost, in millionths of the currency of the price, rounded up.
    pub fn cost(&self, usage: Usage) -> Option<u64> {
        let ModelPrice { input, output } = self.price?;
        let total = u128::from(usage.input_tokens) * u128::from(input)
            + u128::from(usage.output_tokens) * u128::from(output);
        u64::try_from(total.div_ceil(1_000_000)).ok()
    }

    /// Checks every field and puts the base URL in normal form.
    pub(super) fn checked(mut self) -> Result<Self, ModelSettingError> {
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

    fn bad(&self, field: &'static str, reason: String) -> ModelSettingError {
        ModelSettingError::Bad { name: short_name(&self.name), field, reason }
    }
}
