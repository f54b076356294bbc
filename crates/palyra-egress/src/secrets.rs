//! Secrets of a run: those the host may inject, and those that may not leave.

pub(crate) mod inject;
pub(crate) mod scan;

use palyra_common::SecretValue;
use palyra_common::capabilities::{HostPattern, SecretForm, SecretGrant, SecretRef};

/// One secret for the host to put into a request that the guest never sees.
#[derive(Debug, Clone)]
pub struct Injection {
    /// What may be done with the secret.
    pub grant: SecretGrant,
    /// The target path.
    pub form: InjectionForm,
    /// Its value.
    pub value: SecretValue,
}

/// Placement of an injected secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InjectionForm {
    /// `Authorization: Bearer SECRET`.
    Bearer,
    /// The header of this name.
    Header(String),
    /// The query parameter of this name.
    Query(String),
    /// `Authorization: Basic`, with the secret as password.
    BasicPassword {
        /// The user name.
        username: String,
    },
}

impl InjectionForm {
    /// The form a grant must name.
    pub fn granted_as(&self) -> SecretForm {
        match self {
            Self::Bearer => SecretForm::Bearer,
            Self::Header(name) => SecretForm::Header(name.to_ascii_lowercase()),
            Self::Query(name) => SecretForm::Query(name.clone()),
            Self::BasicPassword { .. } => SecretForm::Basic,
        }
    }
}

/// A secret that is searched for in requests and blotted out of responses.
#[derive(Debug, Clone)]
pub struct GuardedSecret {
    /// Its name.
    pub reference: SecretRef,
    /// Its value.
    pub value: SecretValue,
    /// The hosts towards which the guest may place it itself, because it may reveal it.
    pub reveal_to: Vec<HostPattern>,
}
