//! The policy in the words of the API: shown, changed, and asked what it would say.

use palyra_api::Problem;
use palyra_api::policy::{AccessPolicy, PolicyAnswer, PolicyEffect, PolicyQuestion, PolicyRule};
use palyra_common::Scope;
use palyra_policy::{
    PolicyContext, PolicyReason, PolicyRequest, PolicySet, Principal, PrincipalKind, Resource, ResourceKind,
    RuleEffect,
};
use palyra_state::{State, View};

use super::{Policy, leaves_the_owner_in, requester, resource, scope_of};
use crate::access::OWNER;
use crate::problem::{ToProblem, deciding_rule, not_found};
use crate::shape::shape;

/// Longest name in a question.
const MAX_NAME: usize = 200;

/// The policy in force; a stored one that cannot be read is shown with what is wrong with it.
pub(crate) fn policy(policy: &Policy, state: &State) -> AccessPolicy {
    let stored = state.access_policy();
    let (set, text) = (policy.set(state), stored.text.as_deref());
    let problem = text.and_then(|text| PolicySet::parse(text).err());
    AccessPolicy {
        default: text.is_none(),
        revision: set.revision().to_string(),
        text: text.unwrap_or(set.text()).to_owned(),
        rules: set.rules().map(|rule| told(&rule.rule)).collect(),
        problem: problem.map(|error| error.to_string()),
    }
}

/// Puts a text in force that is a policy and leaves the owner a way to change it again.
pub(crate) fn change(state: &State, text: &str, principal: &str) -> Result<(), Problem> {
    let set = PolicySet::parse(text).map_err(|error| error.to_problem())?;
    leaves_the_owner_in(&set).map_err(|decision| {
        let message = "the owner could not change this policy again from a terminal and from a script";
        Problem::new("invalid_policy", format!("{message}: {decision}"))
            .hint("keep a rule that permits `admin` to the owner, as `admin` of the default policy does")
            .details(serde_json::json!({ "policy": deciding_rule(&decision) }))
    })?;
    state.set_access_policy(&set, principal).map(drop).map_err(|error| error.to_problem())
}

/// What the policy would say; a scope that is missing is a no whatever it says.
pub(crate) fn answer(
    policy: &Policy,
    state: &State,
    question: PolicyQuestion,
) -> Result<PolicyAnswer, Problem> {
    let request = read(&state.view(), question)?;
    let decision = policy.set(state).evaluate(&request);
    let scope = scope_of(request.action);
    let in_scope = request.principal.scopes.contains(&scope);
    let reason = match decision.allowed && !in_scope {
        true => format!("the rules permit it, but it needs a token with the scope `{scope}`"),
        false => decision.to_string(),
    };
    Ok(PolicyAnswer {
        allowed: decision.allowed && in_scope,
        reason,
        scope: scope.into(),
        rules: decision.reasons.iter().map(told).collect(),
        revision: decision.revision.to_string(),
    })
}

fn read(view: &View, question: PolicyQuestion) -> Result<PolicyRequest, Problem> {
    let PolicyQuestion { action, kind, name, scopes, face, tool, skill, publisher, requester: by } = question;
    if name.len() > MAX_NAME {
        return Err(Problem::new("usage", format!("`name` has at most {MAX_NAME} bytes")));
    }
    let kind = shape(&kind)?;
    let scopes: Vec<Scope> = match kind {
        PrincipalKind::Owner => Scope::ALL.to_vec(),
        _ => scopes.into_iter().map(Scope::from).collect(),
    };
    let name = if kind == PrincipalKind::Owner { OWNER.to_owned() } else { name };
    Ok(PolicyRequest {
        principal: Principal::new(kind, name, scopes),
        action: shape(&action)?,
        resource: about(view, tool, skill, publisher)?,
        context: PolicyContext {
            requester: by.as_deref().map(requester),
            ..PolicyContext::new(shape(&face)?)
        },
    })
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
        return Err(Problem::new("usage", "a question is about one tool, one skill or one publisher"));
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

fn told(rule: &PolicyReason) -> PolicyRule {
    PolicyRule {
        id: rule.policy.clone(),
        effect: match rule.effect {
            RuleEffect::Permit => PolicyEffect::Permit,
            RuleEffect::Forbid => PolicyEffect::Forbid,
        },
        advice: rule.advice.clone(),
        line: rule.line,
    }
}
