//! What the fuzz targets of the formats check: whatever the bytes are, nothing panics, and what is accepted
//! has exactly one spelling.

#![forbid(unsafe_code)]

mod a2ui;
mod archive;
mod audit;
mod envelope;
mod journal;
mod manifest;
mod model_frames;
mod policy;
mod trust;

pub use a2ui::{check_a2ui_document, check_a2ui_patch};
pub use archive::check_skill_archive;
pub use audit::check_wasm_audit;
pub use envelope::check_skill_envelope;
pub use journal::check_journal_import;
pub use manifest::check_skill_manifest;
pub use model_frames::check_model_frames;
pub use policy::check_policy_text;
pub use trust::check_trust_store;
