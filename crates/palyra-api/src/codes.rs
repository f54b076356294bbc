//! One table: the code of an error, its HTTP status, and the exit code of the command line.

use palyra_common::WasmPluginRunErrorKind;

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

/// Codes beside those of runs, each with its HTTP status and exit code.
pub const TABLE: &[(&str, u16, u8)] = &[
    // The request itself.
    ("usage", 400, USAGE),
    ("authentication", 401, AUTHENTICATION),
    ("forbidden", 403, AUTHENTICATION),
    ("method_not_allowed", 405, USAGE),
    ("request_timeout", 408, FAILED),
    ("body_too_large", 413, USAGE),
    ("unsupported_media_type", 415, USAGE),
    ("misdirected", 421, AUTHENTICATION),
    ("rate_limited", 429, AUTHENTICATION),
    ("too_many_streams", 429, BUSY),
    ("too_many_uploads", 429, BUSY),
    ("unreachable", 502, UNREACHABLE),
    ("shutting_down", 503, BUSY),
    ("cannot_listen", 500, FAILED),
    // The state.
    ("not_initialised", 503, FAILED),
    ("already_initialised", 409, FAILED),
    ("state_busy", 503, BUSY),
    ("state_damaged", 503, DAMAGED),
    ("state_io", 500, FAILED),
    ("repair_refused", 409, REFUSED),
    ("device_key", 500, FAILED),
    ("bad_backup", 422, DAMAGED),
    ("already_exists", 409, FAILED),
    ("key_not_active", 409, FAILED),
    ("bad_key_file", 422, FAILED),
    ("wrong_passphrase", 422, AUTHENTICATION),
    // Trust and verification.
    ("trust_refused", 409, REFUSED),
    ("equivocation", 409, REFUSED),
    ("bad_statement", 422, REFUSED),
    ("bad_checkpoint", 422, REFUSED),
    ("too_large", 422, REFUSED),
    ("archive_not_canonical", 422, REFUSED),
    ("bad_lineage", 422, REFUSED),
    ("threshold_not_met", 422, REFUSED),
    ("key_id_differs", 422, REFUSED),
    ("statement_mismatch", 422, REFUSED),
    ("bad_manifest", 422, REFUSED),
    ("incompatible", 422, REFUSED),
    ("sidecar_not_bound", 422, REFUSED),
    ("bad_signature", 422, REFUSED),
    ("bad_key", 422, REFUSED),
    ("bad_envelope", 422, REFUSED),
    // Skills.
    ("audit_refused", 422, QUARANTINE),
    ("model_name_taken", 409, REFUSED),
    ("consent_mismatch", 409, REFUSED),
    ("other_release", 409, REFUSED),
    ("rollback_blocked", 409, REFUSED),
    ("not_installed", 404, NOT_FOUND),
    ("no_earlier_release", 404, NOT_FOUND),
    ("object_damaged", 503, DAMAGED),
    ("alias_refused", 409, FAILED),
    // Approvals, runs and plugins.
    ("already_decided", 409, FAILED),
    ("invalid_scope", 422, USAGE),
    ("not_ended", 409, FAILED),
    ("not_under_way", 409, FAILED),
    ("diverged", 409, FAILED),
    ("tape_damaged", 503, DAMAGED),
    ("bad_receipt", 422, REFUSED),
    ("invalid_setting", 422, USAGE),
    ("invalid_policy", 422, USAGE),
    ("changed_meanwhile", 409, FAILED),
    // Routines and objectives.
    ("in_use", 409, FAILED),
    ("not_fired", 409, FAILED),
    // Channels.
    ("not_delivered", 502, FAILED),
    // Hooks.
    ("bad_bindings", 422, USAGE),
    ("bindings_edited", 409, FAILED),
];

/// The HTTP status of a code; one that is not listed is about something that was refused.
pub fn http_status(code: &str) -> u16 {
    row(code).map_or(422, |(status, _)| status)
}

/// The exit code of a code; one that is not listed is about something that was refused.
pub fn exit_code(code: &str) -> u8 {
    row(code).map_or(REFUSED, |(_, exit_code)| exit_code)
}

/// Every code there is, for documents and tests.
pub fn all() -> impl Iterator<Item = (&'static str, u16, u8)> {
    let runs = WasmPluginRunErrorKind::ALL.into_iter();
    let runs = runs.map(|kind| (kind.wire_name(), kind.http_status(), kind.exit_code()));
    runs.chain(TABLE.iter().copied())
}

fn row(code: &str) -> Option<(u16, u8)> {
    all().find(|(known, ..)| *known == code).map(|(_, status, exit_code)| (status, exit_code))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_code_stands_twice_and_each_is_an_error() {
        let mut seen = std::collections::BTreeSet::new();
        for (code, status, exit_code) in all() {
            assert!(seen.insert(code), "{code}");
            assert!((400..600).contains(&status) && exit_code != 0, "{code}");
        }
        assert_eq!((http_status("busy"), exit_code("busy")), (429, 21));
        assert_eq!((http_status("forbidden"), exit_code("forbidden")), (403, 4));
    }
}
