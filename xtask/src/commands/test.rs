//! `cargo xtask test`

use std::time::{Duration, Instant};

use anyhow::Result;

use super::{build, docs, skills, structure, web};
use crate::{guest_builder, output, shell};

/// Check everything: guests, packages, the console, structure, links of the documents, formatting, lints and tests; stops at the first failure
///
/// Example: cargo xtask test
#[derive(clap::Args)]
pub(super) struct Args {}

struct Step {
    name: &'static str,
    run: fn() -> Result<()>,
}

const STEPS: &[Step] = &[
    Step { name: "guests", run: || guest_builder::build_all(false).map(drop) },
    Step { name: "skills", run: || skills::build_all(false).map(drop) },
    Step { name: "web", run: web::check },
    Step { name: "structure", run: structure::check },
    Step { name: "docs", run: docs::check },
    Step { name: "fmt", run: || cargo(&["fmt", "--all", "--check"]) },
    Step {
        name: "clippy",
        run: || cargo(&["clippy", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"]),
    },
    Step { name: "test", run: || cargo(&["test", "--workspace", "--locked"]) },
    Step { name: "browser", run: web::check_in_browser },
];

pub(super) fn run(_args: Args) -> Result<()> {
    let mut times = Vec::new();
    let mut outcome = Ok(());
    for step in STEPS {
        output::say(step.name);
        let start = Instant::now();
        outcome = (step.run)();
        times.push(start.elapsed());
        if outcome.is_err() {
            break;
        }
    }
    let names: Vec<_> = STEPS.iter().map(|step| step.name).collect();
    for line in summary(&names, &times, outcome.is_ok()) {
        output::line(&line);
    }
    outcome
}

fn cargo(arguments: &[&str]) -> Result<()> {
    let mut cargo = build::cargo_with_parts();
    cargo.args(arguments);
    shell::run(cargo)
}

/// Returns one line per step: those that ran, the last of which may have failed, and those that did not run.
fn summary(names: &[&str], times: &[Duration], passed: bool) -> Vec<String> {
    let state = |index: usize| match times.get(index) {
        None => "not run".to_owned(),
        Some(time) if index + 1 == times.len() && !passed => {
            format!("FAILED after {:.1} s", time.as_secs_f64())
        }
        Some(time) => format!("ok, {:.1} s", time.as_secs_f64()),
    };
    names.iter().enumerate().map(|(index, name)| format!("{name:<9} {}", state(index))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_tells_what_passed_what_failed_and_what_never_ran() {
        let second = Duration::from_secs(1);
        let names = ["guests", "fmt", "test"];
        assert_eq!(
            summary(&names, &[second, second], false),
            ["guests    ok, 1.0 s", "fmt       FAILED after 1.0 s", "test      not run"]
        );
        assert_eq!(
            summary(&names, &[second, second, second], true),
            ["guests    ok, 1.0 s", "fmt       ok, 1.0 s", "test      ok, 1.0 s"]
        );
    }
}
