//! `cargo xtask clients`

use anyhow::Result;

use super::skills;
use crate::{guest_builder, project, shell};

/// Skill with the tools that conformance suites call.
const FIXTURE: &str = "tests/guests/wat/mcp-fixture";

/// Speak to a real daemon with clients that are not ours.
///
/// The conformance suite of MCP, MCP Inspector, the SDK for Python, buf and grpcio list and call the tools of a signed
/// fixture skill, over HTTP, gRPC, and standard input and output. Chats are streamed as AG-UI and checked by its own
/// packages. What is needed beyond `python3` and `npm` is installed into target/clients.
///
/// Example: cargo xtask clients
#[derive(clap::Args)]
pub(super) struct Args {
    /// Have Schemathesis make requests of the HTTP API instead; takes minutes.
    #[arg(long)]
    api: bool,
    /// Only the clients of gRPC.
    #[arg(long)]
    grpc: bool,
    /// Only AG-UI.
    #[arg(long)]
    ag_ui: bool,
}

pub(super) fn run(args: Args) -> Result<()> {
    let tools = project::target().join("clients");
    std::fs::create_dir_all(&tools)?;
    let guest = guest_builder::build_one(FIXTURE)?;
    let package = tools.join("mcp-fixture.palyra-skill");
    skills::package_directory(FIXTURE, &[guest], &package)?;
    let mut build = shell::cargo();
    build.args(["build", "--workspace", "--bin", "palyra", "--locked"]);
    shell::run(build)?;
    let scripts = project::root().join("scripts/independent-clients");
    let mut install = shell::command("sh");
    install.arg(scripts.join("install.sh")).arg(&tools);
    shell::run(install)?;
    let mut check = shell::command(tools.join("venv/bin/python"));
    check.arg(scripts.join("check.py")).arg("--palyra").arg(project::built().join("palyra"));
    check.arg("--package").arg(&package).arg("--tools").arg(&tools);
    check.args(args.api.then_some("--api"));
    check.args(args.grpc.then_some("--grpc"));
    check.args(args.ag_ui.then_some("--ag-ui"));
    shell::run(check)
}
