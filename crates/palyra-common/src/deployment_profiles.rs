//! How a daemon is deployed: what each profile allows, what it refuses, and what has to be in order.
//!
//! A profile is data. A daemon holds its flags against it before it listens, `palyra doctor --profile` looks at the
//! checks it requires, and `infra/` has the files it names.

use std::net::SocketAddr;

/// One way to deploy a daemon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeploymentProfile {
    /// What people call it.
    pub name: &'static str,
    /// What it is for, in one sentence.
    pub summary: &'static str,
    /// Whether only this machine may reach it.
    pub loopback_only: bool,
    /// Whether it needs TLS of its own, or a proxy that has it and names it with `--allow-host`.
    pub needs_tls_or_proxy: bool,
    /// Why it cannot be used at all in this build.
    pub refusal: Option<&'static str>,
    /// Checks of `palyra doctor` that may not even warn.
    pub required_checks: &'static [&'static str],
    /// The files of `infra/` that are for it.
    pub files: &'static [&'static str],
}

/// What somebody is about to start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServePlan {
    /// Where it listens.
    pub listen: SocketAddr,
    /// Whether it has a certificate.
    pub tls: bool,
    /// Whether it has a name besides those of this machine.
    pub named: bool,
}

/// Why a profile does not let a daemon start.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProfileRefusal {
    /// It cannot be used in this build.
    #[error("the profile `{profile}` cannot be used: {reason}")]
    NotInThisBuild {
        /// The profile.
        profile: &'static str,
        /// Why.
        reason: &'static str,
    },
    /// It would be reached from elsewhere.
    #[error("the profile `{profile}` listens on loopback addresses only, and `{listen}` is not one")]
    NotLoopback {
        /// The profile.
        profile: &'static str,
        /// The address.
        listen: SocketAddr,
    },
    /// Others would reach it in the clear, or not at all.
    #[error("the profile `{profile}` needs TLS, or a proxy in front that has it")]
    NeitherTlsNorProxy {
        /// The profile.
        profile: &'static str,
    },
}

/// Every profile.
pub const PROFILES: [DeploymentProfile; 3] = [
    DeploymentProfile {
        name: "local",
        summary: "one person on their own machine: loopback, SQLite, the owner's token",
        loopback_only: true,
        needs_tls_or_proxy: false,
        refusal: None,
        required_checks: &["root.permissions", "vault.permissions", "token.permissions", "state.open"],
        files: &[],
    },
    DeploymentProfile {
        name: "single-vm",
        summary: "a service on one machine, under TLS or behind a proxy, with backups",
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
        summary: "many machines: shared state, and workers that take signed orders",
        loopback_only: false,
        needs_tls_or_proxy: true,
        refusal: Some("no worker backend is in this build"),
        required_checks: &[],
        files: &[],
    },
];

impl DeploymentProfile {
    /// The profile unless somebody names another.
    pub const DEFAULT: &'static str = "local";

    /// The profile of a name.
    pub fn find(name: &str) -> Option<&'static Self> {
        PROFILES.iter().find(|profile| profile.name == name)
    }

    /// Whether a daemon may start this way.
    pub fn check(&self, plan: &ServePlan) -> Result<(), ProfileRefusal> {
        let profile = self.name;
        if let Some(reason) = self.refusal {
            return Err(ProfileRefusal::NotInThisBuild { profile, reason });
        }
        if self.loopback_only && !plan.listen.ip().is_loopback() {
            return Err(ProfileRefusal::NotLoopback { profile, listen: plan.listen });
        }
        match self.needs_tls_or_proxy && !plan.tls && !plan.named {
            true => Err(ProfileRefusal::NeitherTlsNorProxy { profile }),
            false => Ok(()),
        }
    }
}

impl ProfileRefusal {
    /// What a person can do.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::NotInThisBuild { .. } => "start it with `--profile local` or `--profile single-vm`",
            Self::NotLoopback { .. } => {
                "listen on 127.0.0.1, or start it with `--profile single-vm --tls-cert FILE --tls-key FILE`"
            }
            Self::NeitherTlsNorProxy { .. } => {
                "give `--tls-cert FILE --tls-key FILE`, or `--allow-host NAME` with the name the proxy passes on"
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
        let words = "the profile `worker-enabled` cannot be used: no worker backend is in this build";
        assert_eq!(message, Err(words.to_owned()));
    }
}
