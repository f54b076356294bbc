//! Checks of `palyra doctor`.

use palyra_api::doctor::{StateCheck, StateFix};

use super::ToApi;
use crate::doctor::{Check, Fix, Severity};

convert_fields! {
    Check => StateCheck { id, severity, evidence, fix }
    Fix => StateFix { says, automatic }
}

impl ToApi for Severity {
    type Api = String;

    fn to_api(&self) -> String {
        let name = match self {
            Self::Ok => "ok",
            Self::Note => "note",
            Self::Skipped => "skipped",
            Self::Warning => "warning",
            Self::Error => "error",
        };
        name.to_owned()
    }
}
