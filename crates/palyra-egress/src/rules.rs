//! Finds the rule that covers a request, or the one that comes closest.

use crate::denial;
use crate::error::EgressError;
use crate::request::target::Target;
use palyra_common::capabilities::HttpRule;

/// Returns the first rule that covers the request. `overriding` is a header that can change how the server interprets
/// it.
pub(crate) fn find<'r>(
    rules: &'r [HttpRule],
    method: &str,
    target: &Target,
    overriding: Option<&'static str>,
) -> Result<&'r HttpRule, EgressError> {
    if matches!(method, "CONNECT" | "TRACE") {
        return Err(EgressError::Denied(denial::never(target, "CONNECT and TRACE cannot be granted")));
    }
    let mut nearest: Option<(Mismatch, &HttpRule)> = None;
    for rule in rules {
        match first_mismatch(rule, method, target, overriding) {
            None => return Ok(rule),
            Some(mismatch) if nearest.is_none_or(|(best, _)| mismatch > best) => {
                nearest = Some((mismatch, rule))
            }
            Some(_) => {}
        }
    }
    Err(EgressError::Denied(match nearest {
        Some((Mismatch::Override(header), rule)) => denial::override_header(target, header, rule),
        _ => denial::http(method, target, &reason(nearest, method, target)),
    }))
}

/// The first part of a rule that does not match. Later variants are closer to a match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Mismatch {
    Host,
    Scheme,
    Port,
    Method,
    Path,
    /// The request line matches, but a header with this name could override it.
    Override(&'static str),
}

fn first_mismatch(
    rule: &HttpRule,
    method: &str,
    target: &Target,
    overriding: Option<&'static str>,
) -> Option<Mismatch> {
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
        overriding.filter(|_| rule.is_narrowed()).map(Mismatch::Override)
    }
}

fn reason(nearest: Option<(Mismatch, &HttpRule)>, method: &str, target: &Target) -> String {
    let Some((mismatch, rule)) = nearest else { return "no HTTP rule is granted".into() };
    match mismatch {
        Mismatch::Host => format!("no rule covers the host `{}`", target.host),
        Mismatch::Scheme => {
            format!(
                "rule `{rule}` is for scheme `{}`, not `{}`",
                rule.scheme.as_str(),
                target.scheme.as_str()
            )
        }
        Mismatch::Port => format!("rule `{rule}` is for port {}, not {}", rule.port, target.port),
        Mismatch::Method => format!("rule `{rule}` does not allow the method `{method}`"),
        Mismatch::Path => {
            format!("rule `{rule}` does not cover the path `{}`", denial::clipped(target.path()))
        }
        Mismatch::Override(header) => format!("header `{header}` can bypass rule `{rule}`"),
    }
}
