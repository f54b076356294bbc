//! `palyra hooks show`.

use super::view;
use crate::cli::Globals;
use crate::client;
use crate::error::CliError;
use crate::output::{Remark, Reply};
use clap::Args;
use palyra_api::hooks::HookBinding;
use serde::Serialize;

const EXAMPLE: &str = "\
Example:
  palyra hooks show tool-gate";

/// Show a binding with its progress and errors
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct ShowArgs {
    /// Name of the binding
    binding: String,
}

#[derive(Serialize)]
pub(super) struct Shown(HookBinding);

pub(super) fn execute(args: &ShowArgs, globals: &Globals) -> Result<Shown, CliError> {
    client::ask(globals, "hooks show", async |client| client.hook(&args.binding).await).map(Shown)
}

impl Reply for Shown {
    const SCHEMA: &'static str = "palyra.hooks.show/v1";

    fn data(&self) -> String {
        view::binding(&self.0)
    }

    fn talk(&self) -> Vec<Remark> {
        match self.0.dead_letters {
            0 => Vec::new(),
            _ => vec![Remark::Next(format!("palyra deliveries dead-letters list --hook {}", self.0.id))],
        }
    }
}
