//! What the policy is told about tools, skills and principals.

use palyra_policy::{Face, PrincipalKind, Resource, ResourceKind, Skill, Tool, TrustState};
use palyra_skills::SkillRecord;
use palyra_skills::index::InstalledRelease;
use palyra_skills::manifest::{ToolEntrypoint, model_name};
use palyra_state::{Approval, View};

use crate::access::{OWNER, Principal};

impl Principal {
    /// The same for the policy.
    pub(super) fn to_policy(&self) -> palyra_policy::Principal {
        let kind = match (self.owner, self.face) {
            (true, _) => PrincipalKind::Owner,
            (false, Face::Mcp) => PrincipalKind::Mcp,
            (false, _) => PrincipalKind::Token,
        };
        palyra_policy::Principal::new(kind, self.name.clone(), self.scopes.iter())
    }
}

/// Who asked for a call that waits; one that does not say so is nobody's that could decide.
pub(super) fn requester_of(approval: &Approval) -> palyra_policy::Principal {
    let Some(asked) = &approval.requester else { return requester(&approval.principal) };
    let kind = if asked.is_owner() { PrincipalKind::Owner } else { PrincipalKind::Token };
    palyra_policy::Principal::new(kind, asked.name.clone(), [])
}

/// Who asked for a call, by name: no token has the owner's, and none has a colon.
pub(super) fn requester(name: &str) -> palyra_policy::Principal {
    if let Some(routine) = name.strip_prefix("routine:") {
        return palyra_policy::Principal::new(PrincipalKind::Routine, routine, []);
    }
    let kind = if name == OWNER { PrincipalKind::Owner } else { PrincipalKind::Token };
    palyra_policy::Principal::new(kind, name, [])
}

/// What a path is about: a kind of thing, and the name it has there.
pub(crate) fn resource(view: &View, kind: ResourceKind, name: &str) -> Resource {
    match kind {
        ResourceKind::Tool => Resource::Tool(tool_named(view, name)),
        ResourceKind::Skill => Resource::Skill(skill_named(view, name)),
        ResourceKind::Publisher => Resource::Publisher(name.to_owned()),
        ResourceKind::Daemon => Resource::Daemon,
    }
}

pub(super) fn tool(record: &SkillRecord, tool: &ToolEntrypoint) -> Tool {
    Tool {
        id: tool.id.clone(),
        skill: record.skill_id.clone(),
        publisher: record.publisher.clone(),
        trust: trust(record),
        sensitive: tool.risk.default_sensitive,
        requires_approval: tool.risk.requires_approval,
    }
}

/// The tool a call waits for; one that is gone is told by its names alone.
pub(super) fn tool_of_approval(view: &View, approval: &Approval) -> Tool {
    let record = view.index().get(&approval.skill_id);
    let found = record.and_then(|record| Some((record, tool_of(record, &approval.tool_id)?)));
    match found {
        Some((record, entrypoint)) => tool(record, entrypoint),
        None => Tool { skill: approval.skill_id.clone(), ..unknown_tool(&approval.tool_id) },
    }
}

fn tool_named(view: &View, name: &str) -> Tool {
    let id = view.aliases().get(name).map_or(name, String::as_str);
    let found = view.skill_of_tool(id).and_then(|record| Some((record, tool_of(record, id)?)));
    found.map_or_else(|| unknown_tool(id), |(record, entrypoint)| tool(record, entrypoint))
}

fn tool_of<'r>(record: &'r SkillRecord, id: &str) -> Option<&'r ToolEntrypoint> {
    record.current.tools().find(|tool| tool.id == id || model_name(&tool.id) == id)
}

/// A tool that only its caller could be refused.
pub(crate) fn any_tool() -> Tool {
    Tool { trust: TrustState::Trusted, sensitive: false, requires_approval: false, ..unknown_tool("") }
}

/// A skill whose name is not known before it is read.
pub(crate) fn unnamed_skill() -> Resource {
    Resource::Skill(unknown_skill(""))
}

/// What nobody installed is believed least.
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

/// A release on its way in, as its verified package and the decision about its publisher say.
pub(super) fn skill_of_release(record: &SkillRecord, release: &InstalledRelease) -> Skill {
    Skill {
        id: record.skill_id.clone(),
        publisher: record.publisher.clone(),
        version: release.manifest.version.to_string(),
        trust: trust_of(release),
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
    trust_of(&record.current)
}

fn trust_of(release: &InstalledRelease) -> TrustState {
    use palyra_skills::index::TrustState as Kept;
    match release.trust {
        Kept::Quarantine => TrustState::Quarantine,
        Kept::Tofu => TrustState::Tofu,
        Kept::Trusted => TrustState::Trusted,
        Kept::BuiltIn => TrustState::BuiltIn,
        Kept::Revoked => TrustState::Revoked,
    }
}
