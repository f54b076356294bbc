//! Arguments of the program.

use crate::{ours::Ours, report, rows, soak, soak_daemon};
use anyhow::{Context, Result, bail};
use clap::{Parser, Subcommand};
use std::path::PathBuf;

/// Measure Palyra's runtime; exits with 1 when a row misses its goal.
#[derive(Parser)]
#[command(name = "palyra-bench")]
struct Args {
    #[command(subcommand)]
    command: Option<Command>,
    /// Take fewer samples: done in under two minutes.
    #[arg(long)]
    quick: bool,
    /// Write the rows to this file as JSON.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Measure only this row; may be given more than once.
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,
}

#[derive(Subcommand)]
enum Command {
    /// Call guests for a long time; fails when memory, threads or descriptors grow.
    Soak {
        /// How many calls.
        #[arg(long, default_value_t = 1_000_000)]
        calls: u64,
    },
    /// Call a tool through the daemon's server for a long time; fails when memory, threads or descriptors grow.
    SoakDaemon {
        /// For how many minutes.
        #[arg(long, default_value_t = 60)]
        minutes: u64,
        /// How many calls a second, at most.
        #[arg(long, default_value_t = 500)]
        rate: u64,
    },
    /// Make warm calls and nothing else: what `syscalls_per_call` runs under `strace`.
    #[command(hide = true)]
    Calls {
        /// How many calls.
        #[arg(long)]
        count: u64,
    },
}

/// Runs the command line; returns `false` if a measurement misses its goal.
pub fn run() -> Result<bool> {
    let args = Args::parse();
    let tokio = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    match args.command {
        None => tokio.block_on(bench(&args)),
        Some(Command::Soak { calls }) => tokio.block_on(soak::soak(calls)),
        Some(Command::SoakDaemon { minutes, rate }) => tokio.block_on(soak_daemon::soak(minutes, rate)),
        Some(Command::Calls { count }) => {
            // One thread makes the calls, like a worker of the daemon, while all other threads are idle.
            let tokio = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            tokio.block_on(warm_calls(count)).map(|()| true)
        }
    }
}

async fn bench(args: &Args) -> Result<bool> {
    if let Some(unknown) = args.only.iter().find(|name| rows::ROWS.iter().all(|row| row.name != **name)) {
        let known: Vec<&str> = rows::ROWS.iter().map(|row| row.name).collect();
        bail!("no row `{unknown}`; the rows are {}", known.join(", "));
    }
    let wanted = |name: &str| args.only.is_empty() || args.only.iter().any(|only| only == name);
    let measured = rows::measure_all(args.quick, wanted).await?;
    if let Some(path) = &args.json {
        let text = serde_json::to_string_pretty(&measured)?;
        std::fs::write(path, text + "\n").with_context(|| format!("cannot write `{}`", path.display()))?;
    }
    println!();
    print!("{}", report::table(&measured));
    Ok(measured.iter().all(|row| row.ok))
}

async fn warm_calls(count: u64) -> Result<()> {
    let ours = Ours::new()?;
    let echo = ours.echo_component(&ours.guests.input_256).await?;
    for _ in 0..count {
        echo.call().await?;
    }
    Ok(())
}
