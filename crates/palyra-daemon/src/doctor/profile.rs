//! Whether a daemon is deployed as its profile says.

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

/// The daemon that runs, or ran last, held against the profile.
fn listening(subject: &Subject) -> Option<Check> {
    let endpoint = Endpoint::read(&subject.root).ok().flatten()?;
    let (scheme, rest) = endpoint.url.split_once("://")?;
    let listen: SocketAddr = rest.parse().ok()?;
    // Whether a proxy is in front cannot be seen from here; a loopback address is taken to have one.
    let plan = ServePlan { listen, tls: scheme == "https", named: listen.ip().is_loopback() };
    Some(match subject.profile.refusal.is_none().then(|| subject.profile.check(&plan)) {
        Some(Err(refusal)) => Check::error("profile.listen", refusal.to_string()).advise(refusal.hint()),
        _ => Check::ok("profile.listen", format!("it listens on {}", endpoint.url)),
    })
}
