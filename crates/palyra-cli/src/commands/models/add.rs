//! `palyra models add`.

use super::view;
use crate::cli::Globals;
use crate::client;
use crate::error::CliError;
use crate::output::{Remark, Reply};
use clap::{Args, ValueEnum};
use palyra_api::models::{AddModelRequest, Model, ModelPrice};
use serde::Serialize;

const EXAMPLE: &str = "\
Example:
  palyra models add gpt --protocol responses --base-url https://api.openai.com --model gpt-5-mini --key global/openai_key
  palyra models add claude --protocol messages --base-url https://api.anthropic.com --model claude-sonnet-4-5 --key global/anthropic_key
  palyra models add local --base-url http://127.0.0.1:11434 --allow-loopback --model qwen3:8b
  palyra models add tiny --base-url http://127.0.0.1:8080 --allow-loopback --model qwen2.5-coder:1.5b --small";

/// Add a model; the first one becomes the default
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct AddArgs {
    /// Name of the model in Palyra
    name: String,

    /// Protocol of the provider
    #[arg(long, value_enum, value_name = "PROTOCOL", default_value_t)]
    protocol: ProtocolName,

    /// Base URL of the provider; `/v1` is added if it has no path
    #[arg(long, value_name = "URL")]
    base_url: String,

    /// Model name at the provider
    #[arg(long, value_name = "MODEL")]
    model: String,

    /// Vault secret with the API key
    #[arg(long, value_name = "SCOPE/KEY")]
    key: Option<String>,

    /// Allow a provider on this machine, also over `http`
    #[arg(long)]
    allow_loopback: bool,

    /// Context window in tokens
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    context_tokens: Option<u32>,

    /// Maximum output tokens per response
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    max_output_tokens: Option<u32>,

    /// Price per million input tokens, for example `0.25`
    #[arg(long, value_name = "AMOUNT", requires = "output_price", value_parser = view::parse_money)]
    input_price: Option<u64>,

    /// Price per million output tokens, for example `2.00`
    #[arg(long, value_name = "AMOUNT", requires = "input_price", value_parser = view::parse_money)]
    output_price: Option<u64>,

    /// Small model: it fills in arguments of the tools that the router ranks
    #[arg(long)]
    small: bool,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum ProtocolName {
    /// OpenAI-compatible: Ollama, vLLM, llama.cpp and most routers
    #[default]
    ChatCompletions,
    /// OpenAI Responses
    Responses,
    /// Anthropic Messages
    Messages,
}

impl ProtocolName {
    fn word(self) -> &'static str {
        match self {
            Self::ChatCompletions => "chat-completions",
            Self::Responses => "responses",
            Self::Messages => "messages",
        }
    }
}

#[derive(Serialize)]
pub(super) struct Added(Model);

pub(super) fn execute(args: &AddArgs, globals: &Globals) -> Result<Added, CliError> {
    let price = args.input_price.zip(args.output_price).map(|(input, output)| ModelPrice { input, output });
    let request = AddModelRequest {
        name: args.name.clone(),
        protocol: args.protocol.word().to_owned(),
        base_url: args.base_url.clone(),
        model: args.model.clone(),
        key: args.key.clone(),
        allow_loopback: args.allow_loopback,
        context_tokens: args.context_tokens,
        max_output_tokens: args.max_output_tokens,
        price,
        small: args.small,
    };
    client::ask(globals, "models add", async |client| client.add_model(&request).await).map(Added)
}

impl Reply for Added {
    const SCHEMA: &'static str = "palyra.models.add/v1";

    fn data(&self) -> String {
        view::model(&self.0)
    }

    fn talk(&self) -> Vec<Remark> {
        vec![Remark::Next(format!("palyra models test {}", self.0.name))]
    }
}
