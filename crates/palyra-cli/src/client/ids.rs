//! Ids in arguments: complete, a unique prefix, or `latest`.

use super::AnyClient;
use palyra_api::approvals::ApprovalQuery;
use palyra_api::runs::{Run, RunFilter};
use palyra_api::{ClientError, Problem};
use palyra_common::ErrorCode;

/// Word for the newest item of a list.
pub(crate) const LATEST: &str = "latest";

/// Number of digits of a complete id after its kind, for example after `run_`.
const DIGITS: usize = 32;
/// Maximum number of rows per page of a list.
const PAGE: u16 = 500;
/// Maximum number of pages that are searched for a prefix; older ids must be complete.
const MAX_PAGES: usize = 20;
/// Maximum number of candidates in an error.
const MAX_CANDIDATES: usize = 8;

/// An id that a prefix may mean, with a description.
struct Candidate {
    id: String,
    about: String,
}

/// Returns the run that `text` abbreviates. Text that matches no run is returned unchanged, so that the daemon reports
/// the error.
pub(crate) async fn run_id(client: &AnyClient, text: &str) -> Result<String, ClientError> {
    let Some(prefix) = prefix(text, "run_") else { return Ok(text.to_owned()) };
    let mut found = Vec::new();
    let mut filter = RunFilter { limit: Some(PAGE), ..RunFilter::default() };
    for _ in 0..MAX_PAGES {
        let page = client.runs(&filter).await?;
        // Runs of hooks are parts of other runs.
        let called = |run: &&Run| !run.principal.as_deref().is_some_and(|name| name.starts_with("hook:"));
        if text == LATEST {
            match page.runs.iter().find(called) {
                Some(run) => return Ok(run.run_id.clone()),
                None if page.next.is_none() => {
                    return Err(none("no runs", "run a tool with `palyra run TOOL`"));
                }
                None => {}
            }
        }
        let matching = page.runs.into_iter().filter(|run| run.run_id.starts_with(&prefix));
        found.extend(matching.map(|run| Candidate {
            about: format!("{} {}", run.tool_id, palyra_daemon::when(run.started_ms)),
            id: run.run_id,
        }));
        filter.before = page.next;
        if filter.before.is_none() {
            break;
        }
    }
    one(text, "run", found)
}

/// Returns the approval that `text` means; `latest` is the newest pending one.
pub(crate) async fn approval_id(client: &AnyClient, text: &str) -> Result<String, ClientError> {
    let Some(prefix) = prefix(text, "apr_") else { return Ok(text.to_owned()) };
    let latest = text == LATEST;
    let status = latest.then_some(palyra_api::approvals::ApprovalStatus::Pending);
    let mut query = ApprovalQuery { status, before: None, limit: Some(if latest { 1 } else { PAGE }) };
    let mut found = Vec::new();
    for _ in 0..MAX_PAGES {
        let page = client.approvals(&query).await?;
        if latest {
            let newest = page.approvals.into_iter().next().map(|approval| approval.approval_id);
            return newest.ok_or_else(|| {
                none("no approval is pending", "list all with `palyra approvals list --status all`")
            });
        }
        let matching =
            page.approvals.into_iter().filter(|approval| approval.approval_id.starts_with(&prefix));
        found.extend(matching.map(|approval| Candidate {
            about: format!("{} {}", approval.tool_id, approval.status.wire_name()),
            id: approval.approval_id,
        }));
        query.before = page.next;
        if query.before.is_none() {
            break;
        }
    }
    one(text, "approval", found)
}

/// Returns the number of the dead letter that `text` means.
pub(crate) async fn dead_letter(client: &AnyClient, text: &str) -> Result<u64, ClientError> {
    if text == LATEST {
        let newest = client.delivery_dead_letters(None, None, Some(1)).await?;
        let newest = newest.dead_letters.first().map(|letter| letter.letter);
        return newest.ok_or_else(|| none("no dead letters", "see deliveries with `palyra deliveries list`"));
    }
    text.parse().map_err(|_| {
        let message = format!("`{text}` is not the number of a dead letter");
        let problem = Problem::new(ErrorCode::Usage, message);
        ClientError::Problem(Box::new(problem.hint("list them with `palyra deliveries dead-letters list`")))
    })
}

/// Returns the prefix to search for, with its kind; `None` for a whole id. The `…` of truncated ids in lists is
/// removed.
fn prefix(text: &str, kind: &str) -> Option<String> {
    let short = text.trim_end_matches(['…', '.']);
    let digits = short.strip_prefix(kind).unwrap_or(short);
    (digits.len() < DIGITS).then(|| format!("{kind}{digits}"))
}

fn one(text: &str, what: &str, mut found: Vec<Candidate>) -> Result<String, ClientError> {
    match found.len() {
        0 => Ok(text.to_owned()),
        1 => Ok(found.remove(0).id),
        count => {
            let message = format!("`{text}` is ambiguous: {count} {what}s begin with it");
            let hints = found.iter().take(MAX_CANDIDATES).map(|one| format!("`{}` ({})", one.id, one.about));
            let mut hints: Vec<String> = hints.collect();
            if count > MAX_CANDIDATES {
                hints.push(format!("and {} more; type more characters", count - MAX_CANDIDATES));
            }
            Err(ClientError::Problem(Box::new(Problem::new(ErrorCode::Usage, message).hints(hints))))
        }
    }
}

fn none(message: &str, hint: &str) -> ClientError {
    ClientError::Problem(Box::new(Problem::new(ErrorCode::NotFound, message).hint(hint)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_ids_are_not_searched_for() {
        assert_eq!(prefix("run_01a1f0871c052796aa2c20b17b1f5a27", "run_"), None);
        assert_eq!(prefix("01a1ec", "run_").as_deref(), Some("run_01a1ec"));
        assert_eq!(prefix("run_01a1ec…", "run_").as_deref(), Some("run_01a1ec"));
        assert_eq!(prefix("latest", "apr_").as_deref(), Some("apr_latest"));
    }

    #[test]
    fn ambiguous_prefix_lists_its_candidates() {
        let candidate = |id: &str| Candidate { id: id.into(), about: "acme.notes.add".into() };
        assert!(matches!(one("run_0", "run", vec![candidate("run_01")]), Ok(id) if id == "run_01"));
        let two = one("run_0", "run", vec![candidate("run_01"), candidate("run_02")]);
        let Err(ClientError::Problem(problem)) = two else { panic!("{two:?}") };
        assert_eq!((problem.code, problem.hints.len()), (ErrorCode::Usage, 2));
        assert!(problem.detail.contains("2 runs begin with it"));
    }
}
