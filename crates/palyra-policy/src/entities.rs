//! A request in the terms of the engine.
//!
//! Ids and names are passed as values and never become part of a rule's text, so no name can change a rule.

use crate::request::{PolicyRequest, Principal, Resource, Skill, Tool};
use crate::vocabulary::{Action, Face, PrincipalKind, ResourceKind, TrustState};
use cedar_policy::{
    Context, Entities, Entity, EntityId, EntityTypeName, EntityUid, Request, RestrictedExpression,
};
use std::collections::{HashMap, HashSet};
use std::str::FromStr;
use std::sync::LazyLock;

/// Converts a request to the engine's form, with the entities that it refers to.
pub(crate) fn question(request: &PolicyRequest) -> Result<(Request, Entities), String> {
    let names = NAMES.as_ref().map_err(Clone::clone)?;
    let principal = names.principal(&request.principal);
    let (resource, resource_entity) = names.resource(&request.resource)?;
    let mut entities = vec![names.principal_entity(&request.principal)?];
    entities.extend(resource_entity);
    let requester = request.requester();
    if request.action == Action::Approve && names.principal(requester) != principal {
        entities.push(names.principal_entity(requester)?);
    }
    let context = names.context(request)?;
    let entities = Entities::from_entities(entities, None).map_err(|error| error.to_string())?;
    let action = names.word(&names.action, request.action.as_str());
    let asked =
        Request::new(principal, action, resource, context, None).map_err(|error| error.to_string())?;
    Ok((asked, entities))
}

/// Returns the entity type of a kind of resource.
pub(crate) fn type_name(kind: ResourceKind) -> Option<&'static EntityTypeName> {
    let names = NAMES.as_ref().ok()?;
    Some(match kind {
        ResourceKind::Tool => &names.tool,
        ResourceKind::Skill => &names.skill,
        ResourceKind::Publisher => &names.publisher,
        ResourceKind::Daemon => &names.daemon,
    })
}

/// Returns the entity of an action.
pub(crate) fn action_uid(action: Action) -> Option<EntityUid> {
    let names = NAMES.as_ref().ok()?;
    Some(names.word(&names.action, action.as_str()))
}

static NAMES: LazyLock<Result<Names, String>> = LazyLock::new(Names::new);

/// The names of the schema, parsed once.
struct Names {
    action: EntityTypeName,
    principal: EntityTypeName,
    tool: EntityTypeName,
    skill: EntityTypeName,
    publisher: EntityTypeName,
    daemon: EntityTypeName,
    kind: EntityTypeName,
    scope: EntityTypeName,
    face: EntityTypeName,
    label: EntityTypeName,
    trust: EntityTypeName,
}

type Attributes = HashMap<String, RestrictedExpression>;

impl Names {
    fn new() -> Result<Self, String> {
        let name = |text: &str| EntityTypeName::from_str(text).map_err(|error| error.to_string());
        Ok(Self {
            action: name(Action::ENTITY)?,
            principal: name("Principal")?,
            tool: name(ResourceKind::Tool.as_str())?,
            skill: name(ResourceKind::Skill.as_str())?,
            publisher: name(ResourceKind::Publisher.as_str())?,
            daemon: name(ResourceKind::Daemon.as_str())?,
            kind: name(PrincipalKind::ENTITY)?,
            scope: name("Scope")?,
            face: name(Face::ENTITY)?,
            label: name("Label")?,
            trust: name(TrustState::ENTITY)?,
        })
    }

    fn word(&self, name: &EntityTypeName, id: &str) -> EntityUid {
        EntityUid::from_type_name_and_id(name.clone(), EntityId::new(id))
    }

    fn word_value(&self, name: &EntityTypeName, id: &str) -> RestrictedExpression {
        RestrictedExpression::new_entity_uid(self.word(name, id))
    }

    /// Returns the entity id of a principal.
    ///
    /// Ids are unique because a kind is a word without a slash.
    fn principal(&self, principal: &Principal) -> EntityUid {
        self.word(&self.principal, &format!("{}/{}", principal.kind, principal.id))
    }

