//! Measures whole commands from a shell.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::{Figure, project};

/// A package, one of its tools, and an input.
struct Example {
    package: &'static str,
    tool: &'static str,
    input: &'static str,
}

const COUNTER: Example =
    Example { package: "counter-wat", tool: "palyra.counter_wat.add", input: "{\"step\":1}" };
const JAVASCRIPT: Example =
    Example { package: "notes-js", tool: "palyra.notes_js.add", input: "{\"text\":\"buy milk\"}" };
const PYTHON: Example =
    Example { package: "stats-python", tool: "palyra.stats_python.describe", input: "{\"numbers\":[1,2,3]}" };

/// Measures the start of a command, one call of an installed tool without a daemon, and first calls after consent.
pub(super) fn measure(palyra: &Path, smoke: bool) -> Result<Vec<Figure>> {
    let (starts, firsts) = if smoke { (2, 1) } else { (50, 5) };
    let home = Home::new(palyra)?;
    home.install(&COUNTER)?;
    let call = ["run", COUNTER.tool, COUNTER.input];
    // Fills the cache of compiled code, as a first call does.
    home.palyra(&call)?;
    Ok(vec![
        figure("cli_start", 15.0, (0..starts).map(|_| home.time(&["version"])))?,
        figure("one_shot_call", 100.0, (0..starts).map(|_| home.time(&call)))?,
        figure("first_call_js", 100.0, (0..firsts).map(|_| first_call(palyra, &JAVASCRIPT)))?,
        figure("first_call_python", 100.0, (0..firsts).map(|_| first_call(palyra, &PYTHON)))?,
    ])
}

/// Measures the first call of a tool right after consent, in a new state root.
fn first_call(palyra: &Path, example: &Example) -> Result<f64> {
    let home = Home::new(palyra)?;
    home.install(example)?;
    home.time(&["run", example.tool, example.input])
}

fn figure(name: &str, goal: f64, times: impl Iterator<Item = Result<f64>>) -> Result<Figure> {
    let mut times = times.collect::<Result<Vec<_>>>().with_context(|| format!("figure `{name}`"))?;
    times.sort_by(f64::total_cmp);
    let value = *times.get(times.len() / 2).context("no sample")?;
    Ok(Figure { name: name.to_owned(), value, goal })
}

/// A home directory with a state root, without files of the current user.
struct Home<'p> {
    palyra: &'p Path,
    folder: tempfile::TempDir,
}

impl<'p> Home<'p> {
    fn new(palyra: &'p Path) -> Result<Self> {
        let home = Self { palyra, folder: tempfile::tempdir()? };
        home.palyra(&["init", "--device-key", "file"])?;
        Ok(home)
    }

    /// Installs a package with consent to all of its permissions.
    fn install(&self, example: &Example) -> Result<()> {
        let package: PathBuf = project::target().join(format!("skills/{}.palyra-skill", example.package));
        let package = package.to_str().context("the path of a package is not UTF-8")?;
        let answer = self.palyra(&["skills", "install", package, "--allow-tofu", "--json"])?;
        let answer: Value = serde_json::from_str(&answer)?;
        let Some(digest) = answer["consent_digest"].as_str() else { return Ok(()) };
        let id = answer["record"]["skill_id"].as_str().context("the answer names no skill")?;
        self.palyra(&["skills", "consent", id, "--consent", digest]).map(drop)
    }

    /// Measures the milliseconds from the start of a command to its end.
    fn time(&self, arguments: &[&str]) -> Result<f64> {
        let began = Instant::now();
        self.palyra(arguments)?;
        Ok(began.elapsed().as_secs_f64() * 1e3)
    }

    /// Runs a command; returns its standard output.
    fn palyra(&self, arguments: &[&str]) -> Result<String> {
        let mut command = Command::new(self.palyra);
        command.args(arguments).current_dir(self.folder.path()).env_clear().env("HOME", self.folder.path());
        // Prevents the use of the real keyring.
        command.env("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent/bus").stdin(Stdio::null());
        let done = command.output().with_context(|| format!("cannot start `{}`", self.palyra.display()))?;
        let stderr = String::from_utf8_lossy(&done.stderr);
        ensure!(done.status.success(), "`palyra {}`: {}\n{stderr}", arguments.join(" "), done.status);
        Ok(String::from_utf8(done.stdout)?)
    }
}
