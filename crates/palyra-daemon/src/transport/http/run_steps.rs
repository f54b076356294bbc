//! `/v1/runs/{run_id}/steps` and `/denial`: the host calls of a run, read from its tape.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::State;
use palyra_api::Problem;
use palyra_api::runs::{RunDenial, RunMeter, RunStep, RunSteps};
use palyra_common::capabilities::StorageGrant;
use palyra_common::{
    Capability, CapabilityGrantSet, CapabilityKind, Denial, ErrorCode, LimitKind, RuntimeLimits, Scope,
};
use palyra_plugins_runtime::{RunUsage, Tape, TapeStep};
use palyra_runner::{GrantDerivation, effective_grants_of_tool};
use palyra_skills::grants::describe_grant;
use palyra_state::runs::RunQuery;
use serde::Deserialize;
use serde_json::Value;
use utoipa::IntoParams;

use super::answer::{Answer, Failure, Json};
use super::blocking::blocking;
use super::params::{Asked, Named};
use super::route::Route;
use super::runs::{find, receipt_details};
use crate::app::App;
use crate::to_api::ToApi;

/// Maximum number of steps in a response.
const PAGE: usize = 500;
/// Maximum size of a request in the response, in bytes.
const MAX_REQUEST_BYTES: usize = 4 << 10;
/// Maximum number of runs with denials that are searched to count the denials one grant would permit.
const MAX_DENIED_RUNS: usize = 50;
/// Fields with the target of a request, most specific first.
const SUBJECTS: [&str; 6] = ["url", "channel", "secret", "key", "path", "prefix"];
/// Operation of a block of clock and random readings, which access nothing outside.
const READINGS: &str = "facts";
/// Outcome of a run in progress.
const IN_PROGRESS: &str = "started";

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::get("/v1/runs/{run_id}/steps", Scope::Read, steps)
            .summary("List the host calls of a run from its tape, and its use of each limit, which is live while it runs")
            .query::<StepsQuery>()
            .answers::<RunSteps>(),
        Route::get("/v1/runs/{run_id}/denial", Scope::Read, denial)
            .summary("Show the first denied host call of a run, and the smallest grant that would allow it")
            .answers::<RunDenial>(),
    ]
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
struct StepsQuery {
    /// Only items after this number, to continue an earlier list.
    #[serde(default, deserialize_with = "palyra_api::bounds::whole")]
    #[param(maximum = 9007199254740991i64, nullable = false)]
    after: Option<u64>,
}

async fn steps(
    State(app): State<Arc<App>>,
    Named(run_id): Named<String>,
    Asked(query): Asked<StepsQuery>,
) -> Answer<RunSteps> {
    blocking(&app, move |app| {
        let run = find(app, &run_id)?;
        if let Some((usage, limits)) = app.runs().usage(&run.run_id) {
            return Ok(in_progress(run.run_id, &usage, &limits));
        }
        let tape = app.runs().tape(&run.run_id)?;
        let details = receipt_details(app, &run)?;
        let from = usize::try_from(query.after.unwrap_or_default()).unwrap_or(usize::MAX);
        let rest = tape.steps.iter().enumerate().skip(from);
        let times: BTreeMap<u64, u64> = app.runs().notes(&run.run_id)?.step_times.into_iter().collect();
        let timed = |step: RunStep| RunStep { elapsed_us: times.get(&step.number).copied(), ..step };
        let steps: Vec<RunStep> = rest.take(PAGE).map(|(index, step)| timed(shown(index, step))).collect();
        let next = steps.last().map(|step| step.number).filter(|last| *last < tape.steps.len() as u64);
        Ok::<_, Failure>(RunSteps {
            run_id: run.run_id,
            outcome: tape.end.outcome.to_string(),
            total: tape.steps.len() as u64,
            steps,
            next,
            meters: meters(&tape.header.limits, used_by(&details)),
        })
    })
    .await
    .map(Json)
}

async fn denial(State(app): State<Arc<App>>, Named(run_id): Named<String>) -> Answer<RunDenial> {
    blocking(&app, move |app| explain(app, &run_id)).await.map(Json)
}

fn explain(app: &App, run_id: &str) -> Result<RunDenial, Failure> {
    let run = find(app, run_id)?;
    let tape = app.runs().tape(&run.run_id)?;
    // Removed skills and inline modules have no grants to explain.
    let effective = effective_grants_of_tool(app.state(), &run.skill_id, &run.tool_id);
    let derivations = effective.map(|effective| effective.derivations).unwrap_or_default();
    let receipt = receipt_details(app, &run)?;
    let denied = taped_denial(&tape).or_else(|| handle_denial(&receipt, &derivations));
    let Denied { step, op, denial } = denied.ok_or_else(|| {
        Problem::new(ErrorCode::NotFound, format!("run `{}` has no recorded denied host call", run.run_id))
            .hint(format!("see how it ended with `palyra runs show {}`", run.run_id))
    })?;
    let about = derivations.iter().find(|one| asks_for(one, &denial));
    let (covers, denied_runs) = count_covered(app, &run.skill_id, step.is_some(), &op, &denial)?;
    Ok(RunDenial {
        run_id: run.run_id,
        step,
        op,
        requested: about.is_some(),
        derivation: about.map(ToApi::to_api),
        allows: denial.grant.as_deref().and_then(allows),
        remedy: about.and_then(|one| one.refusal()?.remedy.clone()),
        covers,
        denied_runs,
        denial: denial.to_api(),
    })
}

