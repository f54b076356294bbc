//! The report about one skill, permissions, and differences between releases.

use palyra_api::skills as api;
use palyra_skills::ConsentRequest;
use palyra_skills::grants::{Permission, PermissionSeverity};
use palyra_skills::trust::PublisherMode;
use palyra_skills::update::{Change, DiffRow, DiffSection, UpdateDiff};
use palyra_state::{CanTouch, CapabilityTotal, MadeBy, RunTotals, SkillInfo, WaitingRelease};

use super::ToApi;

convert_fields! {
    MadeBy => api::MadeBy { publisher, mode, signers }
    CanTouch => api::CanTouch { asks, granted, closed }
    Permission => api::Permission { text, severity }
    CapabilityTotal => api::CapabilityTotal { capability, used, denied, last_run }
    RunTotals => api::RunTotals { completed, failed, last_started_ms }
    WaitingRelease => api::WaitingRelease { status, diff, consent }
    ConsentRequest => api::ConsentRequest { skill_id, payload, replaces, capability_digest, model_text_digest }
    UpdateDiff => api::UpdateDiff { rows }
    DiffRow => api::DiffRow { section, subject, old, new, change }
}

convert_variants! {
    PublisherMode => api::PublisherMode { Allowlisted, TofuPinned, Blocked }
    PermissionSeverity => api::PermissionSeverity { Low, Medium, High }
    DiffSection => api::DiffSection {
        Release, Http, Secrets, Storage, Channels, Filesystem, Devices, Quotas, Tools, Hooks, Config, Compat, Text,
    }
    Change => api::DiffChange { Growth, Text, Narrowing, Neutral }
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
