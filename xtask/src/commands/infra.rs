//! `cargo xtask infra`

use anyhow::Result;

use super::skills;
use crate::{guest_builder, project, shell};

/// An example skill that needs only its own storage.
const EXAMPLE: &str = "examples/skills/counter-wat";

/// Start what `infra/` describes with the programs it is for.
///
/// systemd-analyze rates the unit; palyrad runs with its command line as an unprivileged user; Caddy and nginx
/// forward to it, streams included; Prometheus scrapes it and evaluates every expression of the dashboard. A program
/// that is not installed is reported and skipped.
///
/// Example: cargo xtask infra
#[derive(clap::Args)]
pub(super) struct Args {
    /// Fail where a program is not installed.
    #[arg(long)]
    all: bool,
}

pub(super) fn run(args: Args) -> Result<()> {
    let tools = project::target().join("infra");
    std::fs::create_dir_all(&tools)?;
    let guest = guest_builder::build_one(EXAMPLE)?;
    let package = tools.join("counter-wat.palyra-skill");
    skills::package_directory(EXAMPLE, &[guest], &package)?;
    let mut build = shell::cargo();
    build.args(["build", "--workspace", "--bin", "palyra", "--bin", "palyrad", "--locked"]);
    shell::run(build)?;
    let root = project::root();
    let mut check = shell::command("python3");
    check.arg(root.join("scripts/infra/check.py")).arg("--infra").arg(root.join("infra"));
    check.arg("--palyra").arg(project::built().join("palyra"));
    check.arg("--palyrad").arg(project::built().join("palyrad")).arg("--package").arg(&package);
    check.args(args.all.then_some("--all"));
    shell::run(check)
}
