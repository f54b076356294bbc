//! `cargo xtask fuzz`

use std::process::{Command, Stdio};

use anyhow::{Context, Result};

use crate::{output, shell};

/// Fuzz one target, or each in turn, with cargo-fuzz (installed when missing).
///
/// Example: cargo xtask fuzz artifact --seconds 60
#[derive(clap::Args)]
pub(super) struct Args {
    /// The target; without one, every target of fuzz/.
    target: Option<String>,
    /// How long each target runs.
    #[arg(long, default_value_t = 60)]
    seconds: u32,
}

pub(super) fn run(args: Args) -> Result<()> {
    ensure_installed()?;
    let targets = match args.target {
        Some(target) => vec![target],
        None => list_targets()?,
    };
    for target in &targets {
        let mut fuzz = cargo_fuzz();
        fuzz.args(["run", target, "--", &format!("-max_total_time={}", args.seconds)]);
        shell::run(fuzz)?;
    }
    Ok(())
}

/// Sanitizers are unstable flags, and the project has a stable compiler only.
fn cargo_fuzz() -> Command {
    let mut fuzz = shell::cargo();
    fuzz.arg("fuzz").env("RUSTC_BOOTSTRAP", "1");
    fuzz
}

fn ensure_installed() -> Result<()> {
    let mut version = cargo_fuzz();
    version.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
    if version.status().is_ok_and(|status| status.success()) {
        return Ok(());
    }
    output::say("cargo-fuzz is not installed");
    let mut install = shell::cargo();
    install.args(["install", "--locked", "cargo-fuzz"]);
    shell::run(install)
}

fn list_targets() -> Result<Vec<String>> {
    let listed = cargo_fuzz().arg("list").output().context("cannot list the fuzz targets")?;
    anyhow::ensure!(
        listed.status.success(),
        "cannot list the fuzz targets: {}",
        String::from_utf8_lossy(&listed.stderr)
    );
    Ok(String::from_utf8(listed.stdout)?.split_whitespace().map(str::to_owned).collect())
}
