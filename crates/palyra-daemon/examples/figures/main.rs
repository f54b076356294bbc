//! Times of the agent and the router on this machine, one JSON line each; `cargo xtask figures` runs it in a release
//! build and shows it with the other figures.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "an example that prints")]

mod agent_steps;
mod ranking;
mod sessions;

use std::process::ExitCode;

use anyhow::Result;
use serde_json::json;

/// Sizes of the measurements.
#[derive(Debug, Clone, Copy)]
struct Sizes {
    /// Steps of one agent run, at most 99.
    steps: u32,
    sessions: usize,
    tools: usize,
    rounds: usize,
}

/// Sizes of the published figures.
const FULL: Sizes = Sizes { steps: 99, sessions: 1_000, tools: 10_000, rounds: 50 };
/// Enough to see that everything can be measured.
const SMALL: Sizes = Sizes { steps: 3, sessions: 4, tools: 50, rounds: 2 };

/// A time in milliseconds, and the most it should be.
#[derive(Debug)]
struct Figure {
    name: &'static str,
    value: f64,
    goal: f64,
}

#[tokio::main]
async fn main() -> ExitCode {
    let small = std::env::args().any(|argument| argument == "--smoke");
    match measure(if small { SMALL } else { FULL }).await {
        Ok(figures) => {
            for Figure { name, value, goal } in figures {
                println!("{}", json!({ "name": name, "value": value, "unit": "ms", "goal": goal }));
            }
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

async fn measure(sizes: Sizes) -> Result<Vec<Figure>> {
    let Sizes { steps, sessions, tools, rounds } = sizes;
    let (step, _) = agent_steps::measure(steps, rounds.min(5)).await?;
    let (list, open) = sessions::measure(sessions, steps, rounds).await?;
    Ok(vec![
        Figure { name: "agent_step", value: step, goal: 2.0 },
        Figure { name: "sessions_list", value: list, goal: 50.0 },
        Figure { name: "session_open", value: open, goal: 50.0 },
        Figure { name: "rank_tools", value: ranking::median_ms(tools, rounds), goal: 5.0 },
    ])
}

/// Returns the median; of an even number, the upper one.
fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(f64::NAN)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[tokio::test(flavor = "multi_thread")]
    async fn every_figure_is_measured() {
        let figures = measure(SMALL).await.unwrap();
        let names: Vec<&str> = figures.iter().map(|figure| figure.name).collect();
        assert_eq!(names, ["agent_step", "sessions_list", "session_open", "rank_tools"]);
        assert!(figures.iter().all(|figure| figure.value.is_finite() && figure.value > 0.0), "{figures:?}");
    }

    #[test]
    fn median_is_the_middle() {
        assert_eq!(median(vec![3.0, 1.0, 2.0]), 2.0);
    }
}
