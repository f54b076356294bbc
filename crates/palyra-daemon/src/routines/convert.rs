//! Converts routines and objectives to API types, and requests to definitions.

use palyra_api::Problem;
use palyra_api::objectives::{self, ObjectiveRequest};
use palyra_api::routines::{self, Misfire, RoutineRequest};
use palyra_common::{ErrorCode, JsonText};
use palyra_control_plane::{
    ControlError, MisfirePolicy, Objective, ObjectiveState, QuietHours, Routine, RoutineAction,
    ScheduleError, When, is_built_in, parse_every,
};
use palyra_state::{FireQuery, PrincipalId};
use serde_json::Value;

use super::Control;
use crate::app::App;
use crate::problem::ToProblem;
use crate::to_api::ToApi;

/// Number of due times in the response about a routine.
const NEXT: usize = 5;
/// Default number of missed runs to catch up on.
const CATCH_UP: u16 = 10;

/// Converts a routine, with its next due times and last fire.
pub(crate) fn routine(app: &App, routine: &Routine) -> Result<routines::Routine, Problem> {
    let (state, control) = (app.state(), app.control());
    let last = state.control().fires(&routine.name, &FireQuery { limit: 1, ..FireQuery::default() });
    let last = last.map_err(|error| error.to_problem())?.fires.into_iter().next();
    let Routine {
        name,
        enabled,
        action,
        when,
        time_zone,
        quiet,
        misfire,
        concurrency,
        jitter_ms,
        objective,
        wait_approval_ms,
        creator,
        created_ms,
        since_ms: _,
    } = routine;
    let (tool, input) = match action {
        RoutineAction::Tool { tool, input } => (Some(tool.clone()), serde_json::from_str(input)),
        RoutineAction::ReAudit => (None, Ok(Value::Null)),
    };
    let (misfire, catch_up) = match *misfire {
        MisfirePolicy::Skip => (Misfire::Skip, None),
        MisfirePolicy::FireOnce => (Misfire::FireOnce, None),
        MisfirePolicy::CatchUp(most) => (Misfire::CatchUp, Some(most)),
    };
    let (cron, every_seconds, at_ms) = match when {
        When::Cron(pattern) => (Some(pattern.clone()), None, None),
        When::Every { ms, .. } => (None, Some(ms / 1_000), None),
        When::At(at_ms) => (None, None, Some(*at_ms)),
    };
    Ok(routines::Routine {
        name: name.clone(),
        built_in: is_built_in(name),
        enabled: *enabled,
        tool,
        input: input.unwrap_or(Value::Null),
        cron,
        every_seconds,
        at_ms,
        time_zone: time_zone.clone(),
        quiet: quiet.map(|quiet| quiet.to_string()),
        misfire,
        catch_up,
        concurrency: *concurrency,
        jitter_seconds: jitter_ms / 1_000,
        objective: objective.clone(),
        wait_approval_seconds: wait_approval_ms / 1_000,
        created_by: creator.name.clone(),
        created_ms: *created_ms,
        next_ms: next(routine, app.now_ms()).map_err(|error| ControlError::from(error).to_problem())?,
        under_way: control.fires().under_way(name) as u64,
        last: last.to_api(),
    })
}

/// Returns the next due times of an enabled routine.
fn next(routine: &Routine, now_ms: u64) -> Result<Vec<u64>, ScheduleError> {
    if !routine.enabled {
        return Ok(Vec::new());
    }
    let schedule = routine.schedule()?;
    let since = now_ms.max(routine.since_ms);
    let mut from = i64::try_from(since).ok().and_then(|at| jiff::Timestamp::from_millisecond(at).ok());
    let mut next = Vec::with_capacity(NEXT);
    while let Some(due) = from.and_then(|from| schedule.next_after(from)).filter(|_| next.len() < NEXT) {
        next.push(u64::try_from(due.as_millisecond()).unwrap_or(0));
        from = Some(due);
    }
    Ok(next)
}