/// Describes what a grant permits; `None` for an address range, which an operator opens for one call.
fn allows(grant: &str) -> Option<String> {
    Some(describe_grant(&grant.parse().ok()?).text)
}

/// A denied host call.
struct Denied {
    step: Option<u64>,
    op: String,
    denial: Denial,
}

fn taped_denial(tape: &Tape) -> Option<Denied> {
    let denied = |(index, step): (usize, &TapeStep)| {
        Some(Denied { step: Some(index as u64 + 1), op: step.op.clone(), denial: denial_of(step)? })
    };
    tape.steps.iter().enumerate().find_map(denied)
}

/// Returns the denial of a run that used a handle it never got. It is not on the tape: the receipt has its operation,
/// and the grant is known if only one of its kind was refused.
fn handle_denial(receipt: &Value, derivations: &[GrantDerivation]) -> Option<Denied> {
    let is_denied =
        |counts: &Value| counts.get("denied").and_then(Value::as_u64).is_some_and(|count| count > 0);
    let (op, _) = receipt.get("capabilities")?.as_object()?.iter().find(|(_, counts)| is_denied(counts))?;
    let kind = kind_of(op)?;
    let mut refused =
        derivations.iter().filter(|one| kind_of_grant(&one.asked) == kind && one.refusal().is_some());
    let only = refused.next().filter(|_| refused.next().is_none())?;
    let (grant, reason) = (only.asked.to_string(), only.refusal()?.reason.clone());
    let subject = grant.split_once(':').map_or(grant.as_str(), |(_, name)| name).to_owned();
    let denial = Denial { kind, subject, reason, grant: Some(grant), manifest: None };
    Some(Denied { step: None, op: op.clone(), denial })
}

fn kind_of(op: &str) -> Option<CapabilityKind> {
    match op.split(['.', ':']).next()? {
        "http" => Some(CapabilityKind::Http),
        "secrets" => Some(CapabilityKind::Secret),
        "storage" => Some(CapabilityKind::Storage),
        "channels" => Some(CapabilityKind::Channel),
        "fs" => Some(CapabilityKind::Filesystem),
        _ => None,
    }
}

fn kind_of_grant(grant: &Capability) -> CapabilityKind {
    match grant {
        Capability::Http(_) => CapabilityKind::Http,
        Capability::Secret(_) => CapabilityKind::Secret,
        Capability::Storage(_) => CapabilityKind::Storage,
        Capability::Channel(_) => CapabilityKind::Channel,
        Capability::Filesystem(_) => CapabilityKind::Filesystem,
    }
}

/// Returns whether a release requests the denied capability, or a wider one.
fn asks_for(derivation: &GrantDerivation, denial: &Denial) -> bool {
    let grant = denial.grant.as_deref().and_then(|grant| grant.parse::<Capability>().ok());
    // A denial names no quota, so grants with any quota would permit the call.
    let asked = match derivation.asked.clone() {
        Capability::Storage(asked) => {
            Capability::Storage(StorageGrant { max_bytes: None, max_keys: None, ..asked })
        }
        asked => asked,
    };
    let asked = CapabilityGrantSet::from_iter([asked]);
    grant.is_some_and(|grant| CapabilityGrantSet::from_iter([grant]).is_within(&asked))
}

/// Counts denied calls of the skill's newest denied runs that the same grant would have permitted, and their runs.
fn count_covered(
    app: &App,
    skill_id: &str,
    taped: bool,
    op: &str,
    denial: &Denial,
) -> Result<(u64, u64), Failure> {
    let query = RunQuery {
        skill_id: Some(skill_id.to_owned()),
        status: Some("failed".to_owned()),
        limit: MAX_DENIED_RUNS,
        ..RunQuery::default()
    };
    let runs = app.runs().list(&query)?.runs;
    let same = |other: &Denial| {
        let subject = denial.grant.is_some() || other.subject == denial.subject;
        other.kind == denial.kind && other.grant == denial.grant && subject
    };
    let (mut covers, mut denied_runs) = (0_u64, 0);
    for run in runs.iter().filter(|run| run.error.as_deref() == Some(ErrorCode::CapabilityDenied.as_str())) {
        denied_runs += 1;
        covers += if taped {
            let count = |tape: Tape| tape.steps.iter().filter_map(denial_of).filter(same).count() as u64;
            // A run without a stored tape is not counted.
            app.runs().tape(&run.run_id).map_or(0, count)
        } else {
            receipt_details(app, run)?["capabilities"][op]["denied"].as_u64().unwrap_or(0)
        };
    }
    Ok((covers, denied_runs))
}

