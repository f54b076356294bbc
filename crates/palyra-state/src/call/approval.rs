//! Tools that ask for a person's yes get it for exactly these arguments.

use palyra_common::{JsonText, WasmPluginRunError};
use palyra_skills::Sha256Digest;
use sha2::{Digest, Sha256};

use super::ToolInvocation;
use super::find::FoundTool;

/// What a person approves: this release, this tool, this input, for this principal.
pub fn approval_digest(
    payload: &Sha256Digest,
    tool_id: &str,
    principal: &str,
    input: &JsonText,
) -> Sha256Digest {
    let mut hash = Sha256::new_with_prefix(b"palyra.approval/v1\0");
    hash.update(payload.as_bytes());
    for part in [tool_id, principal, input.as_str()] {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part);
    }
    Sha256Digest::from_bytes(hash.finalize().into())
}

pub(super) fn check(tool: &FoundTool, invocation: &ToolInvocation) -> Result<(), WasmPluginRunError> {
    if !tool.entrypoint.risk.requires_approval {
        return Ok(());
    }
    let ToolInvocation { principal, input, .. } = invocation;
    let wanted = approval_digest(&tool.release.payload, &tool.entrypoint.id, principal, input);
    match invocation.approved {
        Some(approved) if approved == wanted => Ok(()),
        _ => Err(WasmPluginRunError::ApprovalRequired { approval_id: wanted.to_string() }),
    }
}
