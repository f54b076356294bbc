//! `cargo xtask demo`

use anyhow::Result;

use crate::{guest_builder, project, shell};

const GUEST: &str = "examples/skills/echo-http";
const TOOL: &str = "palyra.echo_http.echo";
const INPUT: &str = r#"{"value":"hello"}"#;

/// Build the echo-http example from source and call its echo tool in the sandbox.
///
/// Example: cargo xtask demo
#[derive(clap::Args)]
pub(super) struct Args {
    /// The tool's input as JSON.
    #[arg(long, default_value = INPUT)]
    input: String,
}

pub(super) fn run(args: Args) -> Result<()> {
    let guest = guest_builder::build_one(GUEST)?;
    let mut build = shell::cargo();
    // The whole workspace is selected so that the engine has the same features as in the tests: it is the
    // slowest thing to compile, and is compiled once.
    build.args(["build", "--workspace", "--bin", "palyra", "--locked"]);
    shell::run(build)?;
    let mut palyra = shell::command(project::built().join("palyra"));
    let module = guest.path.strip_prefix(project::root()).unwrap_or(&guest.path);
    palyra.args(["run", "--module"]).arg(module).args(["--tool", TOOL, "--input", &args.input]);
    shell::run(palyra)
}
