//! `palyra routines add`.

use super::view;
use crate::cli::Globals;
use crate::client;
use crate::commands::run::read_tool_input;
use crate::error::CliError;
use crate::output::{Remark, Reply, facts};
use crate::standard_input::StandardInput;
use clap::{ArgGroup, Args, ValueEnum};
use palyra_api::routines::{Concurrency, Misfire, Routine, RoutineRequest};
use palyra_daemon::serve::parse_duration;
use serde::Serialize;
use serde_json::value::RawValue;
use std::time::Duration;

const EXAMPLE: &str = "\
Example:
  palyra routines add morning acme.notes.digest --cron '0 9 * * mon-fri' --time-zone Europe/Prague
  palyra routines add pulse acme.status.check --every 15m --input '{\"deep\": false}' --misfire fire-once
  palyra routines add party acme.notes.remind --at 2026-12-24T18:00 --time-zone Europe/Prague
  palyra routines add re-audit --every 6h --replace";

const MORE: &str = "\
A routine acts as `routine:NAME`, with the same schema checks, policy and approvals as any other call. A fixed
time that daylight saving skips is due right after the change; one that occurs twice is due once.";

/// Schedule a tool call and show its next times
#[derive(Args)]
#[command(before_help = EXAMPLE, after_help = MORE)]
#[command(group = ArgGroup::new("times").args(["cron", "every", "at"]).required(true))]
pub(super) struct AddArgs {
    /// Name of the routine
    name: String,

    /// Tool to call; omit it for a built-in routine
    tool: Option<String>,

    /// Input: JSON text, `@FILE` or `-` [default: {}]
    #[arg(long, value_name = "JSON")]
    input: Option<String>,

    /// Cron schedule: minute, hour, day, month, weekday
    #[arg(long, value_name = "PATTERN")]
    cron: Option<String>,

    /// Interval, for example `30s`, `15m`, `6h` or `2d`
    #[arg(long, value_name = "TIME")]
    every: Option<String>,

    /// Run once at this time, for example `2026-12-24T18:00`
    #[arg(long, value_name = "TIME")]
    at: Option<String>,

    /// Time zone, for example `Europe/Prague` [default: UTC]
    #[arg(long, value_name = "ZONE")]
    time_zone: Option<String>,

    /// Quiet hours without runs, for example `22:00-07:00`
    #[arg(long, value_name = "HOURS")]
    quiet_hours: Option<String>,

    /// What to do about runs missed while no daemon was running
    #[arg(long, value_enum, default_value_t, value_name = "POLICY")]
    misfire: MisfireChoice,

    /// Maximum number of missed runs to catch up on, with `--misfire catch-up` [default: 10]
    #[arg(long, value_name = "N")]
    catch_up: Option<u16>,

    /// What to do when a run is due and the previous one is still running
    #[arg(long, value_enum, default_value_t, value_name = "POLICY")]
    concurrency: ConcurrencyChoice,

    /// Maximum random delay before each run, for example `5m`
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    jitter: Option<Duration>,

    /// Objective whose budget its runs use
    #[arg(long, value_name = "NAME")]
    objective: Option<String>,

    /// Approval timeout in seconds, for tools that need approval [default: 900]
    #[arg(long, value_name = "SECONDS")]
    wait_approval: Option<u32>,

    /// Create the routine disabled
    #[arg(long, action = clap::ArgAction::SetTrue)]
    disabled: bool,

    /// Replace the routine of that name
    #[arg(long)]
    replace: bool,
}

/// What to do about runs missed while no daemon was running.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum MisfireChoice {
    // They are left out.
    #[default]
    Skip,
    // The newest of them fires, late.
    FireOnce,
    // The newest so many fire, oldest first.
    CatchUp,
}

/// What to do when a run is due and the previous one is still running.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum ConcurrencyChoice {
    // The new one does not fire.
    #[default]
    Forbid,
    // Both run.
    Allow,
    // The old one is ended.
    Replace,
    // The new one waits.
    Queue,
}

#[derive(Serialize)]
pub(super) struct Added(Routine);

pub(super) fn execute(args: &AddArgs, globals: &Globals) -> Result<Added, CliError> {
    let request = request(args, globals)?;
    client::ask(globals, "routines add", async |client| client.add_routine(&request).await).map(Added)
}

fn request(args: &AddArgs, globals: &Globals) -> Result<RoutineRequest, CliError> {
    let mut stdin = StandardInput::new(globals.no_input);
    let input = match &args.input {
        Some(_) => Some(read_tool_input(args.input.as_deref(), &mut stdin)?),
        None => None,
    };
    let raw = |text: palyra_common::JsonText| {
        RawValue::from_string(text.as_str().trim().to_owned())
            .map_err(|error| CliError::usage(error.to_string()))
    };
    let jitter = args.jitter.map(|time| u32::try_from(time.as_secs()).unwrap_or(u32::MAX));
    Ok(RoutineRequest {
        name: args.name.clone(),
        tool: args.tool.clone(),
        input: input.map(raw).transpose()?,
        cron: args.cron.clone(),
        every: args.every.clone(),
        at: args.at.clone(),
        time_zone: args.time_zone.clone(),
        quiet: args.quiet_hours.clone(),
        misfire: match args.misfire {
            MisfireChoice::Skip => Misfire::Skip,
            MisfireChoice::FireOnce => Misfire::FireOnce,
            MisfireChoice::CatchUp => Misfire::CatchUp,
        },
        catch_up: args.catch_up,
        concurrency: match args.concurrency {
            ConcurrencyChoice::Forbid => Concurrency::Forbid,
            ConcurrencyChoice::Allow => Concurrency::Allow,
            ConcurrencyChoice::Replace => Concurrency::Replace,
            ConcurrencyChoice::Queue => Concurrency::Queue,
        },
        jitter_seconds: jitter,
        objective: args.objective.clone(),
        wait_approval_seconds: args.wait_approval,
        disabled: args.disabled,
        replace: args.replace,
    })
}

impl Reply for Added {
    const SCHEMA: &'static str = "palyra.routines.add/v1";

    fn data(&self) -> String {
        facts(&view::facts_of(&self.0)) + &view::next(&self.0)
    }

    fn talk(&self) -> Vec<Remark> {
        let next = Remark::Next(format!("try it now: palyra routines fire {}", self.0.name));
        let daemon = Remark::Note("routines run only while a daemon is running".into());
        vec![daemon, next]
    }
}
