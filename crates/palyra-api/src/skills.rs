//! Installed skills, and the five questions about one.

mod info;
mod record;

pub use info::{
    CanTouch, CapabilityTotal, ConsentRequest, DiffChange, DiffRow, DiffSection, MadeBy, Permission,
    PermissionSeverity, PublisherMode, RunTotals, SkillInfo, UpdateDiff, WaitingRelease,
};
pub use record::{
    AuditSummary, AuditVerdict, Eligibility, InstalledRelease, PastRelease, Quarantine, QuarantineCause,
    RiskLevel, SkillEntry, SkillList, SkillRecord, SkillStatus, TrustState,
};
