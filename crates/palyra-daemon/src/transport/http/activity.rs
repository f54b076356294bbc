//! `/v1/activity`.

use std::sync::Arc;

use axum::extract::State;
use palyra_api::Problem;
use palyra_api::activity::{Activity, ActivityBucket};
use palyra_common::{ErrorCode, Scope};
use palyra_state::{ActivityCount, ActivityQuery};
use serde::Deserialize;
use utoipa::IntoParams;

use super::answer::{Answer, Json};
use super::blocking::blocking;
use super::params::Asked;
use super::route::Route;
use crate::app::App;

const DAY_MS: u64 = 24 * 60 * 60 * 1_000;
/// Maximum window in milliseconds, so that one request reads a bounded part of the history.
const MAX_WINDOW_MS: u64 = 31 * DAY_MS;
const DEFAULT_BUCKETS: u16 = 48;
const MAX_BUCKETS: u16 = 500;

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::get("/v1/activity", Scope::Read, activity)
            .summary("Count runs, failures and denials over time")
            .query::<ActivityParams>()
            .answers::<Activity>(),
    ]
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
struct ActivityParams {
    /// Start time in Unix milliseconds [default: 24 hours before the end].
    #[serde(default, deserialize_with = "palyra_api::bounds::whole")]
    #[param(maximum = 9007199254740991i64, nullable = false)]
    since_ms: Option<u64>,
    /// End time [default: now].
    #[serde(default, deserialize_with = "palyra_api::bounds::whole")]
    #[param(maximum = 9007199254740991i64, nullable = false)]
    until_ms: Option<u64>,
    /// Number of buckets [default: 48].
    #[param(minimum = 1, maximum = 500, nullable = false)]
    buckets: Option<u16>,
    /// Filter by skill.
    #[param(nullable = false)]
    skill: Option<String>,
}

async fn activity(State(app): State<Arc<App>>, Asked(params): Asked<ActivityParams>) -> Answer<Activity> {
    let query = read(params, app.now_ms())?;
    let asked = query.clone();
    let counts = blocking(&app, move |app| app.runs().activity(&asked)).await?;
    Ok(Json(shown(&query, &counts)))
}

fn read(params: ActivityParams, now_ms: u64) -> Result<ActivityQuery, Problem> {
    let usage = |message: String| Problem::new(ErrorCode::Usage, message);
    let buckets = params.buckets.unwrap_or(DEFAULT_BUCKETS);
    if !(1..=MAX_BUCKETS).contains(&buckets) {
        return Err(usage(format!("`buckets` must be 1 to {MAX_BUCKETS}")));
    }
    let until_ms = params.until_ms.unwrap_or(now_ms.saturating_add(1));
    let since_ms = params.since_ms.unwrap_or(until_ms.saturating_sub(DAY_MS));
    let window = until_ms.checked_sub(since_ms).filter(|window| (1..=MAX_WINDOW_MS).contains(window));
    let window =
        window.ok_or_else(|| usage("`since_ms` must be before `until_ms`, by at most 31 days".to_owned()))?;
    let bucket_ms = window.div_ceil(u64::from(buckets)).max(1);
    Ok(ActivityQuery { since_ms, bucket_ms, buckets: usize::from(buckets), skill_id: params.skill })
}

fn shown(query: &ActivityQuery, counts: &[ActivityCount]) -> Activity {
    let ActivityQuery { since_ms, bucket_ms, .. } = *query;
    let start = |index: usize| since_ms.saturating_add(bucket_ms.saturating_mul(index as u64));
    let bucket = |(index, count): (usize, &ActivityCount)| {
        let ActivityCount { calls, failed, denied } = *count;
        ActivityBucket { start_ms: start(index), calls, failed, denied }
    };
    Activity {
        since_ms,
        until_ms: start(counts.len()),
        bucket_ms,
        buckets: counts.iter().enumerate().map(bucket).collect(),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    fn asked(
        since_ms: Option<u64>,
        until_ms: Option<u64>,
        buckets: Option<u16>,
    ) -> Result<ActivityQuery, Problem> {
        read(ActivityParams { since_ms, until_ms, buckets, skill: None }, 100 * DAY_MS)
    }

    #[test]
    fn window_defaults_to_a_day_that_includes_now() {
        let query = asked(None, None, None).unwrap();
        assert_eq!((query.buckets, query.bucket_ms), (48, 30 * 60 * 1_000));
        let activity = shown(&query, &vec![ActivityCount::default(); 48]);
        assert_eq!((activity.since_ms, activity.until_ms), (99 * DAY_MS + 1, 100 * DAY_MS + 1));
    }

    #[test]
    fn window_and_buckets_are_bounded() {
        for (since, until, buckets) in [
            (Some(2), Some(1), None),
            (Some(1), Some(1), None),
            (Some(0), Some(32 * DAY_MS), None),
            (None, None, Some(0)),
            (None, None, Some(501)),
        ] {
            assert_eq!(asked(since, until, buckets).unwrap_err().code, ErrorCode::Usage);
        }
        assert_eq!(asked(Some(0), Some(1), Some(500)).unwrap().bucket_ms, 1);
    }
}
