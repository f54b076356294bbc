//! Explains why nothing permitted a request: the missing scope, or the rules for similar requests.

use crate::decision::PolicyReason;
use crate::request::PolicyRequest;
use crate::set::PolicySet;
use palyra_common::Scope;

/// Returns the one scope that would be sufficient, with the rules that would then permit the request; otherwise the
/// rules that permit a similar request of another principal.
pub(crate) fn nearest(set: &PolicySet, request: &PolicyRequest) -> (Option<Scope>, Vec<PolicyReason>) {
    let missing = Scope::ALL.iter().filter(|scope| !request.principal.scopes.contains(scope));
    let with = |scope: &Scope| {
        let mut asked = request.clone();
        asked.principal.scopes.insert(*scope);
        Some((Some(*scope), set.permits(&asked)?))
    };
    missing.filter_map(with).next().unwrap_or_else(|| (None, set.permits_about(request)))
}
