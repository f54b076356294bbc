//! Checks whether a daemon is deployed as its profile requires.

use std::net::SocketAddr;

use palyra_common::deployment_profiles::ServePlan;

use super::{Check, Subject};
use crate::server::Endpoint;

pub(super) fn checks(subject: &Subject) -> Vec<Check> {
    let profile = subject.profile;
    let build = match profile.refusal {
        Some(reason) => Check::error("profile.build", format!("`{}` cannot be used: {reason}", profile.name))
            .advise("choose `local` or `single-vm`"),
        None => Check::ok("profile.build", format!("`{}`: {}", profile.name, profile.summary)),
    };
    std::iter::once(build).chain(listening(subject)).collect()
}

/// Checks the running or last daemon against the profile.
fn listening(subject: &Subject) -> Option<Check> {
    let endpoint = Endpoint::read(&subject.root).ok().flatten()?;
    let urls: Vec<String> = std::iter::once(endpoint.url).chain(endpoint.grpc_url).collect();
    let plans = urls.iter().map(|url| plan(url)).collect::<Option<Vec<_>>>()?;
    let refused = plans.iter().find_map(|plan| subject.profile.check(plan).err());
    Some(match refused.filter(|_| subject.profile.refusal.is_none()) {
        Some(refusal) => Check::error("profile.listen", refusal.to_string()).advise(refusal.hint()),
        None => Check::ok("profile.listen", format!("the daemon listens on {}", urls.join(" and "))),
    })
}

fn plan(url: &str) -> Option<ServePlan> {
    let (scheme, rest) = url.split_once("://")?;
    let listen: SocketAddr = rest.parse().ok()?;
    // A proxy in front cannot be detected; a loopback address is assumed to have one.
    Some(ServePlan { listen, tls: scheme == "https", named: listen.ip().is_loopback() })
}
