//! `cargo xtask web`

mod browser;
mod fingerprint;
mod npm;

use std::path::PathBuf;

use anyhow::{Result, ensure};

use super::build;
use crate::{output, project};
use npm::Npm;

/// Check the console: dependencies, lints, types, unit tests and the build
///
/// Runs the scripts `lint`, `typecheck`, `test` and `build` of apps/web, as far as it has them.
///
/// Example: cargo xtask web
/// Example: cargo xtask web --browser
#[derive(clap::Args)]
pub(super) struct Args {
    /// Run its script `e2e` too: Chromium against a daemon with every example skill
    #[arg(long)]
    browser: bool,
}

pub(super) fn run(args: Args) -> Result<()> {
    check()?;
    if args.browser { check_in_browser() } else { Ok(()) }
}

/// Returns the directory that `npm run build` writes to.
pub(super) fn built() -> PathBuf {
    npm::directory().join("dist")
}

/// Builds the console unless it is up to date; without Node.js the daemon is built without a console.
pub(super) fn build_if_possible() -> Result<()> {
    if !npm::exists() {
        return Ok(());
    }
    match Npm::find() {
        Ok(npm) => build(&npm),
        Err(missing) => {
            output::say(&format!("the console is not built: {missing:#}"));
            Ok(())
        }
    }
}

/// Runs the checks that need no browser.
pub(super) fn check() -> Result<()> {
    if !npm::exists() {
        output::say("apps/web does not exist");
        return Ok(());
    }
    let npm = Npm::find()?;
    npm.install()?;
    for script in ["lint", "typecheck", "test"] {
        npm.run_if_defined(script)?;
    }
    build(&npm)
}

/// Tests the console in Chromium with the program that `cargo xtask build` builds.
pub(super) fn check_in_browser() -> Result<()> {
    if !npm::exists() {
        output::say("apps/web does not exist");
        return Ok(());
    }
    let npm = Npm::find()?;
    if !npm.defines("e2e")? {
        output::say("apps/web has no script `e2e`");
        return Ok(());
    }
    let chromium = browser::find_or_install()?;
    let palyra = build::build(false)?;
    npm.install()?;
    npm.run("e2e", |command| {
        command
            .env("PALYRA_BIN", &palyra)
            .env("PALYRA_SKILLS", project::target().join("skills"))
            .env("CHROMIUM_BIN", &chromium);
    })
}

fn build(npm: &Npm) -> Result<()> {
    let stamp = project::target().join("web/built");
    let sources = fingerprint::of(&npm::directory(), &[project::root().join("schemas/openapi/palyra.json")])?;
    if built().join("index.html").is_file() && fingerprint::is(&stamp, &sources) {
        return Ok(());
    }
    npm.install()?;
    npm.run("build", |_| {})?;
    ensure!(built().join("index.html").is_file(), "`npm run build` wrote no apps/web/dist/index.html");
    // The build may write sources itself, such as the types of the API.
    let sources = fingerprint::of(&npm::directory(), &[project::root().join("schemas/openapi/palyra.json")])?;
    fingerprint::write(&stamp, &sources)
}
