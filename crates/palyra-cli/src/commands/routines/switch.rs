//! `palyra routines enable` and `palyra routines disable`.

use super::view;
use crate::cli::Globals;
use crate::client;
use crate::error::CliError;
use crate::output::{Remark, Reply, facts};
use clap::Args;
use palyra_api::routines::Routine;
use serde::Serialize;

const ENABLE: &str = "\
Example:
  palyra routines enable morning";

const DISABLE: &str = "\
Example:
  palyra routines disable morning";

/// Enable a routine; missed runs are not caught up
#[derive(Args)]
#[command(before_help = ENABLE)]
pub(super) struct EnableArgs {
    /// Name of the routine
    name: String,
}

/// Disable a routine; a running call continues
#[derive(Args)]
#[command(before_help = DISABLE)]
pub(super) struct DisableArgs {
    /// Name of the routine
    name: String,
}

#[derive(Serialize)]
pub(super) struct Enabled(Routine);

#[derive(Serialize)]
pub(super) struct Disabled(Routine);

pub(super) fn enable(args: &EnableArgs, globals: &Globals) -> Result<Enabled, CliError> {
    client::ask(globals, "routines enable", async |client| client.enable_routine(&args.name).await)
        .map(Enabled)
}

pub(super) fn disable(args: &DisableArgs, globals: &Globals) -> Result<Disabled, CliError> {
    client::ask(globals, "routines disable", async |client| client.disable_routine(&args.name).await)
        .map(Disabled)
}

impl Reply for Enabled {
    const SCHEMA: &'static str = "palyra.routines.enable/v1";

    fn data(&self) -> String {
        facts(&[("routine", self.0.name.clone()), ("status", "enabled".into())]) + &view::next(&self.0)
    }
}

impl Reply for Disabled {
    const SCHEMA: &'static str = "palyra.routines.disable/v1";

    fn data(&self) -> String {
        facts(&[("routine", self.0.name.clone()), ("status", "disabled".into())])
    }

    fn talk(&self) -> Vec<Remark> {
        if self.0.built_in {
            vec![Remark::Warning("installed skills are not audited again until it is enabled".into())]
        } else {
            Vec::new()
        }
    }
}
