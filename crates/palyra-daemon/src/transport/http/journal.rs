//! `/v1/journal`.

use std::sync::Arc;

use axum::extract::State;
use palyra_api::Problem;
use palyra_api::journal::{JournalPage, MAX_PAGE, SignedCheckpoint, VerifiedJournal, VerifyRequest};
use palyra_common::{ErrorCode, Scope};
use palyra_journal::{Checkpoint, MAX_NOTE_BYTES, Page, Query, VerifyScope};
use palyra_state::StateError;
use serde::Deserialize;
use utoipa::IntoParams;

use super::answer::{Answer, Failure, Json};
use super::blocking::blocking;
use super::events::kind;
use super::params::{Asked, page_limit};
use super::route::Route;
use crate::app::App;
use crate::problem::{journal_damaged, records_altered};
use crate::to_api::ToApi;

/// Maximum body with a checkpoint in bytes: its note, every character escaped, and room for the rest.
const MAX_VERIFY_BYTES: usize = 6 * MAX_NOTE_BYTES + (1 << 10);

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::get("/v1/journal", Scope::Read, query)
            .summary("Search events by number, time, kind, skill or run")
            .query::<JournalParams>()
            .answers::<JournalPage>(),
        Route::post("/v1/journal/verify", Scope::Operate, verify)
            .summary("Verify every event, hash and checkpoint, and the rows derived from receipts")
            .takes::<VerifyRequest>(MAX_VERIFY_BYTES)
            .answers::<VerifiedJournal>(),
        Route::post("/v1/journal/checkpoint", Scope::Operate, checkpoint)
            .summary("Sign the current journal")
            .answers::<SignedCheckpoint>(),
    ]
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
struct JournalParams {
    /// First sequence number, inclusive.
    #[serde(default, deserialize_with = "palyra_api::bounds::whole")]
    #[param(maximum = 9007199254740991i64, nullable = false)]
    from: Option<u64>,
    /// End of the sequence numbers, exclusive.
    #[serde(default, deserialize_with = "palyra_api::bounds::whole")]
    #[param(maximum = 9007199254740991i64, nullable = false)]
    before: Option<u64>,
    /// Start time in Unix milliseconds, inclusive.
    #[serde(default, deserialize_with = "palyra_api::bounds::whole")]
    #[param(maximum = 9007199254740991i64, nullable = false)]
    since_ms: Option<u64>,
    /// End time, exclusive.
    #[serde(default, deserialize_with = "palyra_api::bounds::whole")]
    #[param(maximum = 9007199254740991i64, nullable = false)]
    until_ms: Option<u64>,
    /// Event kinds such as `skill:installed`, separated by commas [default: all].
    #[param(nullable = false)]
    kinds: Option<String>,
    /// About this skill.
    #[param(nullable = false)]
    skill: Option<String>,
    /// In this run.
    #[param(nullable = false)]
    run: Option<String>,
    /// Maximum number of results.
    #[param(minimum = 1, maximum = 1000, nullable = false)]
    limit: Option<u16>,
    /// Newest first.
    #[param(nullable = false)]
    newest_first: Option<bool>,
    /// Includes a verified inclusion proof for each event.
    #[param(nullable = false)]
    proofs: Option<bool>,
}

async fn query(State(app): State<Arc<App>>, Asked(params): Asked<JournalParams>) -> Answer<JournalPage> {
    let query = read(params)?;
    let page = blocking(&app, move |app| app.journal().query(&query)).await?;
    Ok(Json(shown(page)))
}

async fn verify(State(app): State<Arc<App>>, Json(request): Json<VerifyRequest>) -> Answer<VerifiedJournal> {
    blocking(&app, move |app| check(app, request.against.as_deref())).await.map(Json)
}

async fn checkpoint(State(app): State<Arc<App>>) -> Answer<SignedCheckpoint> {
    let (checkpoint, key) = blocking(&app, |app| {
        let checkpoint = app.state().checkpoint()?;
        Ok::<_, StateError>((checkpoint, app.journal().key().map(ToString::to_string)))
    })
    .await?;
    Ok(Json(SignedCheckpoint {
        head: checkpoint.head().to_api(),
        origin: checkpoint.origin().to_owned(),
        key,
        note: checkpoint.note().to_owned(),
    }))
}

fn read(params: JournalParams) -> Result<Query, Problem> {
    let kinds = params.kinds.as_deref().unwrap_or_default().split(',').filter(|kind| !kind.is_empty());
    Ok(Query {
        from_sequence: params.from,
        before_sequence: params.before,
        from_ms: params.since_ms,
        before_ms: params.until_ms,
        kinds: kinds.map(kind).collect::<Result<_, _>>()?,
        skill: params.skill,
        run: params.run,
        newest_first: params.newest_first.unwrap_or_default(),
        limit: page_limit(params.limit, MAX_PAGE)?,
        with_proofs: params.proofs.unwrap_or_default(),
    })
}

fn shown(page: Page) -> JournalPage {
    let next = page.next.as_ref();
    JournalPage {
        next_from: next.filter(|next| !next.newest_first).and_then(|next| next.from_sequence),
        next_before: next.filter(|next| next.newest_first).and_then(|next| next.before_sequence),
        events: page.events.to_api(),
        head: page.head.to_api(),
        archived: page.archived,
    }
}

fn check(app: &App, against: Option<&str>) -> Result<VerifiedJournal, Failure> {
    let journal = app.journal();
    let against = against.map(|note| open_note(app, note)).transpose()?;
    let report = journal.verify(VerifyScope::Everything, against.as_ref())?;
    if let Some(damage) = &report.damage {
        return Err(journal_damaged(damage, &report).into());
    }
    let records = app.runs().verify_records()?;
    if !records.is_intact() {
        return Err(records_altered(&records).into());
    }
    Ok(VerifiedJournal {
        head: report.head.to_api(),
        archived: report.archived,
        events_checked: report.events_checked,
        checkpoints_checked: report.checkpoints_checked,
        runs_checked: records.runs,
        totals_checked: records.totals,
        messages_checked: records.messages,
        against: against.map(|checkpoint| checkpoint.head().size),
    })
}

fn open_note(app: &App, note: &str) -> Result<Checkpoint, Failure> {
    let key = app.journal().key();
    let key = key.ok_or_else(|| Problem::new(ErrorCode::Internal, "the journal has no key"))?;
    Ok(Checkpoint::open(note, key)?)
}
