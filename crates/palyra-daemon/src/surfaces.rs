//! Documents of calls outside of agent runs: stored for a day; a form in them calls the named tool, once.

use std::sync::Arc;

use palyra_a2ui::{A2uiDocument, ComponentBody};
use palyra_api::Problem;
use palyra_api::sessions::FormSubmit;
use palyra_api::surfaces::{CallSurface, SubmittedForm};
use palyra_api::tools::{InvokeAnswer, InvokeRequest};
use palyra_common::{ErrorCode, JsonText, Principal};
use palyra_journal::NewEvent;
use palyra_skills::manifest::ToolReturns;
use palyra_state::sessions::{CALL_SURFACE_LIFETIME_MS, CallSurfaceRow};
use palyra_state::{PrincipalId, State, StateError};
use serde::{Deserialize, Serialize};
use serde_json::json;
use serde_json::value::RawValue;

use crate::app::App;
use crate::blocking::blocking;
use crate::forms::{self, CheckedForm};
use crate::invoke;
use crate::problem::{ToProblem, not_found};

/// Revision of every document: outside of a session documents do not change.
const REV: u64 = 1;

/// The stored form of a document. The owner of the state root stores it as a sealed row.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct StoredSurface {
    surface: String,
    run_id: String,
    tool_id: String,
    skill_id: String,
    requester: PrincipalId,
    document: String,
    created_ms: u64,
    submitted: Option<SubmittedForm>,
}

/// Returns whether a tool returns documents.
pub(crate) fn returns_document(state: &State, tool_id: &str) -> bool {
    let view = state.view();
    let record = view.skill_of_tool(tool_id);
    let tool = record.and_then(|record| record.current.tools().find(|tool| tool.id == tool_id));
    tool.is_some_and(|tool| tool.returns == ToolReturns::A2ui)
}

/// Stores the document of a call; returns its id, or `None` if the tool returns none.
///
/// If storing fails, the call still succeeds, because it has ended.
pub(crate) async fn keep(app: &Arc<App>, by: &Principal, answer: &InvokeAnswer) -> Option<String> {
    if !returns_document(app.state(), &answer.tool) {
        return None;
    }
    let requester = PrincipalId::from(by);
    let (output, owner) = (answer.result.get().to_owned(), requester.key());
    let (run_id, tool_id, skill_id) = (answer.run_id.clone(), answer.tool.clone(), answer.skill_id.clone());
    let created_ms = app.now_ms();
    let row = tokio::task::spawn_blocking(move || {
        let document = A2uiDocument::parse(&output).ok()?;
        let (surface, document) = (document.surface().to_owned(), document.to_json().as_str().to_owned());
        let id = run_id.clone();
        let stored = StoredSurface {
            surface,
            run_id,
            tool_id,
            skill_id,
            requester,
            document,
            created_ms,
            submitted: None,
        };
        Some(CallSurfaceRow { run_id: id, owner, bytes: bytes(&stored).ok()? })
    });
    let row = row.await.ok().flatten()?;
    let surface_id = row.run_id.clone();
    match app.sessions().add_call_surface(row).await {
        Ok(()) => Some(surface_id),
        Err(error) => {
            tracing::error!(%error, run = surface_id, "the document of a call cannot be stored");
            None
        }
    }
}

/// Returns one document to its caller or the owner of the state root.
pub(crate) async fn show(app: &Arc<App>, by: &Principal, surface_id: &str) -> Result<CallSurface, Problem> {
    find(app, by, surface_id).await.map(|(stored, _)| stored.to_api())
}

