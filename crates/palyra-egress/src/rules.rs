//! Finding the rule that covers a request, or the one that came nearest.

use crate::denial;
use crate::error::EgressError;
use crate::request::target::Target;
use palyra_common::capabilities::HttpRule;

/// The first rule that covers the request.
pub(crate) fn find<'r>(
    rules: &'r [HttpRule],
    method: &str,
    target: &Target,
) -> Result<&'r HttpRule, EgressError> {
    if matches!(method, "CONNECT" | "TRACE") {
        return Err(EgressError::Denied(denial::never(target, "CONNECT and TRACE are never granted")));
    }
    let mut nearest: Option<(Mismatch, &HttpRule)> = None;
    for rule in rules {
        match first_mismatch(rule, method, target) {
            None => return Ok(rule),
            Some(mismatch) if nearest.is_none_or(|(best, _)| mismatch > best) => {
                nearest = Some((mismatch, rule))
            }
            Some(_) => {}
        }
    }
    Err(EgressError::Denied(denial::http(method, target, &reason(nearest, method, target))))
}

/// What of a rule does not fit, the nearer miss the greater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Mismatch {
    Host,
    Scheme,
    Port,
    Method,
    Path,
}

fn first_mismatch(rule: &HttpRule, method: &str, target: &Target) -> Option<Mismatch> {
    if !rule.host.matches(&target.host) {
        Some(Mismatch::Host)
    } else if rule.scheme != target.scheme {
        Some(Mismatch::Scheme)
    } else if rule.port != target.port {
        Some(Mismatch::Port)
    } else if !rule.covers_method(method) {
        Some(Mismatch::Method)
    } else if !rule.path.matches(target.path()) {
        Some(Mismatch::Path)
    } else {
        None
    }
}

fn reason(nearest: Option<(Mismatch, &HttpRule)>, method: &str, target: &Target) -> String {
    let Some((mismatch, rule)) = nearest else { return "no HTTP rule is granted".into() };
    match mismatch {
        Mismatch::Host => format!("no rule names the host `{}`", target.host),
        Mismatch::Scheme => {
            format!(
                "rule `{rule}` is for scheme `{}`, not `{}`",
                rule.scheme.as_str(),
                target.scheme.as_str()
            )
        }
        Mismatch::Port => format!("rule `{rule}` is for port {}, not {}", rule.port, target.port),
        Mismatch::Method => format!("rule `{rule}` does not name the method `{method}`"),
        Mismatch::Path => {
            format!("rule `{rule}` does not cover the path `{}`", denial::clipped(target.path()))
        }
    }
}
