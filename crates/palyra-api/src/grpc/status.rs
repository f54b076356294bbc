//! **The one place** that turns problems into statuses, and statuses back into problems.
//!
//! A status has the code gRPC clients act on and the message for people; the rest of a problem is in its details, as
//! `google.rpc.ErrorInfo` (reason, domain, facts) and `google.rpc.RequestInfo`.

use std::collections::HashMap;

use serde_json::Value;
use tonic::{Code, Status};
use tonic_types::{ErrorDetails, StatusExt};

use crate::{Problem, codes};

/// The domain of every `ErrorInfo`.
pub const DOMAIN: &str = "palyra";

/// Longest message and longest facts: a status travels in trailers, and clients read 8 KiB of those.
const MAX_MESSAGE: usize = 1_024;
const MAX_FACTS: usize = 3_072;

/// Codes whose meaning their HTTP status does not tell.
const NAMED: &[(&str, Code)] = &[
    // The call itself.
    ("cancelled", Code::Cancelled),
    ("timed_out", Code::DeadlineExceeded),
    ("request_timeout", Code::DeadlineExceeded),
    ("invalid_input", Code::InvalidArgument),
    ("capability_denied", Code::PermissionDenied),
    ("quota_exceeded", Code::ResourceExhausted),
    ("body_too_large", Code::ResourceExhausted),
    ("too_large", Code::ResourceExhausted),
    ("trapped", Code::Aborted),
    ("tool_failed", Code::Aborted),
    ("invalid_output", Code::Aborted),
    ("method_not_allowed", Code::Unimplemented),
    ("misdirected", Code::PermissionDenied),
    ("already_exists", Code::AlreadyExists),
    // What was kept is not what is there.
    ("state_damaged", Code::DataLoss),
    ("object_damaged", Code::DataLoss),
    ("tape_damaged", Code::DataLoss),
];

/// The code of gRPC for a code of ours.
pub fn grpc_code(code: &str) -> Code {
    if let Some((_, named)) = NAMED.iter().find(|(known, _)| *known == code) {
        return *named;
    }
    match codes::http_status(code) {
        400 | 415 => Code::InvalidArgument,
        401 => Code::Unauthenticated,
        403 => Code::PermissionDenied,
        404 => Code::NotFound,
        408 => Code::DeadlineExceeded,
        409 => Code::FailedPrecondition,
        // Words in a request that make no sense, apart from packages and keys that are not believed.
        422 if codes::exit_code(code) == codes::USAGE => Code::InvalidArgument,
        422 => Code::FailedPrecondition,
        429 => Code::ResourceExhausted,
        502..=504 => Code::Unavailable,
        _ => Code::Internal,
    }
}

/// A problem as a status.
pub fn status_of(problem: &Problem) -> Status {
    let mut facts = HashMap::from([("code".to_owned(), problem.code.clone())]);
    if !problem.hints.is_empty() {
        facts.insert("hints".into(), clip(&problem.hints.join("\n"), MAX_MESSAGE));
    }
    let details = palyra_common::InOrder(&problem.details).to_string();
    if details != "{}" && details.len() <= MAX_FACTS {
        facts.insert("details".into(), details);
    }
    let mut details = ErrorDetails::with_error_info(problem.code.to_ascii_uppercase(), DOMAIN, facts);
    if let Some(request_id) = &problem.request_id {
        details.set_request_info(request_id.clone(), "");
    }
    Status::with_error_details(grpc_code(&problem.code), clip(&problem.detail, MAX_MESSAGE), details)
}

/// The problem a status is about; one that no daemon of ours made is told by its message.
pub fn problem_of(status: &Status) -> Problem {
    let details = status.get_error_details();
    let info = details.error_info().filter(|info| info.domain == DOMAIN);
    let Some(info) = info else {
        return Problem::new("unreachable", format!("{:?}: {}", status.code(), status.message()));
    };
    let fact = |name: &str| info.metadata.get(name).cloned();
    let code = fact("code").unwrap_or_else(|| info.reason.to_ascii_lowercase());
    let mut problem = Problem::new(code, status.message());
    problem.hints.extend(fact("hints").iter().flat_map(|hints| hints.lines()).map(str::to_owned));
    if let Some(facts) = fact("details").and_then(|text| serde_json::from_str::<Value>(&text).ok()) {
        problem.details = facts;
    }
    problem.request_id = details.request_info().map(|request| request.request_id.clone());
    problem
}

fn clip(text: &str, most: usize) -> String {
    let end = text.char_indices().map(|(at, letter)| at + letter.len_utf8()).take_while(|end| *end <= most);
    text[..end.last().unwrap_or(0)].to_owned()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_code_has_one_of_grpc_and_none_is_named_that_does_not_exist() {
        for (code, ..) in codes::all() {
            assert!(!matches!(grpc_code(code), Code::Ok | Code::Unknown), "{code}");
        }
        for (code, _) in NAMED {
            assert!(codes::all().any(|(known, ..)| known == *code), "{code}");
        }
        for (code, wanted) in [
            ("usage", Code::InvalidArgument),
            ("authentication", Code::Unauthenticated),
            ("forbidden", Code::PermissionDenied),
            ("not_found", Code::NotFound),
            ("approval_required", Code::FailedPrecondition),
            ("rate_limited", Code::ResourceExhausted),
            ("busy", Code::ResourceExhausted),
            ("bad_signature", Code::FailedPrecondition),
            ("invalid_setting", Code::InvalidArgument),
            ("shutting_down", Code::Unavailable),
            ("internal", Code::Internal),
        ] {
            assert_eq!(grpc_code(code), wanted, "{code}");
        }
    }

    #[test]
    fn a_problem_survives_the_way_there_and_back() {
        let problem = Problem::new("not_found", "there is no skill `a`")
            .hint("look")
            .hint("look again")
            .details(json!({ "name": "a" }));
        let problem = Problem { request_id: Some("req_1".into()), ..problem };
        assert_eq!(problem_of(&status_of(&problem)), problem);
    }

    #[test]
    fn what_does_not_fit_into_trailers_is_cut() {
        let problem =
            Problem::new("tool_failed", "é".repeat(4_000)).details(json!({ "text": "x".repeat(9_000) }));
        let status = status_of(&problem);
        assert!(status.message().len() <= MAX_MESSAGE && status.details().len() < 6_000);
        assert_eq!(problem_of(&status).code, "tool_failed");
    }

    #[test]
    fn a_status_of_somebody_else_is_no_problem_of_ours() {
        assert_eq!(problem_of(&Status::unavailable("no route")).code, "unreachable");
    }
}
