//! The tables from an error code to an HTTP status and to an exit code.
//!
//! The table to gRPC statuses is in `grpc/status.rs`; MCP has one error per kind of request, in the daemon. Each is a match
//! without a fallback, so a new code needs a row in all of them.

use palyra_common::ErrorCode;

/// Something failed that has no exit code of its own.
const FAILED: u8 = 1;
pub(crate) const USAGE: u8 = 2;
const AUTHENTICATION: u8 = 4;
/// Verification or trust refused.
const REFUSED: u8 = 5;
/// The audit says that it must not run.
const QUARANTINE: u8 = 6;
const DAMAGED: u8 = 7;
const BUSY: u8 = 8;
const UNREACHABLE: u8 = 9;
const NOT_FOUND: u8 = 11;

/// Returns the HTTP status of a code.
///
/// A client keeps the status that came with a code it does not know.
pub const fn http_status(code: ErrorCode) -> u16 {
    match code {
        ErrorCode::InvalidInput | ErrorCode::Usage => 400,
        ErrorCode::Authentication => 401,
        ErrorCode::Disabled | ErrorCode::CapabilityDenied | ErrorCode::Forbidden => 403,
        ErrorCode::NotFound | ErrorCode::NotInstalled | ErrorCode::NoEarlierRelease => 404,
        ErrorCode::MethodNotAllowed => 405,
        ErrorCode::RequestTimeout => 408,
        ErrorCode::NotRunnable
        | ErrorCode::ApprovalRequired
        | ErrorCode::Cancelled
        | ErrorCode::AlreadyInitialised
        | ErrorCode::RepairRefused
        | ErrorCode::AlreadyExists
        | ErrorCode::KeyNotActive
        | ErrorCode::TrustRefused
        | ErrorCode::Equivocation
        | ErrorCode::ModelNameTaken
        | ErrorCode::ConsentMismatch
        | ErrorCode::OtherRelease
        | ErrorCode::RollbackBlocked
        | ErrorCode::AliasRefused
        | ErrorCode::AlreadyDecided
        | ErrorCode::NotEnded
        | ErrorCode::NotUnderWay
        | ErrorCode::Diverged
        | ErrorCode::ChangedMeanwhile
        | ErrorCode::InUse
        | ErrorCode::NotFired
        | ErrorCode::BindingsEdited => 409,
        ErrorCode::BodyTooLarge => 413,
        ErrorCode::UnsupportedMediaType => 415,
        ErrorCode::Misdirected => 421,
        ErrorCode::QuotaExceeded
        | ErrorCode::ToolFailed
        | ErrorCode::BadBackup
        | ErrorCode::BadKeyFile
        | ErrorCode::WrongPassphrase
        | ErrorCode::BadStatement
        | ErrorCode::BadCheckpoint
        | ErrorCode::TooLarge
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
        | ErrorCode::InvalidScope
        | ErrorCode::BadReceipt
        | ErrorCode::InvalidSetting
        | ErrorCode::InvalidPolicy
        | ErrorCode::BadBindings
        | ErrorCode::BadTape
        | ErrorCode::BuildRefused => 422,
        ErrorCode::Busy | ErrorCode::RateLimited | ErrorCode::TooManyStreams | ErrorCode::TooManyUploads => {
            429
        }
        ErrorCode::Interrupted => 499,
        ErrorCode::InvalidOutput | ErrorCode::Unreachable | ErrorCode::NotDelivered => 502,
        ErrorCode::ShuttingDown
        | ErrorCode::NotInitialised
        | ErrorCode::StateBusy
        | ErrorCode::StateDamaged
        | ErrorCode::ObjectDamaged
        | ErrorCode::TapeDamaged => 503,
        ErrorCode::TimedOut => 504,
        ErrorCode::Trapped
        | ErrorCode::Internal
        | ErrorCode::CannotListen
        | ErrorCode::StateIo
        | ErrorCode::DeviceKey
        | ErrorCode::Io
        | ErrorCode::Unknown => 500,
    }
}

