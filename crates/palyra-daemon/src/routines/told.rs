//! Routines and objectives in the words of the API, both ways.

use palyra_api::Problem;
use palyra_api::objectives::{Objective as ObjectiveTold, ObjectiveRequest, ObjectiveState as StateTold};
use palyra_api::routines::{Concurrency, Misfire, Routine as RoutineTold, RoutineRequest};
use palyra_common::JsonText;
use palyra_control_plane::{
    ConcurrencyPolicy, ControlError, MisfirePolicy, Objective, ObjectiveState, QuietHours, Routine,
    RoutineAction, ScheduleError, When, is_built_in, parse_every,
};
use palyra_state::{FireQuery, PrincipalId};
use serde_json::Value;

use super::Control;
use crate::app::App;
use crate::problem::ToProblem;
use crate::shape::shape;

/// How many of the next due times are told.
const NEXT: usize = 5;
/// How many missed times are made up for where nobody says.
const CATCH_UP: u16 = 10;

/// A routine with what comes next and what came last.
pub(crate) fn routine(app: &App, routine: &Routine) -> Result<RoutineTold, Problem> {
    let (state, control) = (app.state(), app.control());
    let last = state.fires(&routine.name, &FireQuery { limit: 1, ..FireQuery::default() });
    let last = last.map_err(|error| error.to_problem())?.fires.into_iter().next();
    let (tool, input) = match &routine.action {
        RoutineAction::Tool { tool, input } => (Some(tool.clone()), serde_json::from_str(input)),
        RoutineAction::ReAudit => (None, Ok(Value::Null)),
    };
    let (misfire, catch_up) = match routine.misfire {
        MisfirePolicy::Skip => (Misfire::Skip, None),
        MisfirePolicy::FireOnce => (Misfire::FireOnce, None),
        MisfirePolicy::CatchUp(most) => (Misfire::CatchUp, Some(most)),
    };
    let (cron, every_seconds, at_ms) = match &routine.when {
        When::Cron(pattern) => (Some(pattern.clone()), None, None),
        When::Every { ms, .. } => (None, Some(ms / 1_000), None),
        When::At(at_ms) => (None, None, Some(*at_ms)),
    };
    Ok(RoutineTold {
        name: routine.name.clone(),
        built_in: is_built_in(&routine.name),
        enabled: routine.enabled,
        tool,
        input: input.unwrap_or(Value::Null),
        cron,
        every_seconds,
        at_ms,
        time_zone: routine.time_zone.clone(),
        quiet: routine.quiet.map(|quiet| quiet.to_string()),
        misfire,
        catch_up,
        concurrency: match routine.concurrency {
            ConcurrencyPolicy::Forbid => Concurrency::Forbid,
            ConcurrencyPolicy::Allow => Concurrency::Allow,
            ConcurrencyPolicy::Replace => Concurrency::Replace,
            ConcurrencyPolicy::Queue => Concurrency::Queue,
        },
        jitter_seconds: routine.jitter_ms / 1_000,
        objective: routine.objective.clone(),
        wait_approval_seconds: routine.wait_approval_ms / 1_000,
        created_by: routine.creator.name.clone(),
        created_ms: routine.created_ms,
        next_ms: next(routine, app.now_ms()).map_err(|error| ControlError::from(error).to_problem())?,
        under_way: control.fires().under_way(&routine.name) as u64,
        last: last.map(|fire| shape(&fire)).transpose()?,
    })
}

/// The next due times of a routine that is switched on.
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

/// The routine a request describes, on behalf of its creator; `there` is the one it changes.
pub(crate) fn read(
    request: RoutineRequest,
    there: Option<&Routine>,
    creator: PrincipalId,
    now_ms: u64,
) -> Result<Routine, Problem> {
    let told = |error: ScheduleError| ControlError::from(error).to_problem();
    let zone = request.time_zone.clone().unwrap_or_else(|| "UTC".into());
    let when = read_when(&request, &zone, now_ms)?;
    let built_in = is_built_in(&request.name) && request.tool.is_none() && request.input.is_none();
    let action = match request.tool {
        _ if built_in => RoutineAction::ReAudit,
        Some(tool) => RoutineAction::Tool {
            tool,
            input: read_input(request.input.map(|input| input.get().to_owned()))?,
        },
        None => return Err(Problem::new("usage", "a routine needs a `tool` to call")),
    };
    let misfire = match (request.misfire, request.catch_up) {
        (Misfire::CatchUp, most) => MisfirePolicy::CatchUp(most.unwrap_or(CATCH_UP)),
        (_, Some(_)) => {
            return Err(Problem::new("usage", "`catch_up` goes with the misfire policy `catch_up`"));
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
        quiet: request.quiet.map(|text| text.parse::<QuietHours>()).transpose().map_err(told)?,
        misfire,
        concurrency: match request.concurrency {
            Concurrency::Forbid => ConcurrencyPolicy::Forbid,
            Concurrency::Allow => ConcurrencyPolicy::Allow,
            Concurrency::Replace => ConcurrencyPolicy::Replace,
            Concurrency::Queue => ConcurrencyPolicy::Queue,
        },
        jitter_ms: u64::from(request.jitter_seconds.unwrap_or(0)) * 1_000,
        objective: request.objective,
        wait_approval_ms: wait * 1_000,
        creator,
        created_ms: there.map_or(now_ms, |there| there.created_ms),
        since_ms: now_ms,
    })
}

fn read_when(request: &RoutineRequest, zone: &str, now_ms: u64) -> Result<When, Problem> {
    let told = |error: ScheduleError| ControlError::from(error).to_problem();
    match (&request.cron, &request.every, &request.at) {
        (Some(pattern), None, None) => Ok(When::Cron(pattern.clone())),
        (None, Some(every), None) => {
            Ok(When::Every { ms: parse_every(every).map_err(told)?, from_ms: now_ms })
        }
        (None, None, Some(at)) => When::at(at, zone).map_err(told),
        _ => Err(Problem::new("usage", "one of `cron`, `every` and `at` says when a routine is due")),
    }
}

fn read_input(input: Option<String>) -> Result<String, Problem> {
    let Some(input) = input else { return Ok("{}".into()) };
    let checked = JsonText::from_text(input);
    checked.map(|text| text.as_str().to_owned()).map_err(|error| Problem::new("usage", error.to_string()))
}

/// An objective with what it has used.
pub(crate) fn objective(control: &Control, objective: &Objective) -> Result<ObjectiveTold, ControlError> {
    let used = control.store().used(&objective.name)?;
    Ok(ObjectiveTold {
        name: objective.name.clone(),
        goal: objective.goal.clone(),
        state: match objective.state(used) {
            ObjectiveState::Active => StateTold::Active,
            ObjectiveState::Paused => StateTold::Paused,
            ObjectiveState::Exhausted => StateTold::Exhausted,
            ObjectiveState::Done => StateTold::Done,
        },
        max_runs: objective.max_runs,
        max_fuel: objective.max_fuel,
        used_runs: used.runs,
        used_fuel: used.fuel,
        routines: control.store().linked(&objective.name)?,
        created_ms: objective.created_ms,
    })
}

/// The objective a request describes.
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
