//! Installed skills, the five questions about one, and what is done with them.

mod audit;
mod components;
mod info;
mod install;
mod operate;
mod record;
mod steps;

pub use audit::{
    AuditReport, AuditWork, Certainty, Finding, FindingCounts, FindingEffect, Severity, SkillAudit,
    SkillAudits,
};
pub use components::{SkillComponents, SkillDependency, SkillModule};
pub use info::{
    CanTouch, CapabilityTotal, ConsentRequest, DiffChange, DiffRow, DiffSection, MadeBy, Permission,
    PermissionSeverity, PublisherMode, RunTotals, SkillInfo, UpdateDiff, WaitingRelease,
};
pub use install::{
    ConsentAsked, InstallOutcome, InstallQuery, KeyOrigin, KeySet, Placement, TrustDecision, Withheld,
};
pub use operate::{
    ConsentBody, DisableBody, EnableBody, QuarantineBody, RemoveQuery, RemovedSkill, RollbackBody,
    SkillChanged, SkillPrepared, SkillVerified,
};
pub use record::{
    AuditSummary, AuditVerdict, CompiledCode, Eligibility, InstalledRelease, PastRelease, Quarantine,
    QuarantineCause, RiskLevel, SkillCodeState, SkillEntry, SkillList, SkillRecord, SkillStatus, TrustState,
};
pub use steps::{InstallStage, InstallStep, VerifyStep};
