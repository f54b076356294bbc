//! Patches: changes to a document by the ids of its components, applied completely or not at all.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::bounded;
use crate::component::{Component, RawComponent};
use crate::document::{A2uiDocument, check_size, version};
use crate::error::{A2uiError, read};
use crate::limits::MAX_COMPONENTS;
use crate::text::{self, Name};

/// Changes to the document of a surface, from one revision to the next.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct A2uiPatch {
    /// Always 1.
    #[schemars(extend("const" = 1))]
    v: u32,
    /// The surface it changes.
    surface: String,
    /// The revision it starts from.
    base_rev: u64,
    /// The revision it leads to: `base_rev` and one more.
    rev: u64,
    /// The changes, in order.
    #[schemars(length(min = 1, max = MAX_COMPONENTS))]
    ops: Vec<PatchOp>,
}

/// One change.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "op", rename_all = "snake_case")]
#[schemars(deny_unknown_fields)]
pub enum PatchOp {
    /// Inserts a component with a new id.
    Add {
        /// What to insert.
        component: Component,
        /// The id of the component it goes above; at the end where there is none.
        #[serde(skip_serializing_if = "Option::is_none")]
        before: Option<String>,
    },
    /// Exchanges the component that has the same id.
    Replace {
        /// What takes its place.
        component: Component,
    },
    /// Removes a component.
    Remove {
        /// Its id.
        id: String,
    },
    /// Moves a component.
    Move {
        /// Its id.
        id: String,
        /// The id of the component it goes above; to the end where there is none.
        #[serde(skip_serializing_if = "Option::is_none")]
        before: Option<String>,
    },
}

/// The reason why a patch was not applied. The document is unchanged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PatchError {
    /// The document changed after the base revision of the patch.
    #[error("the patch starts from revision {base_rev}, and the document is at revision {current}")]
    Stale {
        /// The base revision of the patch.
        base_rev: u64,
        /// The current revision of the document.
        current: u64,
    },
    /// The patch does not match the document, or its result violates a rule.
    #[error(transparent)]
    Invalid(#[from] A2uiError),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawPatch<'a> {
    #[serde(deserialize_with = "version")]
    v: u32,
    #[serde(deserialize_with = "text::string::<_, Name>")]
    surface: String,
    base_rev: u64,
    rev: u64,
    #[serde(borrow, deserialize_with = "bounded::list::<_, _, MAX_COMPONENTS>")]
    ops: Vec<RawOp<'a>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawOp<'a> {
    op: OpName,
    #[serde(default, deserialize_with = "text::optional::<_, Name>")]
    id: Option<String>,
    #[serde(borrow, default)]
    component: Option<RawComponent<'a>>,
    #[serde(default, deserialize_with = "text::optional::<_, Name>")]
    before: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum OpName {
    Add,
    Replace,
    Remove,
    Move,
}

impl A2uiPatch {
    /// Parses and checks a patch.
    pub fn parse(text: &str) -> Result<Self, A2uiError> {
        check_size(text)?;
        let RawPatch { v, surface, base_rev, rev, ops } = read(text)?;
        if base_rev.checked_add(1) != Some(rev) {
            return Err(A2uiError::new("/rev", "expected `base_rev` plus one"));
        }
        if ops.is_empty() {
            return Err(A2uiError::new("/ops", "expected at least one operation"));
        }
        let ops = ops
            .into_iter()
            .enumerate()
            .map(|(index, op)| op.read().map_err(|error| error.under(format!("/ops/{index}"))));
        Ok(Self { v, surface, base_rev, rev, ops: ops.collect::<Result<_, _>>()? })
    }

    /// Returns the changed document, which has revision [`Self::rev`]. `document` itself is unchanged.
    pub fn apply(&self, document: &A2uiDocument, current: u64) -> Result<A2uiDocument, PatchError> {
        if self.base_rev != current {
            return Err(PatchError::Stale { base_rev: self.base_rev, current });
        }
        if self.surface != document.surface() {
            let reason = format!("the document belongs to the surface `{}`", document.surface());
            return Err(A2uiError::new("/surface", reason).into());
        }
        let mut components = document.components().to_vec();
        for (index, op) in self.ops.iter().enumerate() {
            op.apply(&mut components).map_err(|error| error.under(format!("/ops/{index}")))?;
        }
        let changed = document.with_components(components);
        Ok(changed.map_err(|error| A2uiError::new("/ops", error.to_string()))?)
    }

    /// Returns the revision that the patch creates.
    pub fn rev(&self) -> u64 {
        self.rev
    }
}

impl RawOp<'_> {
    fn read(self) -> Result<PatchOp, A2uiError> {
        let Self { op, id, component, before } = self;
        let component = component
            .map(|component| component.read().map_err(|error| error.under("/component")))
            .transpose()?;
        let missing = |name| A2uiError::new("", format!("missing field `{name}`"));
        let unused = match op {
            OpName::Add => id.is_some().then_some("id"),
            OpName::Replace => id.is_some().then_some("id").or(before.is_some().then_some("before")),
            OpName::Remove => {
                component.is_some().then_some("component").or(before.is_some().then_some("before"))
            }
            OpName::Move => component.is_some().then_some("component"),
        };
        if let Some(name) = unused {
            return Err(A2uiError::new(
                format!("/{name}"),
                format!("unknown field `{name}` of this operation"),
            ));
        }
        Ok(match op {
            OpName::Add => PatchOp::Add { component: component.ok_or_else(|| missing("component"))?, before },
            OpName::Replace => PatchOp::Replace { component: component.ok_or_else(|| missing("component"))? },
            OpName::Remove => PatchOp::Remove { id: id.ok_or_else(|| missing("id"))? },
            OpName::Move => PatchOp::Move { id: id.ok_or_else(|| missing("id"))?, before },
        })
    }
}

impl PatchOp {
    fn apply(&self, components: &mut Vec<Component>) -> Result<(), A2uiError> {
        match self {
            Self::Add { component, before } => {
                if components.iter().any(|other| other.id == component.id) {
                    return Err(A2uiError::new("/component/id", "duplicate component id"));
                }
                let at = place(components, before.as_deref())?;
                components.insert(at, component.clone());
            }
            Self::Replace { component } => {
                let at = find(components, &component.id, "/component/id")?;
                components.splice(at..=at, [component.clone()]);
            }
            Self::Remove { id } => {
                components.remove(find(components, id, "/id")?);
            }
            Self::Move { id, before } => {
                let moved = components.remove(find(components, id, "/id")?);
                let at = place(components, before.as_deref())?;
                components.insert(at, moved);
            }
        }
        Ok(())
    }
}

fn find(components: &[Component], id: &str, pointer: &str) -> Result<usize, A2uiError> {
    let found = components.iter().position(|component| component.id == id);
    found.ok_or_else(|| A2uiError::new(pointer, format!("unknown component id `{id}`")))
}

fn place(components: &[Component], before: Option<&str>) -> Result<usize, A2uiError> {
    before.map_or(Ok(components.len()), |id| find(components, id, "/before"))
}
