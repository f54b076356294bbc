//! Converts library types to the types of `palyra-api`.
//!
//! Every implementation destructures its value by name, so that a field or a variant that is added, removed or renamed
//! on either side fails to compile. There is one file per subject; the file of a resource converts only what also needs
//! the state or the clock.

use std::borrow::Cow;
use std::collections::BTreeSet;

use palyra_common::model::approvals::{ApprovalScope, ApprovalStatus};
use palyra_common::model::audit::{
    AuditRuleSetting, AuditVerdict, Certainty, FindingEffect, RiskLevel, Severity,
};
use palyra_common::model::deliveries::DeliveryCursor;
use palyra_common::model::grants::GrantStep;
use palyra_common::model::models::ModelPrice;
use palyra_common::model::plugins::ConfigSource;
use palyra_common::model::policy::PolicyEffect;
use palyra_common::model::routines::{Fire, FireList};
use palyra_common::model::runs::{
    CapabilityTotal, DeclaredCapability, Run, RunLine, RunList, RunTotals, ToolCost, UseCount,
};
use palyra_common::model::skills::{
    DiffRow, KeyOrigin, MadeBy, Permission, Placement, QuarantineCause, SkillDependency, SkillStatus,
    TrustState,
};
use palyra_common::{Capability, CapabilityGrantSet, InformationLabels};
use palyra_skills::Sha256Digest;
use serde::Serialize;
use serde_json::Value;

/// A library type with a corresponding API type.
pub(crate) trait ToApi {
    /// The API type.
    type Api;

    /// Converts the value to its API type.
    fn to_api(&self) -> Self::Api;
}

/// Implements [`ToApi`] for structs whose API type has the same fields, each converted separately.
macro_rules! convert_fields {
    ($($library:ty => $api:path { $($field:ident),* $(,)? })*) => {$(
        impl $crate::to_api::ToApi for $library {
            type Api = $api;

            fn to_api(&self) -> Self::Api {
                let Self { $($field),* } = self;
                $api { $($field: $field.to_api()),* }
            }
        }
    )*};
}

/// Implements [`ToApi`] for enums whose API type has the same variants, none of which has fields.
macro_rules! convert_variants {
    ($($library:ty => $api:ty { $($variant:ident),* $(,)? })*) => {$(
        impl $crate::to_api::ToApi for $library {
            type Api = $api;

            fn to_api(&self) -> Self::Api {
                match self {
                    $(Self::$variant => <$api>::$variant,)*
                }
            }
        }
    )*};
}

mod approvals;
mod audit;
mod channels;
mod components;
mod deliveries;
mod doctor;
mod hooks;
mod install;
mod journal;
mod models;
mod plugins;
mod policy;
mod run_steps;
mod runs;
mod skill_info;
mod skills;

pub(crate) use deliveries::{channel_letter, hook_letter};

macro_rules! convert_texts {
    ($($type:ty),*) => {$(
        impl ToApi for $type {
            type Api = String;

            fn to_api(&self) -> String {
                self.to_string()
            }
        }
    )*};
}

convert_texts!(Cow<'static, str>, Sha256Digest, Capability);

macro_rules! convert_same {
    ($($type:ty),* $(,)?) => {$(
        impl ToApi for $type {
            type Api = Self;

            fn to_api(&self) -> Self {
                Clone::clone(self)
            }
        }
    )*};
}

// Types that are used on both sides: plain ones, and those of `palyra_common::model`.
convert_same! {
    bool, u32, u64, usize, ApprovalScope, ApprovalStatus, AuditRuleSetting, AuditVerdict, CapabilityTotal,
    Certainty, ConfigSource, DeclaredCapability, DeliveryCursor, DiffRow, Fire, FireList, FindingEffect, GrantStep,
    InformationLabels, KeyOrigin, MadeBy, Permission, Placement, ModelPrice, PolicyEffect, QuarantineCause,
    RiskLevel, Run, RunLine, RunList, RunTotals, Severity, SkillDependency, SkillStatus, String, ToolCost,
    TrustState, UseCount,
}

impl ToApi for &'static str {
    type Api = String;

    fn to_api(&self) -> String {
        (*self).to_owned()
    }
}

impl ToApi for CapabilityGrantSet {
    type Api = Vec<String>;

    /// Returns the grants as `--grant` writes them.
    fn to_api(&self) -> Vec<String> {
        Vec::<Capability>::from(self.clone()).to_api()
    }
}

impl<T: ToApi> ToApi for Option<T> {
    type Api = Option<T::Api>;

    fn to_api(&self) -> Self::Api {
        self.as_ref().map(ToApi::to_api)
    }
}

impl<T: ToApi> ToApi for [T] {
    type Api = Vec<T::Api>;

    fn to_api(&self) -> Self::Api {
        self.iter().map(ToApi::to_api).collect()
    }
}

impl<T: ToApi> ToApi for Vec<T> {
    type Api = Vec<T::Api>;

    fn to_api(&self) -> Self::Api {
        self.as_slice().to_api()
    }
}

impl<T: ToApi> ToApi for BTreeSet<T> {
    type Api = Vec<T::Api>;

    fn to_api(&self) -> Self::Api {
        self.iter().map(ToApi::to_api).collect()
    }
}

impl<T: ToApi> ToApi for Box<T> {
    type Api = Box<T::Api>;

    fn to_api(&self) -> Self::Api {
        Box::new(T::to_api(self))
    }
}

/// Converts a value to a JSON document that the API type does not describe further.
///
/// Only a map with keys that are not text has no JSON, and no value passed here has one.
fn document(value: &impl Serialize) -> Value {
    serde_json::to_value(value).unwrap_or_else(|error| {
        tracing::error!(%error, "cannot serialize a document");
        Value::Null
    })
}
