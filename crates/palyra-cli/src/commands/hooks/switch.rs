//! `palyra hooks enable` and `palyra hooks disable`.

use super::view;
use crate::cli::Globals;
use crate::client;
use crate::error::CliError;
use crate::output::{Remark, Reply};
use clap::Args;
use palyra_api::hooks::HookBinding;
use serde::Serialize;

const ENABLE: &str = "\
Example:
  palyra hooks enable tool-gate";

const DISABLE: &str = "\
Example:
  palyra hooks disable tool-gate";

/// Enable a binding for events from now on
#[derive(Args)]
#[command(before_help = ENABLE)]
pub(super) struct EnableArgs {
    /// Name of the binding
    binding: String,
}

/// Disable a binding; events in between are not delivered later
#[derive(Args)]
#[command(before_help = DISABLE)]
pub(super) struct DisableArgs {
    /// Name of the binding
    binding: String,
}

#[derive(Serialize)]
pub(super) struct Enabled(HookBinding);

#[derive(Serialize)]
pub(super) struct Disabled(HookBinding);

pub(super) fn enable(args: &EnableArgs, globals: &Globals) -> Result<Enabled, CliError> {
    let switch = async |client: client::AnyClient| client.switch_hook(&args.binding, true).await;
    client::ask(globals, "hooks enable", switch).map(Enabled)
}

pub(super) fn disable(args: &DisableArgs, globals: &Globals) -> Result<Disabled, CliError> {
    let switch = async |client: client::AnyClient| client.switch_hook(&args.binding, false).await;
    client::ask(globals, "hooks disable", switch).map(Disabled)
}

impl Reply for Enabled {
    const SCHEMA: &'static str = "palyra.hooks.enable/v1";

    fn data(&self) -> String {
        view::binding(&self.0)
    }
}

impl Reply for Disabled {
    const SCHEMA: &'static str = "palyra.hooks.disable/v1";

    fn data(&self) -> String {
        view::binding(&self.0)
    }

    fn talk(&self) -> Vec<Remark> {
        if self.0.gate {
            vec![Remark::Warning("this gate no longer checks calls".into())]
        } else {
            Vec::new()
        }
    }
}
