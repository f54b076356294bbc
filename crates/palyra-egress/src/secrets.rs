//! The secrets of a run: those that the host injects, and those that must not leave it.

pub(crate) mod inject;
pub(crate) mod scan;

use palyra_common::SecretValue;
use palyra_common::capabilities::{HostPattern, SecretForm, SecretGrant, SecretRef};

/// A secret that the host injects into a request, without the guest seeing it.
#[derive(Debug, Clone)]
pub struct Injection {
    /// The permitted hosts and placements of the secret.
    pub grant: SecretGrant,
    /// The placement in the request.
    pub form: InjectionForm,
    /// The value to inject.
    pub value: SecretValue,
}

/// The placement of an injected secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InjectionForm {
    /// `Authorization: Bearer SECRET`.
    Bearer,
    /// A header with this name.
    Header(String),
    /// A query parameter with this name.
    Query(String),
    /// `Authorization: Basic`, with the secret as the password.
    BasicPassword {
        /// The user name before the colon; may be empty.
        username: String,
    },
}

impl InjectionForm {
    /// Returns the placement that a grant must contain.
    pub fn granted_as(&self) -> SecretForm {
        match self {
            Self::Bearer => SecretForm::Bearer,
            Self::Header(name) => SecretForm::Header(name.to_ascii_lowercase()),
            Self::Query(name) => SecretForm::Query(name.clone()),
            Self::BasicPassword { .. } => SecretForm::Basic,
        }
    }
}

/// A secret that requests are searched for and that is masked in responses.
#[derive(Debug, Clone)]
pub struct GuardedSecret {
    /// The reference of the secret, for messages.
    pub reference: SecretRef,
    /// The value to search for.
    pub value: SecretValue,
    /// The hosts to which the guest may send it, because it can read it.
    pub reveal_to: Vec<HostPattern>,
}
