//! `palyra tokens add`.

use crate::cli::Globals;
use crate::client;
use crate::error::CliError;
use crate::output::{Remark, Reply, facts, when};
use clap::Args;
use palyra_api::tokens::{NewTokenRequest, Token};
use palyra_common::Scope;
use palyra_common::fs::Directory;
use serde::Serialize;
use std::path::{Path, PathBuf};

const EXAMPLE: &str = "\
Example:
  palyra tokens add editor --scope read --scope invoke --out editor.token
  palyra tokens add night --scope invoke --expires 30d";

/// Create a token and show its secret once
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct AddArgs {
    /// Name of the holder, as receipts show it
    name: String,

    /// Scope (repeatable); no scope implies another
    #[arg(long = "scope", value_name = "SCOPE", required = true)]
    scopes: Vec<Scope>,

    /// How long it is valid, for example `12h` or `30d` [default: until removed]
    #[arg(long, value_name = "TIME", value_parser = lifetime)]
    expires: Option<u64>,

    /// Write the secret to this new file that only you can read
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

#[derive(Serialize)]
pub(super) struct Added {
    token: Token,
    #[serde(skip_serializing_if = "Option::is_none")]
    secret: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
}

pub(super) fn execute(args: &AddArgs, globals: &Globals) -> Result<Added, CliError> {
    if let Some(path) = args.out.as_deref().filter(|path| path.exists()) {
        return Err(CliError::usage(format!("`{}` already exists", path.display())));
    }
    let request = NewTokenRequest {
        name: args.name.clone(),
        scopes: args.scopes.clone(),
        lifetime_seconds: args.expires,
    };
    let made = client::ask(globals, "tokens add", async |client| client.add_token(&request).await)?;
    match &args.out {
        None => Ok(Added { token: made.token, secret: Some(made.secret), file: None }),
        Some(path) => {
            write(path, &made.secret)?;
            Ok(Added { token: made.token, secret: None, file: Some(path.display().to_string()) })
        }
    }
}

fn write(path: &Path, secret: &str) -> Result<(), CliError> {
    let refused = |error: palyra_common::fs::FsError| {
        CliError::usage_with_hint(
            format!("cannot write the secret: {error}"),
            "the token exists: remove it with `palyra tokens remove NAME` and create it again",
        )
    };
    let (directory, name) = Directory::of_file(path).map_err(refused)?;
    directory.write_new(&name, format!("{secret}\n").as_bytes()).map_err(refused)
}

/// Parses a lifetime in days such as `30d`, or in the units of the daemon's flags; returns seconds.
fn lifetime(text: &str) -> Result<u64, String> {
    const DAY: u64 = 86_400;
    if let Some(days) = text.strip_suffix('d') {
        let days = days.parse::<u64>().ok().filter(|days| (1..=3_650).contains(days));
        return days
            .map(|days| days * DAY)
            .ok_or_else(|| format!("`{text}` is not a duration: write it like `30d`"));
    }
    palyra_daemon::serve::parse_duration(text).map(|time| time.as_secs()).map_err(|error| error.to_string())
}

impl Reply for Added {
    const SCHEMA: &'static str = "palyra.tokens.add/v1";

    fn data(&self) -> String {
        facts(&[
            ("token", self.token.name.clone()),
            ("may", self.token.scope_names()),
            ("until", self.token.expires_ms.map(when).unwrap_or_default()),
            ("file", self.file.clone().unwrap_or_default()),
            ("secret", self.secret.clone().unwrap_or_default()),
        ])
    }

    fn talk(&self) -> Vec<Remark> {
        match self.secret {
            Some(_) => vec![Remark::Warning(
                "the secret is not shown again; store it where only its owner can read it".into(),
            )],
            None => Vec::new(),
        }
    }
}
