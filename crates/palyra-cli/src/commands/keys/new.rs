//! `palyra keys new`.

use super::view::key_facts;
use crate::cli::Globals;
use crate::client::{self, AnyClient};
use crate::error::CliError;
use crate::output::{Remark, Reply};
use clap::Args;
use palyra_api::keys::SigningKey;
use serde::Serialize;

const EXAMPLE: &str = "\
Example:
  palyra keys new release";

/// Create a signing key in the vault
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct NewArgs {
    /// Name of the key: lower-case letters, digits, `.`, `_` and `-`
    name: String,
}

#[derive(Serialize)]
pub(super) struct Made {
    key: SigningKey,
}

pub(super) fn execute(args: &NewArgs, globals: &Globals) -> Result<Made, CliError> {
    let new = async |client: AnyClient| client.new_key(&args.name).await;
    client::ask(globals, "keys new", new).map(|key| Made { key })
}

impl Reply for Made {
    const SCHEMA: &'static str = "palyra.keys.new/v1";

    fn data(&self) -> String {
        key_facts(&self.key)
    }

    fn talk(&self) -> Vec<Remark> {
        let name = &self.key.name;
        vec![Remark::Next(format!("publish the public key: `palyra keys export {name} --public`"))]
    }
}
