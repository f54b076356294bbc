//! `palyra hooks apply`.

use super::view;
use crate::cli::Globals;
use crate::client;
use crate::error::CliError;
use crate::output::{Remark, Reply, facts};
use clap::{ArgAction, Args};
use palyra_api::hooks::{ApplyRequest, HookList};
use serde::Serialize;

const EXAMPLE: &str = "\
Example:
  palyra hooks apply
  palyra hooks apply --restore";

/// Apply the edited `hooks/bindings.json`
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct ApplyArgs {
    /// Rewrite the file from the applied bindings instead
    #[arg(long, action = ArgAction::SetTrue)]
    restore: bool,
}

#[derive(Serialize)]
pub(super) struct Applied(HookList);

pub(super) fn execute(args: &ApplyArgs, globals: &Globals) -> Result<Applied, CliError> {
    let request = ApplyRequest { restore: args.restore };
    client::ask(globals, "hooks apply", async |client| client.apply_hooks(&request).await).map(Applied)
}

impl Reply for Applied {
    const SCHEMA: &'static str = "palyra.hooks.apply/v1";

    fn data(&self) -> String {
        let gates = self.0.bindings.iter().filter(|binding| binding.gate && binding.enabled).count();
        facts(&[("bindings", self.0.bindings.len().to_string()), ("gates", gates.to_string())])
    }

    fn talk(&self) -> Vec<Remark> {
        view::file(&self.0.file)
    }
}
