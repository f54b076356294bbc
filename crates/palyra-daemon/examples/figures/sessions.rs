//! Measures listing many sessions, and opening one of them with all its events.

use std::time::Instant;

use anyhow::{Context, Result, ensure};
use palyra_api::sessions::SessionQuery;
use palyra_daemon::in_process::InProcess;
use palyra_state::sessions::{SessionFilter, SessionRow, SessionRunRow, SessionUpdate};
use serde_json::Value;

use crate::agent_steps::Home;
use crate::median;

/// Milliseconds to list the sessions, and to open one with its events and runs.
///
/// One session is made by an agent run of this many steps; the others are copies of its rows under ids of their own.
pub(crate) async fn measure(sessions: usize, steps: u32, rounds: usize) -> Result<(f64, f64)> {
    let home = Home::new()?;
    let client = InProcess::client(&home.app);
    let (session_id, _) = home.run(&client, steps).await?;
    let store = home.app.state().sessions();
    let rows = store.list(&SessionFilter { limit: 1, ..SessionFilter::default() })?;
    let session_row = text(rows.first().context("there is no session")?)?;
    let run = text(store.runs_of(&session_id, None, 1)?.first().context("there is no run")?)?;
    let run_id = field(&run, "run_id")?;
    let stored = store.events_after(&session_id, 0, 100_000)?;
    let events: Vec<String> = stored.iter().map(|event| text(&event.bytes)).collect::<Result<_>>()?;
    let mut ids = vec![session_id.clone()];
    for number in 1..sessions {
        // Ids of the same form that sort in front of those that were made.
        let session = (session_id.clone(), format!("ses_{number:032x}"));
        let of_run = (run_id.clone(), format!("agr_{number:032x}"));
        let copy = |text: &str| text.replace(&session.0, &session.1).replace(&of_run.0, &of_run.1);
        let update = SessionUpdate {
            session: Some(SessionRow {
                session_id: session.1.clone(),
                owner: "owner".to_owned(),
                title: "echo".to_owned(),
                archived: false,
                last_active_ms: number as u64,
                bytes: copy(&session_row).into_bytes(),
            }),
            run: Some(SessionRunRow {
                run_id: of_run.1.clone(),
                session_id: session.1.clone(),
                open: false,
                bytes: copy(&run).into_bytes(),
            }),
            events: events
                .iter()
                .zip(1..)
                .map(|(event, number)| (session.1.clone(), number, copy(event).into_bytes()))
                .collect(),
            ..SessionUpdate::default()
        };
        store.apply(update).await?;
        ids.push(session.1.clone());
    }
    let (mut lists, mut opens) = (Vec::new(), Vec::new());
    for round in 0..rounds {
        let began = Instant::now();
        let query = SessionQuery { limit: Some(1_000), ..SessionQuery::default() };
        let listed = client.sessions(&query).await?.sessions;
        lists.push(began.elapsed().as_secs_f64() * 1e3);
        ensure!(listed.len() == sessions.clamp(1, 1_000), "{} sessions are listed", listed.len());
        let id = &ids[round * 7 % ids.len()];
        let began = Instant::now();
        client.session(id).await?;
        client.agent_runs(id, None).await?;
        let mut seen = 0;
        loop {
            let page = client.session_history(id, Some(seen)).await?.events;
            let Some(last) = page.last().and_then(|event| event.number) else { break };
            seen = last;
        }
        opens.push(began.elapsed().as_secs_f64() * 1e3);
        ensure!(seen == events.len() as u64, "{seen} of {} events are read", events.len());
    }
    Ok((median(lists), median(opens)))
}

fn text(bytes: &[u8]) -> Result<String> {
    Ok(String::from_utf8(bytes.to_vec())?)
}

fn field(json: &str, name: &str) -> Result<String> {
    let value: Value = serde_json::from_str(json)?;
    Ok(value[name].as_str().context("a row lacks a field")?.to_owned())
}
