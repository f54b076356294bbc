//! **The one place** that turns problems into statuses, and statuses back into problems.
//!
//! A status has the code gRPC clients act on and the message for people; the rest of a problem is in its details, as
//! `google.rpc.ErrorInfo` (reason, domain, facts) and `google.rpc.RequestInfo`.

use palyra_common::ErrorCode;
use std::collections::HashMap;

use serde_json::Value;
use tonic::{Code, Status};
use tonic_types::{ErrorDetails, StatusExt};

use crate::Problem;

/// The domain of every `ErrorInfo`.
pub const DOMAIN: &str = "palyra";

/// Longest message and longest facts: a status travels in trailers, and clients read 8 KiB of those.
const MAX_MESSAGE: usize = 1_024;
const MAX_FACTS: usize = 3_072;

/// Returns the gRPC status of a code.
pub const fn grpc_code(code: ErrorCode) -> Code {
    match code {
        ErrorCode::InvalidOutput | ErrorCode::ToolFailed | ErrorCode::Trapped => Code::Aborted,
        ErrorCode::AlreadyExists => Code::AlreadyExists,
        ErrorCode::Cancelled | ErrorCode::Interrupted => Code::Cancelled,
        ErrorCode::StateDamaged | ErrorCode::ObjectDamaged | ErrorCode::TapeDamaged => Code::DataLoss,
        ErrorCode::TimedOut | ErrorCode::RequestTimeout => Code::DeadlineExceeded,
        ErrorCode::NotRunnable
        | ErrorCode::ApprovalRequired
        | ErrorCode::AlreadyInitialised
        | ErrorCode::RepairRefused
        | ErrorCode::BadBackup
        | ErrorCode::KeyNotActive
        | ErrorCode::BadKeyFile
        | ErrorCode::WrongPassphrase
        | ErrorCode::TrustRefused
        | ErrorCode::Equivocation
        | ErrorCode::BadStatement
        | ErrorCode::BadCheckpoint
        | ErrorCode::ArchiveNotCanonical
        | ErrorCode::BadLineage
        | ErrorCode::ThresholdNotMet
        | ErrorCode::KeyIdDiffers
        | ErrorCode::StatementMismatch
        | ErrorCode::BadManifest
        | ErrorCode::Incompatible
        | ErrorCode::SidecarNotBound
        | ErrorCode::BadSignature
        | ErrorCode::BadKey
        | ErrorCode::BadEnvelope
        | ErrorCode::BuiltInSkill
        | ErrorCode::CounterJump
        | ErrorCode::CounterWentBack
        | ErrorCode::KeyMismatch
        | ErrorCode::OtherOwner
        | ErrorCode::PublisherBlocked
        | ErrorCode::PublisherForked
        | ErrorCode::RetiredKey
        | ErrorCode::Revoked
        | ErrorCode::Rollback
        | ErrorCode::StaleEpoch
        | ErrorCode::UnknownRotation
        | ErrorCode::WrongNamespace
        | ErrorCode::AuditRefused
        | ErrorCode::ModelNameTaken
        | ErrorCode::ConsentMismatch
        | ErrorCode::OtherRelease
        | ErrorCode::RollbackBlocked
        | ErrorCode::AliasRefused
        | ErrorCode::AlreadyDecided
        | ErrorCode::NotEnded
        | ErrorCode::NotUnderWay
        | ErrorCode::Diverged
        | ErrorCode::BadReceipt
        | ErrorCode::ChangedMeanwhile
        | ErrorCode::InUse
        | ErrorCode::NotFired
        | ErrorCode::BindingsEdited
        | ErrorCode::BadTape
        | ErrorCode::BuildRefused => Code::FailedPrecondition,
        ErrorCode::Internal
        | ErrorCode::CannotListen
        | ErrorCode::StateIo
        | ErrorCode::DeviceKey
        | ErrorCode::Io
        | ErrorCode::Unknown => Code::Internal,
        ErrorCode::InvalidInput
        | ErrorCode::Usage
        | ErrorCode::UnsupportedMediaType
        | ErrorCode::InvalidScope
        | ErrorCode::InvalidSetting
        | ErrorCode::InvalidPolicy
        | ErrorCode::BadBindings => Code::InvalidArgument,
        ErrorCode::NotFound | ErrorCode::NotInstalled | ErrorCode::NoEarlierRelease => Code::NotFound,
        ErrorCode::Disabled | ErrorCode::CapabilityDenied | ErrorCode::Forbidden | ErrorCode::Misdirected => {
            Code::PermissionDenied
        }
        ErrorCode::QuotaExceeded
        | ErrorCode::Busy
        | ErrorCode::BodyTooLarge
        | ErrorCode::RateLimited
        | ErrorCode::TooManyStreams
        | ErrorCode::TooManyUploads
        | ErrorCode::TooLarge => Code::ResourceExhausted,
        ErrorCode::Authentication => Code::Unauthenticated,
        ErrorCode::Unreachable
        | ErrorCode::ShuttingDown
        | ErrorCode::NotInitialised
        | ErrorCode::StateBusy
        | ErrorCode::NotDelivered => Code::Unavailable,
        ErrorCode::MethodNotAllowed => Code::Unimplemented,
    }
}

