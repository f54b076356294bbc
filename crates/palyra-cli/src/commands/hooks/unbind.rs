//! `palyra hooks unbind`.

use crate::cli::Globals;
use crate::client;
use crate::error::CliError;
use crate::output::{Reply, facts};
use clap::Args;
use palyra_api::hooks::HookBinding;
use serde::Serialize;

const EXAMPLE: &str = "\
Example:
  palyra hooks unbind tool-gate";

/// Remove a binding
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct UnbindArgs {
    /// Name of the binding
    binding: String,
}

#[derive(Serialize)]
pub(super) struct Unbound {
    unbound: HookBinding,
}

pub(super) fn execute(args: &UnbindArgs, globals: &Globals) -> Result<Unbound, CliError> {
    let unbind = async |client: client::AnyClient| client.unbind_hook(&args.binding).await;
    client::ask(globals, "hooks unbind", unbind).map(|unbound| Unbound { unbound })
}

impl Reply for Unbound {
    const SCHEMA: &'static str = "palyra.hooks.unbind/v1";

    fn data(&self) -> String {
        facts(&[("unbound", self.unbound.id.clone()), ("event", self.unbound.event.clone())])
    }
}