    fn principal_entity(&self, principal: &Principal) -> Result<Entity, String> {
        let scopes = principal.scopes.iter().map(|scope| self.word_value(&self.scope, scope.wire_name()));
        let attributes = HashMap::from([
            name_of(&principal.id),
            ("kind".to_owned(), self.word_value(&self.kind, principal.kind.as_str())),
            ("scopes".to_owned(), RestrictedExpression::new_set(scopes)),
        ]);
        entity(self.principal(principal), attributes, HashSet::new())
    }

    fn resource(&self, resource: &Resource) -> Result<(EntityUid, Vec<Entity>), String> {
        match resource {
            Resource::Tool(tool) => self.tool(tool),
            Resource::Skill(skill) => self.skill(skill),
            Resource::Publisher(name) => {
                let uid = self.word(&self.publisher, name);
                let entity = entity(uid.clone(), HashMap::from([name_of(name)]), HashSet::new())?;
                Ok((uid, vec![entity]))
            }
            Resource::Daemon => Ok((self.word(&self.daemon, "palyrad"), Vec::new())),
        }
    }

    fn tool(&self, tool: &Tool) -> Result<(EntityUid, Vec<Entity>), String> {
        let uid = self.word(&self.tool, &tool.id);
        let attributes = HashMap::from([
            name_of(&tool.id),
            ("trust".to_owned(), self.word_value(&self.trust, tool.trust.as_str())),
            ("sensitive".to_owned(), RestrictedExpression::new_bool(tool.sensitive)),
            ("requires_approval".to_owned(), RestrictedExpression::new_bool(tool.requires_approval)),
        ]);
        let parents =
            HashSet::from([self.word(&self.skill, &tool.skill), self.word(&self.publisher, &tool.publisher)]);
        Ok((uid.clone(), vec![entity(uid, attributes, parents)?]))
    }

    fn skill(&self, skill: &Skill) -> Result<(EntityUid, Vec<Entity>), String> {
        let uid = self.word(&self.skill, &skill.id);
        let attributes = HashMap::from([
            name_of(&skill.id),
            ("version".to_owned(), RestrictedExpression::new_string(skill.version.clone())),
            ("trust".to_owned(), self.word_value(&self.trust, skill.trust.as_str())),
        ]);
        let parents = HashSet::from([self.word(&self.publisher, &skill.publisher)]);
        Ok((uid.clone(), vec![entity(uid, attributes, parents)?]))
    }

    fn context(&self, request: &PolicyRequest) -> Result<Context, String> {
        let context = &request.context;
        let mut pairs = vec![("face".to_owned(), self.word_value(&self.face, context.face.as_str()))];
        match request.action {
            Action::Invoke => {
                let arguments = RestrictedExpression::new_string(context.arguments.clone());
                pairs.push(("arguments".to_owned(), arguments));
                let labels = context.labels.names().map(|label| self.word_value(&self.label, label));
                pairs.push(("labels".to_owned(), RestrictedExpression::new_set(labels)));
                for (name, holds) in
                    [("writes_outside", context.writes_outside), ("approved", context.approved)]
                {
                    pairs.push((name.to_owned(), RestrictedExpression::new_bool(holds)));
                }
            }
            Action::Approve => {
                let requester = RestrictedExpression::new_entity_uid(self.principal(request.requester()));
                pairs.push(("requester".to_owned(), requester));
                pairs.push(("elicited".to_owned(), RestrictedExpression::new_bool(context.elicited)));
            }
            _ => {}
        }
        Context::from_pairs(pairs).map_err(|error| error.to_string())
    }
}

fn name_of(id: &str) -> (String, RestrictedExpression) {
    ("name".to_owned(), RestrictedExpression::new_string(id.to_owned()))
}

fn entity(uid: EntityUid, attributes: Attributes, parents: HashSet<EntityUid>) -> Result<Entity, String> {
    Entity::new(uid, attributes, parents).map_err(|error| error.to_string())
}
