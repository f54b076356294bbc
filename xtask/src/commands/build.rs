//! `cargo xtask build`

use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;

use super::{skills, web};
use crate::{output, project, shell};

/// Variable with the packages to embed, for the build script of `palyra-built-in-skills`.
const BUILT_IN_SKILLS: &str = "PALYRA_BUILT_IN_SKILLS";
/// Variable with the built console, for the build script of `palyra-console-page`.
const CONSOLE_PAGE: &str = "PALYRA_CONSOLE_PAGE";

/// Build the guests, the example skills, the console and the binaries with all of them
///
/// Example: cargo xtask build --release
#[derive(clap::Args)]
pub(super) struct Args {
    /// Build the binaries optimised, into target/release
    #[arg(long)]
    release: bool,
}

pub(super) fn run(args: Args) -> Result<()> {
    let palyra = build(args.release)?;
    output::line(&format!("built {}", palyra.display()));
    Ok(())
}

/// Builds what is missing; returns the path of `palyra`.
pub(super) fn build(release: bool) -> Result<PathBuf> {
    skills::build_all(false)?;
    web::build_if_possible()?;
    let mut cargo = cargo_with_parts();
    // Selects the whole workspace, so that the engine has the same features as in the tests. It is the slowest crate to
    // compile, and is compiled only once this way.
    cargo.args(["build", "--workspace", "--bin", "palyra", "--bin", "palyrad", "--locked"]);
    if release {
        cargo.arg("--release");
    }
    shell::run(cargo)?;
    Ok(project::built_in(release).join("palyra"))
}

/// Returns a cargo command that embeds every example skill and the console into the binaries.
pub(super) fn cargo_with_parts() -> Command {
    let mut cargo = shell::cargo();
    cargo.env(BUILT_IN_SKILLS, project::target().join("skills"));
    // Only set if the console exists: cargo notices a change when the path appears later.
    if web::built().join("index.html").is_file() {
        cargo.env(CONSOLE_PAGE, web::built());
    }
    cargo
}