/// Lists documents of a caller before a given one, newest first; the owner of the state root sees all.
pub(crate) fn list(
    app: &App,
    by: &Principal,
    before: Option<&str>,
    limit: usize,
) -> Result<Vec<CallSurface>, Problem> {
    let owner = (!by.is_owner()).then(|| PrincipalId::from(by).key());
    let rows = app.sessions().call_surfaces(owner.as_deref(), before, limit);
    let rows = rows.map_err(|error| error.to_problem())?;
    let mut stored = rows.iter().map(|bytes| read(bytes)).collect::<Result<Vec<_>, _>>()?;
    stored.retain(|stored| is_of(by, stored));
    Ok(stored.iter().map(StoredSurface::to_api).collect())
}

/// Returns whether a caller may see a document. The content decides, because the column used in queries is not covered
/// by the MAC.
fn is_of(by: &Principal, stored: &StoredSurface) -> bool {
    by.is_owner() || (by.identity.is_some() && stored.requester == PrincipalId::from(by))
}

/// Submits a form of a document: calls the tool that it names with its values.
///
/// One form of a document is accepted, once. If the call did not begin, because it requires approval or the tool
/// rejects the values, the form can be submitted again.
pub(crate) async fn submit(
    app: &Arc<App>,
    by: &Arc<Principal>,
    surface_id: String,
    form: FormSubmit,
) -> Result<InvokeAnswer, Problem> {
    let (app, by) = (Arc::clone(app), Arc::clone(by));
    // A claimed document is settled even if the client disconnects.
    let submitting = tokio::spawn(async move { claim_and_call(&app, &by, &surface_id, form).await });
    submitting.await.map_err(|error| Problem::new(ErrorCode::Internal, error.to_string()))?
}

async fn claim_and_call(
    app: &Arc<App>,
    by: &Arc<Principal>,
    surface_id: &str,
    submit: FormSubmit,
) -> Result<InvokeAnswer, Problem> {
    let (stored, before) = find(app, by, surface_id).await?;
    if let Some(submitted) = &stored.submitted {
        return Err(already_submitted(surface_id, submitted));
    }
    if submit.rev != REV {
        let message = format!("the document is at revision {REV}, not {}", submit.rev);
        return Err(Problem::new(ErrorCode::InvalidInput, message));
    }
    let (tool_id, mut form) = check(&stored, &submit)?;
    let arguments = JsonText::from(&serde_json::Value::Object(form.values.clone()));
    let submitted = SubmittedForm {
        component_id: submit.component_id,
        tool_id: tool_id.clone(),
        by: by.name.clone(),
        at_ms: app.now_ms(),
        run_id: None,
    };
    let of = json!({ "surface_id": surface_id, "rev": REV, "form": submitted.component_id, "tool": tool_id });
    let leaf = form.leaf(app.now_ms(), by, &stored.surface, of);
    let claimed = StoredSurface { submitted: Some(submitted.clone()), ..stored.clone() };
    let claim = bytes(&claimed).map_err(|error| error.to_problem())?;
    if !replace(app, surface_id, before.clone(), claim.clone(), Some(leaf)).await? {
        return Err(already_submitted(surface_id, &submitted));
    }
    let called = call(app, by, &mut form, tool_id, arguments).await;
    let after = match &called {
        Ok(answer) => done(&claimed, submitted, Some(answer.run_id.clone()))?,
        // A run that began may have had an effect, so the form stays used.
        Err(problem) if problem.run_id.is_some() => done(&claimed, submitted, problem.run_id.clone())?,
        Err(_) => before,
    };
    replace(app, surface_id, claim, after, None).await?;
    called
}

async fn call(
    app: &Arc<App>,
    by: &Arc<Principal>,
    form: &mut CheckedForm,
    tool_id: String,
    arguments: JsonText,
) -> Result<InvokeAnswer, Problem> {
    form.keep_secrets(app, by).await?;
    let input = RawValue::from_string(arguments.as_str().to_owned())
        .map_err(|error| Problem::new(ErrorCode::Internal, error.to_string()))?;
    invoke::invoke(app, by, tool_id, InvokeRequest::with_input(input), None).await
}

