//! Denials on tapes.

use palyra_api::runs::StepDenial;
use palyra_common::Denial;

use super::ToApi;

impl ToApi for Denial {
    type Api = StepDenial;

    fn to_api(&self) -> StepDenial {
        let Self { kind, subject, reason, grant, manifest } = self;
        StepDenial {
            kind: kind.wire_name().to_owned(),
            subject: subject.clone(),
            reason: reason.clone(),
            grant: grant.clone(),
            manifest: manifest.clone(),
        }
    }
}
