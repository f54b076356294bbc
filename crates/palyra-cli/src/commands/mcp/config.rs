//! `palyra mcp config`: what to paste where, so that a client starts `palyra mcp serve`.

use super::client_token::parse_client;
use crate::cli::Globals;
use crate::error::CliError;
use crate::output::{Remark, Reply};
use clap::Args;
use palyra_common::InOrder;
use serde::Serialize;
use serde_json::{Value, json};

const EXAMPLE: &str = "\
Example:
  palyra mcp config claude-desktop
  palyra mcp config generic --json";

/// The clients whose files are known: the name, where the text goes, and the field it goes into.
const CLIENTS: [(&str, &str, &str); 7] = [
    ("claude-desktop", "claude_desktop_config.json (Settings, Developer, Edit Config)", "mcpServers"),
    ("claude-code", ".mcp.json in the project", "mcpServers"),
    ("cursor", "~/.cursor/mcp.json, or .cursor/mcp.json in the project", "mcpServers"),
    ("windsurf", "~/.codeium/windsurf/mcp_config.json", "mcpServers"),
    ("vscode", ".vscode/mcp.json in the workspace", "servers"),
    ("zed", "settings.json of Zed", "context_servers"),
    ("generic", "the configuration of the client", "mcpServers"),
];

/// Print the configuration of an MCP client
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct ConfigArgs {
    /// Client: claude-desktop, claude-code, cursor, windsurf, vscode, zed or generic
    #[arg(value_name = "CLIENT", value_parser = clap::builder::PossibleValuesParser::new(CLIENTS.map(|client| client.0)))]
    client: String,
}

/// What to paste, and where.
#[derive(Serialize)]
pub(super) struct Pasted {
    client: String,
    file: &'static str,
    #[serde(serialize_with = "palyra_common::json::in_order::serialize")]
    config: Value,
}

pub(super) fn execute(args: &ConfigArgs, globals: &Globals) -> Result<Pasted, CliError> {
    let client = parse_client(&args.client).map_err(CliError::usage)?;
    let known = CLIENTS.iter().find(|(name, ..)| *name == client);
    let (_, file, field) = known.copied().unwrap_or(("", "", "mcpServers"));
    let program = std::env::current_exe().map_err(CliError::io("cannot find the path of this program"))?;
    let mut server =
        json!({ "command": program.display().to_string(), "args": arguments(&client, globals)? });
    if client == "vscode" {
        server["type"] = "stdio".into();
    }
    Ok(Pasted { client, file, config: json!({ field: { "palyra": server } }) })
}

/// A client starts the command with hardly any environment, so that everything is said here.
fn arguments(client: &str, globals: &Globals) -> Result<Vec<String>, CliError> {
    let mut arguments: Vec<String> = ["mcp", "serve", "--client", client].map(str::to_owned).into();
    let absolute = |path: &std::path::Path| {
        let path = std::path::absolute(path).map_err(CliError::io("cannot find the current directory"))?;
        Ok::<_, CliError>(path.display().to_string())
    };
    if let Some(root) = &globals.state_root {
        arguments.extend(["--state-root".to_owned(), absolute(root)?]);
    }
    if let Some(url) = &globals.url {
        arguments.extend(["--url".to_owned(), url.clone()]);
    }
    if let Some(file) = &globals.token_file {
        arguments.extend(["--token-file".to_owned(), absolute(file)?]);
    }
    Ok(arguments)
}

impl Reply for Pasted {
    const SCHEMA: &'static str = "palyra.mcp.config/v1";

    fn data(&self) -> String {
        let text = InOrder(&self.config).to_string();
        let pretty =
            serde_json::from_str::<Value>(&text).and_then(|value| serde_json::to_string_pretty(&value));
        pretty.unwrap_or(text) + "\n"
    }

    fn talk(&self) -> Vec<Remark> {
        vec![
            Remark::Note(format!("paste it into {}", self.file)),
            Remark::Note(format!(
                "the client gets the token `mcp-{}`; see `palyra tokens list`",
                self.client
            )),
        ]
    }
}