/// Returns the tool of a form, and its checked values.
fn check(stored: &StoredSurface, submit: &FormSubmit) -> Result<(String, CheckedForm), Problem> {
    let document = A2uiDocument::parse(&stored.document).map_err(forms::invalid)?;
    let form = CheckedForm::new(&document, Some(&stored.skill_id), submit)?;
    let tool = match document.component(&submit.component_id).map(|component| &component.body) {
        Some(ComponentBody::Form(form)) => form.tool.clone(),
        _ => None,
    };
    let unnamed = || {
        let message = format!("the form `{}` names no tool that takes its values", submit.component_id);
        Problem::new(ErrorCode::InvalidInput, message)
            .hint("call a tool with the values yourself: `palyra run TOOL NAME=VALUE`")
    };
    Ok((tool.ok_or_else(unnamed)?, form))
}

fn done(
    claimed: &StoredSurface,
    submitted: SubmittedForm,
    run_id: Option<String>,
) -> Result<Vec<u8>, Problem> {
    let submitted = Some(SubmittedForm { run_id, ..submitted });
    bytes(&StoredSurface { submitted, ..claimed.clone() }).map_err(|error| error.to_problem())
}

async fn replace(
    app: &Arc<App>,
    surface_id: &str,
    before: Vec<u8>,
    after: Vec<u8>,
    leaf: Option<NewEvent>,
) -> Result<bool, Problem> {
    let replaced = app.sessions().replace_call_surface(surface_id, before, after, leaf).await;
    replaced.map_err(|error| error.to_problem())
}

/// Returns a document with its row; one of another caller, or an expired one, is reported as unknown.
async fn find(app: &Arc<App>, by: &Principal, surface_id: &str) -> Result<(StoredSurface, Vec<u8>), Problem> {
    let (reading, id) = (Arc::clone(app), surface_id.to_owned());
    let row = blocking(move || reading.sessions().call_surface(&id)).await?;
    let row = row.map_err(|error| error.to_problem())?;
    let found = row.map(|bytes| read(&bytes).map(|stored| (stored, bytes))).transpose()?;
    let sees = |stored: &StoredSurface| is_of(by, stored) && app.now_ms() < stored.expires_ms();
    found.filter(|(stored, _)| sees(stored)).ok_or_else(|| {
        not_found("surface", surface_id, Vec::new()).hint("see which there are with `palyra surfaces list`")
    })
}

impl StoredSurface {
    fn expires_ms(&self) -> u64 {
        self.created_ms.saturating_add(CALL_SURFACE_LIFETIME_MS)
    }

    fn to_api(&self) -> CallSurface {
        CallSurface {
            surface_id: self.run_id.clone(),
            surface: self.surface.clone(),
            rev: REV,
            tool_id: self.tool_id.clone(),
            skill_id: self.skill_id.clone(),
            requested_by: self.requester.name.clone(),
            document: serde_json::from_str(&self.document).unwrap_or_default(),
            created_ms: self.created_ms,
            expires_ms: self.expires_ms(),
            submitted: self.submitted.clone(),
        }
    }
}

fn already_submitted(surface_id: &str, submitted: &SubmittedForm) -> Problem {
    let message = format!("a form of `{surface_id}` was submitted already, by {}", submitted.by);
    Problem::new(ErrorCode::AlreadyDecided, message)
        .details(json!({ "surface_id": surface_id, "run_id": submitted.run_id }))
}

fn bytes(stored: &StoredSurface) -> Result<Vec<u8>, StateError> {
    serde_json::to_vec(stored).map_err(|error| record("written", &stored.run_id, &error))
}

fn read(bytes: &[u8]) -> Result<StoredSurface, Problem> {
    serde_json::from_slice(bytes).map_err(|error| record("read", "surface", &error).to_problem())
}

fn record(doing: &'static str, key: &str, error: &serde_json::Error) -> StateError {
    StateError::Record { doing, key: key.to_owned(), reason: error.to_string() }
}
