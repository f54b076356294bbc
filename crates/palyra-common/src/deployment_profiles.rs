//! Deployment profiles: the requirements of each way to deploy a daemon.
//!
//! A profile is data. A daemon compares its flags with it before it listens, `palyra doctor --profile` requires its
//! checks, and `infra/` contains the files that it names.

use std::net::SocketAddr;

/// A way to deploy a daemon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeploymentProfile {
    /// The name, as in `--profile NAME`.
    pub name: &'static str,
    /// The purpose, as one sentence fragment.
    pub summary: &'static str,
    /// Whether the daemon must listen on a loopback address.
    pub loopback_only: bool,
    /// Whether the daemon needs its own TLS certificate, or a proxy whose name is allowed with `--allow-host`.
    pub needs_tls_or_proxy: bool,
    /// The reason why this build does not support the profile.
    pub refusal: Option<&'static str>,
    /// Checks of `palyra doctor` that must pass without a warning.
    pub required_checks: &'static [&'static str],
    /// The files of `infra/` for this profile.
    pub files: &'static [&'static str],
}

/// The facts about a daemon to start that a profile restricts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServePlan {
    /// The address that the daemon would listen on.
    pub listen: SocketAddr,
    /// Whether it has a TLS certificate.
    pub tls: bool,
    /// Whether a host name is allowed besides those of this machine.
    pub named: bool,
}

/// The reason why a profile forbids a daemon to start.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the message of each variant names its fields")]
pub enum ProfileRefusal {
    /// This build does not support the profile.
    #[error("cannot use the profile `{profile}`: {reason}")]
    NotInThisBuild { profile: &'static str, reason: &'static str },
    /// The listen address is reachable from other machines.
    #[error("the profile `{profile}` listens on loopback addresses only, and `{listen}` is not one")]
    NotLoopback { profile: &'static str, listen: SocketAddr },
    /// Other machines would connect without TLS.
    #[error("the profile `{profile}` requires TLS, or a proxy that terminates it")]
    NeitherTlsNorProxy { profile: &'static str },
}

/// Every profile, the default first.
pub const PROFILES: [DeploymentProfile; 3] = [
    DeploymentProfile {
        name: "local",
        summary: "one person on their own machine: loopback, SQLite, owner token",
        loopback_only: true,
        needs_tls_or_proxy: false,
        refusal: None,
        required_checks: &["root.permissions", "vault.permissions", "token.permissions", "state.open"],
        files: &[],
    },
    DeploymentProfile {
        name: "single-vm",
        summary: "a service on one machine, with TLS or behind a proxy, with backups",
        loopback_only: false,
        needs_tls_or_proxy: true,
        refusal: None,
        required_checks: &[
            "root.permissions",
            "vault.permissions",
            "token.permissions",
            "state.open",
            "journal.checkpoint",
            "routines.re_audit",
            "system.open_files",
            "system.map_count",
            "system.disk_space",
        ],
        files: &[
            "infra/systemd/palyrad.service",
            "infra/container/Containerfile",
            "infra/container/compose.yaml",
            "infra/proxy/Caddyfile",
        ],
    },
    DeploymentProfile {
        name: "worker-enabled",
        summary: "many machines: shared state and workers that take signed jobs",
        loopback_only: false,
        needs_tls_or_proxy: true,
        refusal: Some("this build has no worker backend"),
        required_checks: &[],
        files: &[],
    },
];

impl DeploymentProfile {
    /// The name of the default profile.
    pub const DEFAULT: &'static str = "local";

    /// Returns the profile with a name.
    pub fn find(name: &str) -> Option<&'static Self> {
        PROFILES.iter().find(|profile| profile.name == name)
    }

    /// Checks whether the profile permits a daemon to start this way.
    pub fn check(&self, plan: &ServePlan) -> Result<(), ProfileRefusal> {
        let profile = self.name;
        if let Some(reason) = self.refusal {
            return Err(ProfileRefusal::NotInThisBuild { profile, reason });
        }
        if self.loopback_only && !plan.listen.ip().is_loopback() {
            return Err(ProfileRefusal::NotLoopback { profile, listen: plan.listen });
        }
        if self.needs_tls_or_proxy && !plan.tls && !plan.named {
            Err(ProfileRefusal::NeitherTlsNorProxy { profile })
        } else {
            Ok(())
        }
    }
}

impl ProfileRefusal {
    /// Returns advice for the user, shown under the message.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::NotInThisBuild { .. } => "start it with `--profile local` or `--profile single-vm`",
            Self::NotLoopback { .. } => {
                "listen on 127.0.0.1, or start it with `--profile single-vm --tls-cert FILE --tls-key FILE`"
            }
            Self::NeitherTlsNorProxy { .. } => {
                "pass `--tls-cert FILE --tls-key FILE`, or `--allow-host NAME` with the name that the \
                proxy forwards"
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(listen: &str, tls: bool, named: bool) -> ServePlan {
        ServePlan { listen: listen.parse().unwrap_or(SocketAddr::from(([0, 0, 0, 0], 1))), tls, named }
    }

    #[test]
    fn each_profile_says_what_it_lets_start() {
        let ends = |name: &str, plan: ServePlan| {
            DeploymentProfile::find(name).map(|profile| profile.check(&plan).is_ok())
        };
        for (name, listen, tls, named, starts) in [
            ("local", "127.0.0.1:7437", false, false, true),
            ("local", "[::1]:7437", false, false, true),
            ("local", "10.0.0.1:7437", true, false, false),
            ("local", "0.0.0.0:7437", false, true, false),
            ("single-vm", "127.0.0.1:7437", false, false, false),
            ("single-vm", "127.0.0.1:7437", false, true, true),
            ("single-vm", "0.0.0.0:7437", true, false, true),
            ("worker-enabled", "127.0.0.1:7437", true, true, false),
        ] {
            assert_eq!(ends(name, plan(listen, tls, named)), Some(starts), "{name} {listen}");
        }
        assert_eq!(ends("cluster", plan("127.0.0.1:1", true, true)), None);
        let refused = PROFILES[2].check(&plan("127.0.0.1:1", true, true));
        let message = refused.map_err(|refusal| refusal.to_string());
        let words = "cannot use the profile `worker-enabled`: this build has no worker backend";
        assert_eq!(message, Err(words.to_owned()));
    }
}
