//! `palyra keys revoke`: revokes a key that is or may be compromised.

use super::view::key_facts;
use crate::cli::Globals;
use crate::client::{self, AnyClient};
use crate::error::CliError;
use crate::files::NewFile;
use crate::output::{Remark, Reply};
use crate::terminal::confirm;
use clap::Args;
use palyra_api::keys::{RevocationStatement, RevokeKeyRequest, SigningKey};
use palyra_skills::manifest::PublisherName;
use serde::Serialize;
use std::path::PathBuf;

const EXAMPLE: &str = "\
Example:
  palyra keys revoke release --reason 'the laptop was stolen'
  palyra keys revoke release --reason 'the laptop was stolen' --publisher acme --out revoked.json";

const MORE: &str = "\
A revocation cannot be undone: this state root rejects everything the key signed. With `--publisher` and
`--out` a signed statement is written that revokes the key for everyone who trusts the publisher.";

/// Revoke a signing key permanently
#[derive(Args)]
#[command(before_help = EXAMPLE, after_help = MORE)]
pub(super) struct RevokeArgs {
    /// Name of the key
    name: String,

    /// Reason (public)
    #[arg(long, value_name = "TEXT")]
    reason: String,

    /// Publisher named in the statement
    #[arg(long, value_name = "PUBLISHER", requires = "out")]
    publisher: Option<PublisherName>,

    /// File to write the statement to; it must not exist
    #[arg(long, value_name = "FILE", requires = "publisher")]
    out: Option<PathBuf>,

    /// Publisher key that signs the statement (repeatable) [default: the revoked key]
    #[arg(long, value_name = "NAME", requires = "publisher")]
    sign_with: Vec<String>,

    /// Sequence number of the statement [default: the next one]
    #[arg(long, value_name = "N", requires = "publisher")]
    number: Option<u64>,
}

#[derive(Serialize)]
pub(super) struct Revoked {
    key: SigningKey,
    reason: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    statement: Option<String>,
}

pub(super) fn execute(args: &RevokeArgs, globals: &Globals) -> Result<Revoked, CliError> {
    confirm(globals, &format!("Revoke the signing key `{}` permanently?", args.name))?;
    let out = args.out.as_deref().map(NewFile::prepare).transpose()?;
    let statement = args.publisher.as_ref().map(|publisher| RevocationStatement {
        publisher: publisher.as_str().to_owned(),
        sign_with: args.sign_with.clone(),
        number: args.number,
    });
    let request = RevokeKeyRequest { reason: args.reason.clone(), statement };
    let revoke = async |client: AnyClient| client.revoke_key(&args.name, &request).await;
    let revoked = client::ask(globals, "keys revoke", revoke)?;
    if let (Some(out), Some(statement)) = (out, &revoked.statement) {
        out.write(statement.get().as_bytes())?;
    }
    Ok(Revoked {
        key: revoked.key,
        reason: revoked.reason,
        statement: args.out.as_ref().map(|path| path.display().to_string()),
    })
}

impl Reply for Revoked {
    const SCHEMA: &'static str = "palyra.keys.revoke/v1";

    fn data(&self) -> String {
        key_facts(&self.key)
    }

    fn talk(&self) -> Vec<Remark> {
        let next = match &self.statement {
            Some(path) => format!("send it to everyone who trusts you; they run `palyra trust apply {path}`"),
            None => "others still trust this key: publish a statement, as `palyra keys revoke --help` shows"
                .into(),
        };
        vec![Remark::Next(next)]
    }
}
