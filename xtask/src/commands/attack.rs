//! `cargo xtask attack`

use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::Value;

use super::build;
use crate::{output, project, shell};

/// Attack a real `palyrad` and check that honest requests go on
///
/// Every class of attack runs for the given time: half heads, slow bodies and unread answers on HTTP, gRPC, the Unix
/// socket and MCP, oversized bodies, hostile guests and schemas, approvals, backups, edited rows and kills. The command
/// fails if anything was lost, if the p99 of honest requests exceeds ten times the idle one and 50 ms, or if the daemon
/// takes more than 512 MiB above its idle memory. The classes are in crates/palyra-daemon/tests/all/attack.
///
/// Example: cargo xtask attack --seconds 30
#[derive(clap::Args)]
pub(super) struct Args {
    /// How long each class runs, in seconds
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    seconds: u32,
    /// Run only this class, for example `--class "slow bodies"`
    #[arg(long, value_name = "NAME")]
    class: Option<String>,
    /// Print the report as JSON instead of a table
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: Args) -> Result<()> {
    let folder = tempfile::tempdir().context("cannot create a temporary directory")?;
    let report = folder.path().join("report.json");
    let mut test = build::cargo_with_parts();
    test.args(["test", "--workspace", "--locked", "--test", "all", "attack::"])
        .env("PALYRA_ATTACK_SECONDS", args.seconds.to_string())
        .env("PALYRA_ATTACK_REPORT", &report)
        .current_dir(project::root());
    if let Some(class) = &args.class {
        test.env("PALYRA_ATTACK_CLASS", class);
    }
    let outcome = shell::run(test);
    match read(&report) {
        Ok(report) if args.json => writeln!(std::io::stdout(), "{report:#}")?,
        Ok(report) => table(&report).iter().for_each(|line| output::line(line)),
        // A test that could not be built or was aborted has reported its error already.
        Err(error) => return outcome.and(Err(error)),
    }
    outcome
}

fn read(report: &Path) -> Result<Value> {
    let bytes = std::fs::read(report).context("the attack wrote no report")?;
    serde_json::from_slice(&bytes).context("the report is not JSON")
}

fn table(report: &Value) -> Vec<String> {
    let mut lines = vec![format!(
        "{:<18} {:>10} {:>10} {:>6} {:>14} {:>16} {:>16}",
        "class", "tried", "stopped", "lost", "peak RSS MiB", "honest requests", "honest p99 ms"
    )];
    let idle = format!(
        "{:<18} {:>10} {:>10} {:>6} {:>14} {:>16} {:>16}",
        "idle",
        "",
        "",
        "",
        mebibytes(&report["idle_rss_kib"]),
        "",
        milliseconds(&report["idle_p99_us"])
    );
    lines.push(idle);
    for class in report["classes"].as_array().into_iter().flatten() {
        lines.push(format!(
            "{:<18} {:>10} {:>10} {:>6} {:>14} {:>16} {:>16}",
            class["class"].as_str().unwrap_or_default(),
            class["tried"].to_string(),
            class["stopped"].to_string(),
            class["lost"].to_string(),
            mebibytes(&class["peak_rss_kib"]),
            class["honest_requests"].to_string(),
            milliseconds(&class["honest_p99_us"])
        ));
    }
    let failures = report["failures"].as_array().into_iter().flatten();
    lines.extend(failures.map(|failure| format!("FAILED: {}", failure.as_str().unwrap_or_default())));
    lines
}

fn mebibytes(kibibytes: &Value) -> u64 {
    kibibytes.as_u64().unwrap_or_default() >> 10
}

fn milliseconds(microseconds: &Value) -> String {
    let microseconds = microseconds.as_u64().unwrap_or_default();
    format!("{}.{}", microseconds / 1_000, microseconds / 100 % 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_has_a_line_for_idle_each_class_and_each_failure() {
        let report = serde_json::json!({
            "idle_rss_kib": 64 << 10,
            "idle_p99_us": 4_250,
            "classes": [{
                "class": "half heads", "tried": 9, "stopped": 8, "lost": 1, "peak_rss_kib": 80 << 10,
                "honest_requests": 700, "honest_p99_us": 60_000,
            }],
            "failures": ["half heads: 1 lost"],
        });
        let lines = table(&report);
        let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(words(&lines[1]), ["idle", "64", "4.2"]);
        assert_eq!(words(&lines[2]), ["half", "heads", "9", "8", "1", "80", "700", "60.0"]);
        assert_eq!(lines[3], "FAILED: half heads: 1 lost");
    }
}
