//! Rules of the access policy.

use palyra_api::policy as api;
use palyra_policy::PolicyReason;

use super::ToApi;

impl ToApi for PolicyReason {
    type Api = api::PolicyRule;

    fn to_api(&self) -> api::PolicyRule {
        let Self { policy, effect, advice, line } = self;
        api::PolicyRule { id: policy.clone(), effect: effect.to_api(), advice: advice.clone(), line: *line }
    }
}
