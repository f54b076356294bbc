//! `palyra version`.

use crate::cli::Globals;
use crate::output::{Printer, Reply};
use serde::Serialize;
use std::process::ExitCode;

#[derive(Serialize)]
struct Version {
    version: &'static str,
}

pub(crate) fn run(globals: &Globals) -> ExitCode {
    Printer::plain(globals.form()).reply(&Version { version: env!("CARGO_PKG_VERSION") })
}

impl Reply for Version {
    const SCHEMA: &'static str = "palyra.version/v1";

    fn data(&self) -> String {
        format!("palyra {}\n", self.version)
    }
}
