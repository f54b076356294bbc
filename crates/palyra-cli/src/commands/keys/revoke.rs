//! `palyra keys revoke`: a key that is known or feared to be in other hands.

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
Nothing un-revokes a key: everything it signed is refused here from now on. With `--publisher`
and `--out` a signed statement is written that says so to everybody who trusts the publisher.";

/// Revoke a signing key for good.
#[derive(Args)]
#[command(before_help = EXAMPLE, after_help = MORE)]
pub(super) struct RevokeArgs {
    /// The key
    name: String,

    /// Why; others read it
    #[arg(long, value_name = "TEXT")]
    reason: String,

    /// Write a statement in the name of this publisher
    #[arg(long, value_name = "PUBLISHER", requires = "out")]
    publisher: Option<PublisherName>,

    /// Where the statement is written; the file must not exist
    #[arg(long, value_name = "FILE", requires = "publisher")]
    out: Option<PathBuf>,

    /// A key of the publisher's that signs the statement; may be given again [default: the key itself]
    #[arg(long, value_name = "NAME", requires = "publisher")]
    sign_with: Vec<String>,

    /// The number of the statement, above that of the last one [default: the next one known here]
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
    confirm(globals, &format!("revoke the signing key `{}` for good?", args.name))?;
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
            Some(path) => format!("send it to whoever trusts you: `palyra trust apply {path}`"),
            None => "others still trust it: tell them with a statement, as `palyra keys revoke --help` shows"
                .into(),
        };
        vec![Remark::Next(next)]
    }
}
