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
    // The whole workspace is selected so that the engine is the one the other tests have compiled.
    test.args(["test", "--workspace", "--locked", "--features", "palyra-plugins-runtime/foreign"])
        .args(["--test", "foreign_packages"]);
    shell::run(test)
}