/// Converts a request to a routine of this creator; `there` is the routine it changes.
pub(crate) fn read(
    request: RoutineRequest,
    there: Option<&Routine>,
    creator: PrincipalId,
    now_ms: u64,
) -> Result<Routine, Problem> {
    let to_problem = |error: ScheduleError| ControlError::from(error).to_problem();
    let zone = request.time_zone.clone().unwrap_or_else(|| "UTC".into());
    let when = read_when(&request, &zone, now_ms)?;
    let built_in = is_built_in(&request.name) && request.tool.is_none() && request.input.is_none();
    let action = match request.tool {
        _ if built_in => RoutineAction::ReAudit,
        Some(tool) => RoutineAction::Tool {
            tool,
            input: read_input(request.input.map(|input| input.get().to_owned()))?,
        },
        None => return Err(Problem::new(ErrorCode::Usage, "a routine requires a `tool` to call")),
    };
    let misfire = match (request.misfire, request.catch_up) {
        (Misfire::CatchUp, most) => MisfirePolicy::CatchUp(most.unwrap_or(CATCH_UP)),
        (_, Some(_)) => {
            return Err(Problem::new(ErrorCode::Usage, "`catch_up` requires the misfire policy `catch_up`"));
        }
        (Misfire::Skip, None) => MisfirePolicy::Skip,
        (Misfire::FireOnce, None) => MisfirePolicy::FireOnce,
    };
    let wait = request.wait_approval_seconds.map_or(if built_in { 0 } else { 900 }, u64::from);
    Ok(Routine {
        name: request.name,
        enabled: !request.disabled,
        action,
        when,
        time_zone: zone,
        quiet: request.quiet.map(|text| text.parse::<QuietHours>()).transpose().map_err(to_problem)?,
        misfire,
        concurrency: request.concurrency,
        jitter_ms: u64::from(request.jitter_seconds.unwrap_or(0)) * 1_000,
        objective: request.objective,
        wait_approval_ms: wait * 1_000,
        creator,
        created_ms: there.map_or(now_ms, |there| there.created_ms),
        since_ms: now_ms,
    })
}

fn read_when(request: &RoutineRequest, zone: &str, now_ms: u64) -> Result<When, Problem> {
    let to_problem = |error: ScheduleError| ControlError::from(error).to_problem();
    match (&request.cron, &request.every, &request.at) {
        (Some(pattern), None, None) => Ok(When::Cron(pattern.clone())),
        (None, Some(every), None) => {
            Ok(When::Every { ms: parse_every(every).map_err(to_problem)?, from_ms: now_ms })
        }
        (None, None, Some(at)) => When::at(at, zone).map_err(to_problem),
        _ => {
            Err(Problem::new(ErrorCode::Usage, "a routine requires exactly one of `cron`, `every` and `at`"))
        }
    }
}

fn read_input(input: Option<String>) -> Result<String, Problem> {
    let Some(input) = input else { return Ok("{}".into()) };
    let checked = JsonText::from_text(input);
    checked
        .map(|text| text.as_str().to_owned())
        .map_err(|error| Problem::new(ErrorCode::Usage, error.to_string()))
}

/// Converts an objective with its use.
pub(crate) fn objective(
    control: &Control,
    objective: &Objective,
) -> Result<objectives::Objective, ControlError> {
    let used = control.store().used(&objective.name)?;
    let Objective { name, goal, max_runs, max_fuel, set_to: _, created_ms } = objective;
    Ok(objectives::Objective {
        name: name.clone(),
        goal: goal.clone(),
        state: objective.state(used),
        max_runs: *max_runs,
        max_fuel: *max_fuel,
        used_runs: used.runs,
        used_fuel: used.fuel,
        routines: control.store().linked(name)?,
        created_ms: *created_ms,
    })
}

/// Converts a request to an objective.
pub(crate) fn read_objective(request: ObjectiveRequest, now_ms: u64) -> Objective {
    Objective {
        name: request.name,
        goal: request.goal,
        max_runs: request.max_runs,
        max_fuel: request.max_fuel,
        set_to: ObjectiveState::Active,
        created_ms: now_ms,
    }
}
