//! `palyra surfaces show`.

use crate::cli::Globals;
use crate::client;
use crate::error::CliError;
use crate::forms::{ShownForm, draw};
use crate::output::{Remark, Reply};
use clap::Args;
use palyra_api::surfaces::CallSurface;
use serde::Serialize;

const EXAMPLE: &str = "\
Example:
  palyra surfaces show run_0123456789abcdef0123456789abcdef";

/// Show a document
#[derive(Args)]
#[command(before_help = EXAMPLE)]
pub(super) struct ShowArgs {
    /// Document: the id of the run that returned it
    surface: String,
}

#[derive(Serialize)]
pub(super) struct Shown(CallSurface);

pub(super) fn execute(args: &ShowArgs, globals: &Globals) -> Result<Shown, CliError> {
    client::ask(globals, "surfaces show", async |client| client.call_surface(&args.surface).await).map(Shown)
}

impl Reply for Shown {
    const SCHEMA: &'static str = "palyra.surfaces.show/v1";

    fn data(&self) -> String {
        draw(&self.0.document)
    }

    fn talk(&self) -> Vec<Remark> {
        let waits = self.0.submitted.is_none()
            && matches!(ShownForm::of(&self.0.document), Ok(Some(form)) if form.tool().is_some());
        let command = format!("palyra surfaces submit {}", self.0.surface_id);
        waits.then_some(Remark::Next(command)).into_iter().collect()
    }
}
