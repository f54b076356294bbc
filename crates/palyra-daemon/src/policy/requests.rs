//! Requests about the access policy: read, change, and evaluate a question.

use palyra_api::Problem;
use palyra_api::policy::{AccessPolicy, PolicyAnswer, PolicyQuestion};
use palyra_common::principal::OWNER;
use palyra_common::{ErrorCode, Scope};
use palyra_policy::{
    Action, PolicyContext, PolicyRequest, PolicySet, Principal, PrincipalKind, Resource, ResourceKind,
};
use palyra_runner::effective_grants;
use palyra_state::authorizer::{requester, resource};
use palyra_state::{State, View};

use super::{leaves_the_owner_in, scope_of};
use crate::problem::{ToProblem, deciding_rule, not_found};
use crate::to_api::ToApi;

/// Maximum length of a name in a question, in bytes.
const MAX_NAME: usize = 200;

/// Returns the policy in effect; a stored one that cannot be parsed is returned with its error.
pub(crate) fn show(state: &State) -> AccessPolicy {
    let stored = state.settings().access_policy();
    let authorizer = state.authorizer();
    let (set, text) = (authorizer.policy(), stored.text.as_deref());
    let problem = text.and_then(|text| PolicySet::parse(text).err());
    // The policy in force has an additional rule if the stored text is older than rules about labels.
    let shown = if problem.is_some() { text } else { None };
    AccessPolicy {
        default: text.is_none(),
        revision: set.revision().to_string(),
        text: shown.unwrap_or(set.text()).to_owned(),
        rules: set.rules().map(|rule| rule.rule.to_api()).collect(),
        problem: problem.map(|error| error.to_string()),
    }
}

/// Sets the access policy; rejects a text that is invalid, or with which the owner could not change it again.
pub(crate) fn change(state: &State, text: &str, principal: &str) -> Result<(), Problem> {
    let set = PolicySet::parse(text).map_err(|error| error.to_problem())?;
    leaves_the_owner_in(&set).map_err(|decision| {
        let message = "the owner could not change this policy again, from a terminal and from a script";
        Problem::new(ErrorCode::InvalidPolicy, format!("{message}: {decision}"))
            .hint("keep a rule that permits `admin` to the owner, as `admin` of the default policy does")
            .details(serde_json::json!({ "policy": deciding_rule(&decision) }))
    })?;
    state.settings().set_access_policy(&set, principal).map(drop).map_err(|error| error.to_problem())
}

/// Evaluates a question; a missing scope denies it regardless of the rules.
pub(crate) fn evaluate(state: &State, question: PolicyQuestion) -> Result<PolicyAnswer, Problem> {
    let request = read(state, question)?;
    let authorizer = state.authorizer();
    let decision = authorizer.policy().evaluate(&request);
    let scope = scope_of(request.action);
    let in_scope = request.principal.scopes.contains(&scope);
    let mut approved = request.clone();
    approved.context.approved = true;
    let with_approval = !decision.allowed
        && in_scope
        && request.action == Action::Invoke
        && authorizer.policy().evaluate(&approved).allowed;
    let reason = if decision.allowed && !in_scope {
        format!("the rules permit it, but a token with the scope `{scope}` is required")
    } else if with_approval {
        format!("a person has to approve the call: {decision}")
    } else {
        decision.to_string()
    };
    Ok(PolicyAnswer {
        allowed: decision.allowed && in_scope,
        with_approval,
        reason,
        scope,
        scopes: request.principal.scopes.iter().copied().collect(),
        rules: decision.reasons.to_api(),
        revision: decision.revision.to_string(),
    })
}

fn read(state: &State, question: PolicyQuestion) -> Result<PolicyRequest, Problem> {
    let view = state.view();
    let PolicyQuestion {
        action,
        kind,
        name,
        scopes,
        face,
        tool,
        skill,
        publisher,
        requester: by,
        labels,
        writes_outside,
    } = question;
    if name.len() > MAX_NAME {
        return Err(Problem::new(ErrorCode::Usage, format!("`name` has at most {MAX_NAME} bytes")));
    }
    let scopes: Vec<Scope> = match (kind, scopes) {
        (PrincipalKind::Owner, _) => Scope::ALL.to_vec(),
        (_, Some(scopes)) => scopes,
        (kind, None) => scopes_in_use(state, kind, &name)?,
    };
    let name = if kind == PrincipalKind::Owner { OWNER.to_owned() } else { name };
    let resource = about(&view, tool, skill, publisher)?;
    let writes_outside = writes_outside.unwrap_or_else(|| match &resource {
        Resource::Tool(tool) => {
            effective_grants(state, &tool.skill).is_ok_and(|effective| effective.grants.writes_outside())
        }
        _ => false,
    });
    Ok(PolicyRequest {
        principal: Principal::new(kind, name, scopes),
        action,
        resource,
        context: PolicyContext {
            labels,
            writes_outside,
            requester: by.as_deref().map(requester),
            ..PolicyContext::new(face)
        },
    })
}

/// Returns the scopes that a principal has in actual requests.
fn scopes_in_use(state: &State, kind: PrincipalKind, name: &str) -> Result<Vec<Scope>, Problem> {
    match kind {
        PrincipalKind::Owner => Ok(Scope::ALL.to_vec()),
        PrincipalKind::Hook | PrincipalKind::Routine => Ok(vec![Scope::Invoke]),
        PrincipalKind::Agent => Ok(vec![Scope::Read, Scope::Invoke]),
        PrincipalKind::Token | PrincipalKind::Mcp => {
            let tokens = state.tokens().list();
            match tokens.iter().find(|token| token.name == name) {
                Some(token) if token.is_expired(state.now_ms()) => {
                    Err(Problem::new(ErrorCode::Usage, format!("the token `{name}` has expired"))
                        .hint("add the scopes to check with `--scope`"))
                }
                Some(token) => Ok(token.scopes.iter().collect()),
                None => {
                    let known = tokens.into_iter().map(|token| token.name).collect();
                    Err(not_found("token", name, known)
                        .hint("for a token that does not exist yet, add its scopes with `--scope`"))
                }
            }
        }
    }
}

fn about(
    view: &View,
    tool: Option<String>,
    skill: Option<String>,
    publisher: Option<String>,
) -> Result<Resource, Problem> {
    let kinds = [ResourceKind::Tool, ResourceKind::Skill, ResourceKind::Publisher];
    let named = kinds.into_iter().zip([tool, skill, publisher]);
    let mut named = named.filter_map(|(kind, name)| Some((kind, name?)));
    let Some((kind, name)) = named.next() else { return Ok(Resource::Daemon) };
    if named.next().is_some() {
        return Err(Problem::new(
            ErrorCode::Usage,
            "a request is about one tool, one skill or one publisher",
        ));
    }
    let known: Vec<String> = match kind {
        ResourceKind::Tool => {
            let tools = view.index().iter().flat_map(|record| record.current.tools());
            tools.map(|tool| tool.id.clone()).collect()
        }
        ResourceKind::Skill => view.index().iter().map(|record| record.skill_id.clone()).collect(),
        ResourceKind::Publisher | ResourceKind::Daemon => Vec::new(),
    };
    match resource(view, kind, &name) {
        Resource::Tool(tool) if tool.skill.is_empty() => Err(not_found("tool", &name, known)),
        Resource::Skill(skill) if skill.publisher.is_empty() => Err(not_found("skill", &name, known)),
        found => Ok(found),
    }
}