fn shown(index: usize, step: &TapeStep) -> RunStep {
    let field = |name: &str| step.request.get(name).and_then(Value::as_str);
    let about = SUBJECTS.into_iter().find_map(field).filter(|_| step.op != READINGS).unwrap_or_default();
    let subject = match field("method") {
        Some(method) => format!("{method} {about}"),
        None => about.to_owned(),
    };
    let short = serde_json::to_vec(&step.request).is_ok_and(|text| text.len() <= MAX_REQUEST_BYTES);
    RunStep {
        number: index as u64 + 1,
        op: step.op.clone(),
        subject,
        outcome: outcome(step),
        request: (short && step.op != READINGS).then(|| step.request.clone()),
        denial: denial_of(step).map(|denial| denial.to_api()),
        elapsed_us: None,
    }
}

/// Returns the failure of a step: tapes contain results as `{"Ok": …}` and `{"Err": …}`.
fn failure(step: &TapeStep) -> Option<&Value> {
    step.answer.as_object().filter(|fields| fields.len() == 1)?.get("Err")
}

fn outcome(step: &TapeStep) -> String {
    let name = match failure(step) {
        None if step.answer.is_null() => "unanswered",
        None => "ok",
        Some(Value::String(name)) => name,
        Some(Value::Object(fields)) => match fields.iter().next() {
            Some((name, Value::String(code))) if name == "file" => code,
            Some((name, _)) => name,
            None => "failed",
        },
        Some(_) => "failed",
    };
    match name {
        "quota" => "quota_exceeded".to_owned(),
        "invalid" => "invalid_argument".to_owned(),
        name => name.to_owned(),
    }
}

fn denial_of(step: &TapeStep) -> Option<Denial> {
    serde_json::from_value(failure(step)?.get("denied")?.clone()).ok()
}

/// Returns the steps of a run in progress: its tape is not complete yet, so only its use of the limits is known.
fn in_progress(run_id: String, usage: &RunUsage, limits: &RuntimeLimits) -> RunSteps {
    let elapsed_us = u64::try_from(usage.elapsed.as_micros()).ok();
    let used = [
        (LimitKind::Fuel, Some(usage.fuel)),
        (LimitKind::Memory, Some(usage.peak_memory_bytes)),
        (LimitKind::Timeout, elapsed_us.map(|micros| micros.div_ceil(1_000))),
        (LimitKind::HostCalls, Some(usage.host_calls)),
        (LimitKind::Egress, Some(usage.egress_bytes)),
    ];
    RunSteps {
        run_id,
        outcome: IN_PROGRESS.to_owned(),
        total: 0,
        steps: Vec::new(),
        next: None,
        meters: meters(limits, used),
    }
}

/// Returns the use of each limit that a receipt records.
fn used_by(receipt: &Value) -> [(LimitKind, Option<u64>); 5] {
    let used = |name: &str| receipt.get(name).and_then(Value::as_u64);
    [
        (LimitKind::Fuel, used("fuel")),
        (LimitKind::Memory, used("peak_memory_bytes")),
        (LimitKind::Timeout, used("elapsed_us").map(|micros| micros.div_ceil(1_000))),
        (LimitKind::HostCalls, used("host_calls")),
        (LimitKind::Egress, used("egress_bytes")),
    ]
}

fn meters(limits: &RuntimeLimits, used: impl IntoIterator<Item = (LimitKind, Option<u64>)>) -> Vec<RunMeter> {
    let meter = |(kind, used): (LimitKind, Option<u64>)| {
        Some(RunMeter { limit: kind.wire_name().to_owned(), used: used?, allowed: limits.get(kind)? })
    };
    used.into_iter().filter_map(meter).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use serde_json::json;

    fn step(op: &str, request: Value, answer: Value) -> TapeStep {
        TapeStep { op: op.into(), request, answer }
    }

    #[test]
    fn step_says_what_it_was_about_and_how_it_ended() {
        let request = json!({ "method": "GET", "url": "https://api.example.com/x", "headers": [] });
        for (answer, outcome) in [
            (json!({ "Ok": { "status": 200 } }), "ok"),
            (json!({ "Err": "timed_out" }), "timed_out"),
            (json!({ "Err": { "quota": { "limit": "egress", "allowed": 1, "used": 2 } } }), "quota_exceeded"),
            (json!({ "Err": { "invalid": "no" } }), "invalid_argument"),
            (json!({ "Err": { "file": "no_entry" } }), "no_entry"),
            (Value::Null, "unanswered"),
        ] {
            let shown = shown(0, &step("http.send", request.clone(), answer));
            assert_eq!((shown.number, shown.outcome.as_str()), (1, outcome));
            assert_eq!(shown.subject, "GET https://api.example.com/x");
        }
        let long =
            step("storage.put", json!({ "key": "a", "value": "x".repeat(5_000) }), json!({ "Ok": null }));
        assert_eq!((shown(0, &long).request, shown(0, &long).subject.as_str()), (None, "a"));
        let readings = shown(3, &step(READINGS, json!({ "clock": 3 }), json!("AAAA")));
        assert_eq!((readings.outcome.as_str(), readings.request), ("ok", None));
    }
}