/// Returns the exit code of a command that ends with this code.
pub const fn exit_code(code: ErrorCode) -> u8 {
    match code {
        ErrorCode::Internal
        | ErrorCode::RequestTimeout
        | ErrorCode::CannotListen
        | ErrorCode::NotInitialised
        | ErrorCode::AlreadyInitialised
        | ErrorCode::StateIo
        | ErrorCode::DeviceKey
        | ErrorCode::AlreadyExists
        | ErrorCode::KeyNotActive
        | ErrorCode::BadKeyFile
        | ErrorCode::AliasRefused
        | ErrorCode::AlreadyDecided
        | ErrorCode::NotEnded
        | ErrorCode::NotUnderWay
        | ErrorCode::Diverged
        | ErrorCode::ChangedMeanwhile
        | ErrorCode::InUse
        | ErrorCode::NotFired
        | ErrorCode::NotDelivered
        | ErrorCode::BindingsEdited
        | ErrorCode::BadTape
        | ErrorCode::BuildRefused
        | ErrorCode::Io
        | ErrorCode::Unknown => FAILED,
        ErrorCode::Usage
        | ErrorCode::MethodNotAllowed
        | ErrorCode::BodyTooLarge
        | ErrorCode::UnsupportedMediaType
        | ErrorCode::InvalidScope
        | ErrorCode::InvalidSetting
        | ErrorCode::InvalidPolicy
        | ErrorCode::BadBindings => USAGE,
        ErrorCode::Cancelled => 3,
        ErrorCode::Authentication
        | ErrorCode::Forbidden
        | ErrorCode::Misdirected
        | ErrorCode::RateLimited
        | ErrorCode::WrongPassphrase => AUTHENTICATION,
        ErrorCode::RepairRefused
        | ErrorCode::TrustRefused
        | ErrorCode::Equivocation
        | ErrorCode::BadStatement
        | ErrorCode::BadCheckpoint
        | ErrorCode::TooLarge
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
        | ErrorCode::ModelNameTaken
        | ErrorCode::ConsentMismatch
        | ErrorCode::OtherRelease
        | ErrorCode::RollbackBlocked
        | ErrorCode::BadReceipt => REFUSED,
        ErrorCode::AuditRefused => QUARANTINE,
        ErrorCode::StateDamaged
        | ErrorCode::BadBackup
        | ErrorCode::ObjectDamaged
        | ErrorCode::TapeDamaged => DAMAGED,
        ErrorCode::TooManyStreams
        | ErrorCode::TooManyUploads
        | ErrorCode::ShuttingDown
        | ErrorCode::StateBusy => BUSY,
        ErrorCode::Unreachable => UNREACHABLE,
        ErrorCode::Disabled => 10,
        ErrorCode::NotFound | ErrorCode::NotInstalled | ErrorCode::NoEarlierRelease => NOT_FOUND,
        ErrorCode::NotRunnable => 12,
        ErrorCode::InvalidInput => 13,
        ErrorCode::InvalidOutput => 14,
        ErrorCode::ApprovalRequired => 15,
        ErrorCode::CapabilityDenied => 16,
        ErrorCode::QuotaExceeded => 17,
        ErrorCode::TimedOut => 18,
        ErrorCode::ToolFailed => 19,
        ErrorCode::Trapped => 20,
        ErrorCode::Busy => 21,
        ErrorCode::Interrupted => 130,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_is_an_error() {
        for code in ErrorCode::ALL.iter().copied() {
            assert!((400..600).contains(&http_status(code)) && exit_code(code) != 0, "{code}");
        }
        let runs = palyra_common::WasmPluginRunErrorKind::ALL;
        let exits: std::collections::BTreeSet<u8> =
            runs.iter().map(|kind| exit_code((*kind).into())).collect();
        assert_eq!(exits.len(), runs.len(), "each kind of failed run has an exit code of its own");
        assert_eq!((http_status(ErrorCode::Busy), exit_code(ErrorCode::Busy)), (429, 21));
        assert_eq!((http_status(ErrorCode::Forbidden), exit_code(ErrorCode::Forbidden)), (403, 4));
    }
}
