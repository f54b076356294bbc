//! `palyra mcp config`: prints the configuration with which a client starts `palyra mcp serve`, or writes it to the
//! client's file.

mod client_file;
mod merge;

use super::client_token::parse_client;
use crate::cli::Globals;
use crate::error::CliError;
use crate::output::{Remark, Reply};
use crate::program::quoted;
use clap::Args;
use client_file::Written;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::PathBuf;

const EXAMPLE: &str = "\
Example:
  palyra mcp config claude-desktop
  palyra mcp config cursor --write
  palyra mcp config generic --write --file ~/.config/editor/mcp.json";

const MORE: &str = "\
`--write` adds the server `palyra` to the file of the client, or replaces it there, and leaves everything else as
it is. A file that is not plain JSON is not touched. `claude-code` and `vscode` have their file in the current
directory, the others in your home directory; `--file` names another one.";

/// Clients with known configuration files: name, path, and the field for servers.
const CLIENTS: [(&str, &str, &str); 7] = [
    ("claude-desktop", "claude_desktop_config.json (Settings, Developer, Edit Config)", "mcpServers"),
    ("claude-code", ".mcp.json in the project", "mcpServers"),
    ("cursor", "~/.cursor/mcp.json, or .cursor/mcp.json in the project", "mcpServers"),
    ("windsurf", "~/.codeium/windsurf/mcp_config.json", "mcpServers"),
    ("vscode", ".vscode/mcp.json in the workspace", "servers"),
    ("zed", "settings.json of Zed", "context_servers"),
    ("generic", "the configuration of the client", "mcpServers"),
];

/// Name of the server in every configuration.
const SERVER: &str = "palyra";

/// Print or write the configuration of an MCP client
#[derive(Args)]
#[command(before_help = EXAMPLE, after_help = MORE)]
pub(super) struct ConfigArgs {
    /// Client: claude-desktop, claude-code, cursor, windsurf, vscode, zed or generic
    #[arg(value_name = "CLIENT", value_parser = clap::builder::PossibleValuesParser::new(CLIENTS.map(|client| client.0)))]
    client: String,

    /// Write it to the file of the client, beside the servers that are there
    #[arg(long)]
    write: bool,

    /// File to write to instead of the client's own
    #[arg(long, value_name = "FILE", requires = "write")]
    file: Option<PathBuf>,
}

/// The server entry of a client's configuration; fields in the usual order.
#[derive(Serialize)]
struct Server {
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    kind: Option<&'static str>,
    command: String,
    args: Vec<String>,
}

/// A configuration, its location, and whether it was written.
#[derive(Serialize)]
pub(super) struct Configured {
    client: String,
    file: &'static str,
    config: BTreeMap<&'static str, BTreeMap<&'static str, Server>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    written: Option<Written>,
    #[serde(skip)]
    add_command: Option<String>,
}

pub(super) fn execute(args: &ConfigArgs, globals: &Globals) -> Result<Configured, CliError> {
    let client = parse_client(&args.client).map_err(CliError::usage)?;
    let known = CLIENTS.iter().find(|(name, ..)| *name == client);
    let (_, file, field) = known.copied().unwrap_or(("", "", "mcpServers"));
    let program = std::env::current_exe().map_err(CliError::io("cannot find the path of this program"))?;
    let server = Server {
        kind: (client == "vscode").then_some("stdio"),
        command: program.display().to_string(),
        args: arguments(&client, globals)?,
    };
    let written = if args.write {
        Some(client_file::write(&client, args.file.as_deref(), field, SERVER, &server)?)
    } else {
        None
    };
    let arguments = std::iter::once(&server.command).chain(&server.args).map(|argument| quoted(argument));
    let command = arguments.collect::<Vec<_>>().join(" ");
    let add_command =
        (client == "claude-code").then(|| format!("claude mcp add --scope user {SERVER} -- {command}"));
    let config = BTreeMap::from([(field, BTreeMap::from([(SERVER, server)]))]);
    Ok(Configured { client, file, config, written, add_command })
}

/// Returns the arguments of the server. They contain every setting, because clients start it with a minimal
/// environment.
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

impl Reply for Configured {
    const SCHEMA: &'static str = "palyra.mcp.config/v1";

    fn data(&self) -> String {
        serde_json::to_string_pretty(&self.config).unwrap_or_default() + "\n"
    }

    fn talk(&self) -> Vec<Remark> {
        let mut talk = match &self.written {
            Some(written) => written.remarks(),
            None => vec![
                Remark::Note(format!("paste it into {}", self.file)),
                Remark::Next(format!(
                    "or write it to the file with `palyra mcp config {} --write`",
                    self.client
                )),
            ],
        };
        if let Some(command) = self.add_command.as_ref().filter(|_| self.written.is_none()) {
            talk.push(Remark::Next(format!("or for all projects: `{command}`")));
        }
        talk.push(Remark::Note(format!(
            "the client gets the token `mcp-{}`; see `palyra tokens list`",
            self.client
        )));
        talk
    }
}
