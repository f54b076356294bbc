//! `cargo xtask a2ui`

use anyhow::Result;

use crate::{project, shell};

/// Python package with the validator and its dependencies.
const PACKAGE: &str = "a2ui-agent-sdk==0.9.0";

/// Have Google's A2UI validator check what our documents become.
///
/// The valid documents under schemas/json/examples/a2ui are turned into messages of A2UI 0.9.1 and 1.0, and PyPI
/// `a2ui-agent-sdk`, installed into target/a2ui, must accept each of them with its basic catalog.
///
/// Example: cargo xtask a2ui
#[derive(clap::Args)]
pub(super) struct Args {}

pub(super) fn run(_args: Args) -> Result<()> {
    let folder = project::target().join("a2ui");
    let messages = folder.join("messages");
    if messages.exists() {
        std::fs::remove_dir_all(&messages)?;
    }
    std::fs::create_dir_all(&messages)?;
    let mut write = shell::cargo();
    write.args([
        "test",
        "--quiet",
        "--locked",
        "-p",
        "palyra-a2ui",
        "--test",
        "all",
        "interop::messages_of_every",
    ]);
    write.env("PALYRA_A2UI_MESSAGES", &messages);
    shell::run(write)?;
    let environment = folder.join("venv");
    let mut venv = shell::command("python3");
    venv.args(["-m", "venv"]).arg(&environment);
    shell::run(venv)?;
    let python = environment.join("bin/python");
    let mut install = shell::command(&python);
    install.args(["-m", "pip", "install", "--quiet", PACKAGE]);
    shell::run(install)?;
    let mut check = shell::command(&python);
    check.arg(project::root().join("scripts/a2ui-validator/check.py")).arg(&messages);
    shell::run(check)
}
