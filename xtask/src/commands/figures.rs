//! `cargo xtask figures`

mod commands;

use std::path::PathBuf;
use std::process::Stdio;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::build;
use crate::{output, project, shell};

/// Measure how long a command, a call and a step of the agent take on this machine
///
/// Builds everything in release mode and prints a table: absolute times, each with the time it should stay below. Run it on
/// a machine that does nothing else. The times go into notes and documents; no test depends on them.
///
/// Example: cargo xtask figures
/// Example: cargo xtask figures --json figures.json
#[derive(clap::Args)]
pub(super) struct Args {
    /// Write the figures as JSON too
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,

    /// Check that everything can be measured: a debug build, few samples, figures that mean nothing
    #[arg(long)]
    smoke: bool,
}

/// A measured time in milliseconds, and its maximum.
struct Figure {
    name: String,
    value: f64,
    goal: f64,
}

pub(super) fn run(args: Args) -> Result<()> {
    let palyra = build::build(!args.smoke)?;
    let mut figures = commands::measure(&palyra, args.smoke)?;
    figures.extend(library_figures(args.smoke)?);
    output::line(&table(&figures));
    if let Some(file) = args.json {
        let rows: Vec<Value> = figures.iter().map(Figure::to_json).collect();
        std::fs::write(&file, serde_json::to_string_pretty(&rows)? + "\n")
            .with_context(|| format!("cannot write `{}`", file.display()))?;
    }
    let over: Vec<&str> = figures.iter().filter(|one| !one.is_met()).map(|one| one.name.as_str()).collect();
    ensure!(args.smoke || over.is_empty(), "over the goal: {}", over.join(", "));
    Ok(())
}

/// Returns the figures that an example of the daemon measures in its own process.
fn library_figures(smoke: bool) -> Result<Vec<Figure>> {
    let mut cargo = shell::cargo();
    cargo.args(["run", "--locked", "-p", "palyra-daemon", "--example", "figures"]);
    cargo.args(if smoke { ["--", "--smoke"].as_slice() } else { ["--release"].as_slice() });
    cargo.stderr(Stdio::inherit());
    let measured = cargo.output().context("cannot start cargo")?;
    ensure!(measured.status.success(), "the figures of the daemon: {}", measured.status);
    String::from_utf8(measured.stdout)?.lines().map(Figure::from_line).collect()
}

impl Figure {
    fn from_line(line: &str) -> Result<Self> {
        let row: Value = serde_json::from_str(line).with_context(|| format!("not a figure: `{line}`"))?;
        let number = |name: &str| row[name].as_f64().with_context(|| format!("`{line}` has no `{name}`"));
        let name = row["name"].as_str().with_context(|| format!("`{line}` has no name"))?;
        Ok(Self { name: name.to_owned(), value: number("value")?, goal: number("goal")? })
    }

    fn to_json(&self) -> Value {
        let Self { name, value, goal } = self;
        json!({ "name": name, "value": value, "unit": "ms", "goal": goal, "ok": self.is_met() })
    }

    fn is_met(&self) -> bool {
        self.value <= self.goal
    }
}

fn table(figures: &[Figure]) -> String {
    let widest = figures.iter().map(|figure| figure.name.len()).max().unwrap_or_default();
    let rows = figures.iter().map(|figure| {
        let Figure { name, value, goal } = figure;
        let verdict = if figure.is_met() { "ok" } else { "over" };
        format!("{name:<widest$}  {value:>9.2} ms  <= {goal:>5} ms  {verdict}")
    });
    rows.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn figures_are_read_judged_and_shown() {
        let fast = Figure::from_line(r#"{"name":"agent_step","value":1.25,"unit":"ms","goal":2.0}"#).unwrap();
        let slow = Figure { name: "x".into(), value: 6.0, goal: 5.0 };
        assert_eq!(
            table(&[fast, slow]),
            "agent_step       1.25 ms  <=     2 ms  ok\nx                6.00 ms  <=     5 ms  over"
        );
        assert!(Figure::from_line("agent_step 3").is_err());
        let shown = Figure { name: "x".into(), value: 6.0, goal: 5.0 }.to_json();
        assert_eq!(shown, json!({ "name": "x", "value": 6.0, "unit": "ms", "goal": 5.0, "ok": false }));
    }
}
