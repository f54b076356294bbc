//! The report about one skill, permissions, and differences between releases.

use palyra_api::skills as api;
use palyra_skills::ConsentRequest;
use palyra_skills::update::UpdateDiff;
use palyra_state::{CanTouch, SkillInfo, WaitingRelease};

use super::ToApi;

convert_fields! {
    CanTouch => api::CanTouch { asks, granted, closed }
    WaitingRelease => api::WaitingRelease { status, diff, consent }
    ConsentRequest => api::ConsentRequest { skill_id, payload, replaces, capability_digest, model_text_digest }
    UpdateDiff => api::UpdateDiff { rows }
}

impl ToApi for SkillInfo {
    type Api = api::SkillInfo;

    /// Leaves `consent_digest` empty; the handler adds it.
    fn to_api(&self) -> api::SkillInfo {
        let Self { entry, made_by, can_touch, has_used, runs, why, would_change, waiting } = self;
        api::SkillInfo {
            entry: entry.to_api(),
            made_by: made_by.to_api(),
            can_touch: can_touch.to_api(),
            has_used: has_used.to_api(),
            runs: runs.to_api(),
            why: why.clone(),
            would_change: would_change.clone(),
            waiting: waiting.to_api(),
            consent_digest: None,
        }
    }
}
