//! The owner of the state root: lock, database, anchor, the install pipeline, and the stores of all other crates.

#![forbid(unsafe_code)]

mod activity;
mod anchor;
mod approvals;
pub mod authorizer;
mod backup;
pub mod channels;
mod checkpoint;
mod commit;
mod damage;
pub mod db;
mod definition_error;
pub mod deliveries;
mod error;
mod expiry;
mod history;
pub mod hooks;
mod init;
mod inventory;
mod keeper;
pub mod lock;
pub mod models;
pub mod objects;
mod plugins;
mod principal_id;
mod queues;
mod receipts;
mod records;
mod repair;
mod reports;
mod root;
mod routines;
pub mod runs;
pub mod sessions;
mod skills;
mod state;
pub mod storage;
mod survey;
mod text;
mod tokens;
mod trust;
mod vault;
mod view;

pub use activity::{ActivityCount, ActivityQuery};
/// The journal, for callers that query and verify it through the owner.
pub use palyra_journal as journal;

pub use anchor::Anchor;
pub use approvals::{
    Approval, ApprovalAnswer, ApprovalDecision, ApprovalError, ApprovalFilter, ApprovalPage, ApprovalRequest,
    ApprovalScope, ApprovalStatus, ApprovalStore, ApprovalVerdict, LONG_YES_LIFETIME_MS, MAX_ARGUMENTS_PIECE,
    MAX_SHOWN_ARGUMENTS, MAX_WAITING, MAX_WAITING_BYTES, Presence, REQUEST_LIFETIME_MS, YES_LIFETIME_MS,
    decide_approval,
};
pub use authorizer::Authorizer;
pub use backup::{
    BackupError, BackupFile, BackupManifest, MANIFEST as BACKUP_MANIFEST, RestoreAcceptance, RestorePlan,
    Restored, StagedRestore, check_backup,
};
pub use channels::ChannelStore;
pub use damage::{Damage, Difference};
pub use definition_error::DefinitionError;
pub use deliveries::DeliveryStore;
pub use error::{StateError, TrustRefused};
pub use hooks::HookStore;
pub use inventory::{CanTouch, CapabilityTotal, MadeBy, RunTotals, SkillInfo, WaitingRelease};
pub use models::ModelStore;
pub use plugins::{
    AccessPolicy, ConfigSource, ConfigValues, PluginSettingError, PluginSettings, Revised, SettingStore,
    ShownConfig, ShownField, check_outside, effective_config,
};
pub use principal_id::PrincipalId;
pub use queues::Queues;
pub use receipts::{NoReceipt, RECEIPT_SCHEMA, RunReceipt, RunReceiptError, VerifiedReceipt, verify_receipt};
pub use records::RecordsReport;
pub use repair::{JournalFate, RepairPlan};
pub use reports::{BlastRadius, Touch};
pub use root::StateRoot;
pub use routines::{
    Budget, ClaimedFire, ControlKind, ControlRow, ControlStore, FireCause, FireEnd, FireKey, FirePage,
    FireQuery, FireRow, FireStatus, NewFire, ObjectiveUse,
};
pub use runs::RunStore;
pub use sessions::SessionStore;
pub use skills::{InstallOptions, Observe, ReAudit, SkillError, SkillStore, check_runnable, retry_moved};
pub use state::{Clock, PROTOCOL_MAJOR, State, StateOptions};
pub use text::short_name;
pub use tokens::{MAX_TOKEN_NAME, MAX_TOKENS, NewToken, TokenError, TokenRecord, TokenStore};
pub use trust::{StatementOutcome, TrustStore};
pub use vault::{KeyRevoked, KeysError, PutSecret, RevocationStatement, RevokeKey, RotateKeys, VaultStore};
pub use view::View;
