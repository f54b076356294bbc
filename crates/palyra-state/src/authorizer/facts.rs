//! Tools, skills and principals as the access policy sees them.

use palyra_common::principal::from_stored;
use palyra_common::{Principal, PrincipalKind};
use palyra_policy::{Resource, ResourceKind, Skill, Tool, TrustState};
use palyra_skills::SkillRecord;
use palyra_skills::index::InstalledRelease;
use palyra_skills::manifest::{Risk, ToolEntrypoint, model_name};

use crate::approvals::Approval;
use crate::view::View;

/// Converts a principal to the policy's type.
pub(super) fn to_policy(principal: &Principal) -> palyra_policy::Principal {
    palyra_policy::Principal::new(principal.kind, principal.name.clone(), principal.scopes.iter())
}

/// Returns the requester of a pending approval; rows of 945e3d1 have only the text of its principal.
pub(super) fn requester_of(approval: &Approval) -> palyra_policy::Principal {
    let Some(asked) = &approval.requester else { return requester(&approval.principal) };
    let kind = if asked.is_owner() { PrincipalKind::Owner } else { PrincipalKind::Token };
    palyra_policy::Principal::new(kind, asked.name.clone(), [])
}

/// Returns a requester of which only the actor text is known: of an old approval, or of a `policy check`.
pub fn requester(actor: &str) -> palyra_policy::Principal {
    let (kind, name) = from_stored(actor);
    palyra_policy::Principal::new(kind, name, [])
}

/// Returns the resource of a kind with this name; one that is not installed has the lowest trust.
pub fn resource(view: &View, kind: ResourceKind, name: &str) -> Resource {
    match kind {
        ResourceKind::Tool => Resource::Tool(tool_named(view, name)),
        ResourceKind::Skill => Resource::Skill(skill_named(view, name)),
        ResourceKind::Publisher => Resource::Publisher(name.to_owned()),
        ResourceKind::Daemon => Resource::Daemon,
    }
}

pub(super) fn tool(record: &SkillRecord, id: &str, risk: Risk) -> Tool {
    Tool {
        id: id.to_owned(),
        skill: record.skill_id.clone(),
        publisher: record.publisher.clone(),
        trust: trust(record),
        sensitive: risk.default_sensitive,
        requires_approval: risk.requires_approval,
    }
}

/// Returns the tool of a pending approval; for a tool that was removed only the names are known.
pub(super) fn tool_of_approval(view: &View, approval: &Approval) -> Tool {
    let record = view.index().get(&approval.skill_id);
    let found = record.and_then(|record| Some((record, tool_of(record, &approval.tool_id)?)));
    match found {
        Some((record, entrypoint)) => tool(record, &entrypoint.id, entrypoint.risk),
        None => Tool { skill: approval.skill_id.clone(), ..unknown_tool(&approval.tool_id) },
    }
}

fn tool_named(view: &View, name: &str) -> Tool {
    let id = view.aliases().get(name).map_or(name, String::as_str);
    let found = view.skill_of_tool(id).and_then(|record| Some((record, tool_of(record, id)?)));
    found.map_or_else(
        || unknown_tool(id),
        |(record, entrypoint)| tool(record, &entrypoint.id, entrypoint.risk),
    )
}

fn tool_of<'r>(record: &'r SkillRecord, id: &str) -> Option<&'r ToolEntrypoint> {
    record.current.tools().find(|tool| tool.id == id || model_name(&tool.id) == id)
}

/// Returns a tool that no rule about tools denies, for questions about the caller alone.
pub fn any_tool() -> Tool {
    Tool { trust: TrustState::Trusted, sensitive: false, requires_approval: false, ..unknown_tool("") }
}

/// Returns a skill whose name is unknown because its package was not read yet.
pub fn unnamed_skill() -> Resource {
    Resource::Skill(unknown_skill(""))
}

/// Returns a tool that is not installed; it has the lowest trust.
fn unknown_tool(id: &str) -> Tool {
    Tool {
        id: id.to_owned(),
        skill: String::new(),
        publisher: String::new(),
        trust: TrustState::Quarantine,
        sensitive: true,
        requires_approval: true,
    }
}

/// Returns a release that is being installed, from its verified package and the trust in its publisher.
pub(super) fn skill_of_release(record: &SkillRecord, release: &InstalledRelease) -> Skill {
    Skill {
        id: record.skill_id.clone(),
        publisher: record.publisher.clone(),
        version: release.manifest.version.to_string(),
        trust: release.trust,
    }
}

fn skill_named(view: &View, id: &str) -> Skill {
    match view.index().get(id) {
        Some(record) => {
            let (id, publisher) = (record.skill_id.clone(), record.publisher.clone());
            Skill {
                id,
                publisher,
                version: record.current.manifest.version.to_string(),
                trust: trust(record),
            }
        }
        None => unknown_skill(id),
    }
}

fn unknown_skill(id: &str) -> Skill {
    Skill {
        id: id.to_owned(),
        publisher: String::new(),
        version: String::new(),
        trust: TrustState::Quarantine,
    }
}

fn trust(record: &SkillRecord) -> TrustState {
    record.current.trust
}
