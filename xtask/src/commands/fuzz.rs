//! `cargo xtask fuzz`

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result};

use crate::{output, project, shell};

/// Fuzz one target, or each in turn, from its seeds, with cargo-fuzz (installed when missing).
///
/// An input that breaks a promise is kept under fuzz/artifacts and fails the command.
///
/// Example: cargo xtask fuzz grant_grammar --seconds 60
#[derive(clap::Args)]
pub(super) struct Args {
    /// The target; without one, every target there is.
    target: Option<String>,
    /// What watches over memory: `address` finds misuse of it and is slow to build, `none` is quick.
    #[arg(long, default_value = "none", value_parser = ["none", "address"])]
    sanitizer: String,
    /// How long each target runs.
    // Zero would mean "for ever" to the fuzzer.
    #[arg(long, default_value_t = 600, value_parser = clap::value_parser!(u32).range(1..))]
    seconds: u32,
}

/// Limits for one input: seconds, total megabytes, megabytes in one allocation.
const BOUNDS: [&str; 3] = ["-timeout=60", "-rss_limit_mb=4096", "-malloc_limit_mb=256"];

/// Cargo packages with fuzz targets: formats that need no engine, and the sandbox.
const PACKAGES: [&str; 2] = ["fuzz/formats", "fuzz"];

pub(super) fn run(args: Args) -> Result<()> {
    ensure_installed()?;
    let mut ran = 0;
    for package in PACKAGES {
        let folder = project::root().join(package);
        for target in list_targets(&folder)? {
            if args.target.as_ref().is_none_or(|wanted| *wanted == target) {
                fuzz(&folder, &target, &args)?;
                ran += 1;
            }
        }
    }
    anyhow::ensure!(ran > 0, "unknown fuzz target; list them with `ls fuzz/*/fuzz_targets`");
    Ok(())
}

fn fuzz(folder: &Path, target: &str, args: &Args) -> Result<()> {
    copy_seeds(folder, target)?;
    let mut fuzz = cargo_fuzz();
    // Optimized, but with debug assertions.
    fuzz.args(["run", "--release", "--debug-assertions", "--sanitizer", &args.sanitizer])
        .arg("--fuzz-dir")
        .arg(folder)
        .args([target, "--"])
        .arg(format!("-max_total_time={}", args.seconds))
        .args(BOUNDS);
    shell::run(fuzz)
}

/// Returns a command for cargo-fuzz. Sanitizers are unstable flags: a nightly compiler accepts them, the project's
/// compiler only with `RUSTC_BOOTSTRAP`.
fn cargo_fuzz() -> Command {
    let mut fuzz = if has_nightly() {
        let mut rustup = shell::command("rustup");
        // `CARGO` names the cargo that runs this program, and would be preferred to the nightly one.
        rustup.args(["run", "nightly", "cargo"]).env_remove("CARGO");
        rustup
    } else {
        let mut cargo = shell::cargo();
        cargo.env("RUSTC_BOOTSTRAP", "1");
        cargo
    };
    fuzz.arg("fuzz");
    fuzz
}

fn has_nightly() -> bool {
    let listed = shell::command("rustup").args(["toolchain", "list"]).output();
    listed.is_ok_and(|listed| {
        String::from_utf8_lossy(&listed.stdout).lines().any(|line| line.starts_with("nightly-"))
    })
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

fn list_targets(folder: &Path) -> Result<Vec<String>> {
    let listed = cargo_fuzz()
        .arg("list")
        .arg("--fuzz-dir")
        .arg(folder)
        .output()
        .context("cannot list the fuzz targets")?;
    anyhow::ensure!(
        listed.status.success(),
        "cannot list the fuzz targets: {}",
        String::from_utf8_lossy(&listed.stderr)
    );
    Ok(String::from_utf8(listed.stdout)?.split_whitespace().map(str::to_owned).collect())
}

/// Copies the seeds into the corpus, which the fuzzer modifies.
fn copy_seeds(fuzz: &Path, target: &str) -> Result<()> {
    let (seeds, corpus) = (fuzz.join("seeds").join(target), fuzz.join("corpus").join(target));
    let entries = fs::read_dir(&seeds).with_context(|| format!("no seeds for `{target}`"))?;
    fs::create_dir_all(&corpus).context("cannot create the corpus")?;
    for entry in entries {
        let entry = entry.context("cannot read the seeds")?;
        fs::copy(entry.path(), corpus.join(entry.file_name())).context("cannot copy a seed")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_target_has_seeds() {
        for target in PACKAGES
            .iter()
            .flat_map(|package| fs::read_dir(project::root().join(package).join("fuzz_targets")).unwrap())
        {
            let path = target.unwrap().path();
            let target = path.file_stem().unwrap().to_str().unwrap();
            let seeds = fs::read_dir(path.ancestors().nth(2).unwrap().join("seeds").join(target))
                .unwrap_or_else(|_| panic!("{target}"));
            assert!(seeds.count() > 0, "{target}");
        }
    }
}