/// Converts a problem to a gRPC status with its details.
pub fn status_of(problem: &Problem) -> Status {
    let mut facts = HashMap::from([("code".to_owned(), problem.code.to_string())]);
    facts.extend(problem.run_id.clone().map(|run_id| ("run_id".to_owned(), run_id)));
    if !problem.hints.is_empty() {
        facts.insert("hints".into(), clip(&problem.hints.join("\n"), MAX_MESSAGE));
    }
    let details = palyra_common::InOrder(&problem.details).to_string();
    if details != "{}" && details.len() <= MAX_FACTS {
        facts.insert("details".into(), details);
    }
    let mut details =
        ErrorDetails::with_error_info(problem.code.as_str().to_ascii_uppercase(), DOMAIN, facts);
    if let Some(request_id) = &problem.request_id {
        details.set_request_info(request_id.clone(), "");
    }
    Status::with_error_details(grpc_code(problem.code), clip(&problem.detail, MAX_MESSAGE), details)
}

/// Converts a status to a problem; a status of another server becomes a problem with its message.
pub fn problem_of(status: &Status) -> Problem {
    let details = status.get_error_details();
    let info = details.error_info().filter(|info| info.domain == DOMAIN);
    let Some(info) = info else {
        return Problem::new(ErrorCode::Unreachable, format!("{:?}: {}", status.code(), status.message()));
    };
    let fact = |name: &str| info.metadata.get(name).cloned();
    let code = fact("code").unwrap_or_else(|| info.reason.to_ascii_lowercase());
    let Ok(code) = code.parse();
    let mut problem = Problem::new(code, status.message());
    problem.hints.extend(fact("hints").iter().flat_map(|hints| hints.lines()).map(str::to_owned));
    if let Some(facts) = fact("details").and_then(|text| serde_json::from_str::<Value>(&text).ok()) {
        problem.details = facts;
    }
    problem.run_id = fact("run_id");
    problem.request_id = details.request_info().map(|request| request.request_id.clone());
    problem
}

fn clip(text: &str, most: usize) -> String {
    text[..text.floor_char_boundary(most)].to_owned()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_code_has_a_grpc_status() {
        for code in ErrorCode::ALL.iter().copied() {
            assert!(!matches!(grpc_code(code), Code::Ok | Code::Unknown), "{code}");
        }
        for (code, wanted) in [
            (ErrorCode::Usage, Code::InvalidArgument),
            (ErrorCode::Authentication, Code::Unauthenticated),
            (ErrorCode::Forbidden, Code::PermissionDenied),
            (ErrorCode::NotFound, Code::NotFound),
            (ErrorCode::ApprovalRequired, Code::FailedPrecondition),
            (ErrorCode::RateLimited, Code::ResourceExhausted),
            (ErrorCode::Busy, Code::ResourceExhausted),
            (ErrorCode::BadSignature, Code::FailedPrecondition),
            (ErrorCode::InvalidSetting, Code::InvalidArgument),
            (ErrorCode::ShuttingDown, Code::Unavailable),
            (ErrorCode::Internal, Code::Internal),
        ] {
            assert_eq!(grpc_code(code), wanted, "{code}");
        }
    }

    #[test]
    fn a_problem_survives_the_way_there_and_back() {
        let problem = Problem::new(ErrorCode::NotFound, "skill `a` does not exist")
            .hint("look")
            .hint("look again")
            .details(json!({ "name": "a" }));
        let problem = Problem { run_id: Some("run_1".into()), request_id: Some("req_1".into()), ..problem };
        assert_eq!(problem_of(&status_of(&problem)), problem);
    }

    #[test]
    fn what_does_not_fit_into_trailers_is_cut() {
        let problem = Problem::new(ErrorCode::ToolFailed, "é".repeat(4_000))
            .details(json!({ "text": "x".repeat(9_000) }));
        let status = status_of(&problem);
        assert!(status.message().len() <= MAX_MESSAGE && status.details().len() < 6_000);
        assert_eq!(problem_of(&status).code, ErrorCode::ToolFailed);
    }

    #[test]
    fn foreign_status_becomes_a_problem_with_its_message() {
        assert_eq!(problem_of(&Status::unavailable("no route")).code, ErrorCode::Unreachable);
    }
}
