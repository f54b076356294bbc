//! `cargo xtask foreign`

mod fetch;
mod packages;

use anyhow::Result;

use crate::shell;

/// Load WebAssembly that others published, and compare each verdict with tests/fixtures/foreign.txt.
///
/// The packages are fetched by pinned version and SHA-256 with cargo and npm, into target/foreign.
///
/// Example: cargo xtask foreign
#[derive(clap::Args)]
pub(super) struct Args {}

pub(super) fn run(_args: Args) -> Result<()> {
    fetch::fetch_all(packages::PACKAGES)?;
    let mut test = shell::cargo();
    // Selects the whole workspace, so that the engine of the other tests is reused.
    test.args(["test", "--workspace", "--locked", "--features", "palyra-plugins-runtime/foreign"])
        .args(["--test", "foreign_packages"]);
    shell::run(test)
}
