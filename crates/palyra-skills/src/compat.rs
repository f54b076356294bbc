//! Compatibility with this machine: versions decide whether a skill can be installed, node capabilities whether it
//! can run.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use semver::Version;
use serde::{Deserialize, Serialize};

use crate::manifest::{Compat, SkillManifest};

/// The version of this program and the capabilities of this machine, measured at start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Platform {
    /// The version of the running program.
    pub palyra_version: Version,
    /// The major version of the plugin contract that this program implements.
    pub protocol_major: u32,
    /// The node capabilities that this machine has.
    pub nodes: BTreeSet<NodeCapability>,
}

/// A capability of a machine, as named in `node_capabilities`.
///
/// The grammar is closed: `os:linux`, `os:macos`, `os:windows`, `os:freebsd`, `arch:x86_64`, `arch:aarch64`,
/// `arch:riscv64`, `net`, `gpu`, `display`. A machine must have every listed capability, so a manifest names at
/// most one `os` and one `arch`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum NodeCapability {
    /// `os:NAME`, the operating system.
    Os(String),
    /// `arch:NAME`, the processor architecture.
    Arch(String),
    /// `net`, network access.
    Net,
    /// `gpu`, a graphics processor.
    Gpu,
    /// `display`, a screen.
    Display,
}

/// A name outside the grammar of node capabilities.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown node capability `{name}`")]
pub struct UnknownNodeCapability {
    /// The unknown name, clipped to 64 characters.
    pub name: String,
}

/// The reason why a skill is incompatible with this version of Palyra.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the message of each variant names its fields")]
pub enum CompatRefusal {
    /// The skill requires another major version of the plugin contract.
    #[error("the skill requires plugin contract {required}, this program offers contract {offered}")]
    Protocol { required: u32, offered: u32 },
    /// This version of Palyra is older than the minimum.
    #[error("the skill requires Palyra {required} or later, this is {running}")]
    TooOld {
        /// The minimum version.
        required: Version,
        running: Version,
    },
    /// This version of Palyra is newer than the maximum.
    #[error("the skill supports Palyra up to {allowed}, this is {running}")]
    TooNew {
        /// The maximum version.
        allowed: Version,
        running: Version,
    },
}

/// Whether a skill can run on this machine.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Eligibility {
    /// The unmet requirements, as text for display; empty if the skill can run.
    pub missing: Vec<String>,
}

/// Checks the versions of `[compat]`. A skill that fails is not installed.
pub fn check_compat(compat: &Compat, platform: &Platform) -> Result<(), CompatRefusal> {
    let running = &platform.palyra_version;
    if compat.required_protocol_major != platform.protocol_major {
        return Err(CompatRefusal::Protocol {
            required: compat.required_protocol_major,
            offered: platform.protocol_major,
        });
    }
    if *running < compat.min_palyra_version {
        let required = compat.min_palyra_version.clone();
        return Err(CompatRefusal::TooOld { required, running: running.clone() });
    }
    match &compat.max_palyra_version {
        Some(allowed) if running > allowed => {
            Err(CompatRefusal::TooNew { allowed: allowed.clone(), running: running.clone() })
        }
        _ => Ok(()),
    }
}

/// Checks whether a skill can run on a machine: the versions of `[compat]` and every node capability.
#[must_use]
pub fn eligibility(manifest: &SkillManifest, platform: &Platform) -> Eligibility {
    let refusal = check_compat(&manifest.compat, platform).err().map(|refusal| refusal.to_string());
    let lacking = manifest.capabilities.node_capabilities.iter().filter_map(|name| match name.parse() {
        Ok(node) if platform.nodes.contains(&node) => None,
        Ok(node) => Some(format!("the machine has no `{node}`")),
        Err(UnknownNodeCapability { name }) => Some(format!("unknown capability of a machine: `{name}`")),
    });
    Eligibility { missing: refusal.into_iter().chain(lacking).collect() }
}

impl CompatRefusal {
    /// Returns advice for the user, shown under the message.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            Self::Protocol { required, offered } if required > offered => {
                format!("update Palyra to a version that speaks plugin contract {required}")
            }
            Self::Protocol { offered, .. } => {
                format!("ask the publisher for a release built for plugin contract {offered}")
            }
            Self::TooOld { required, .. } => format!("update Palyra to {required} or later"),
            Self::TooNew { running, .. } => format!(
                "ask the publisher for a release that supports \
                {running}"
            ),
        }
    }
}

impl Eligibility {
    /// Returns whether every requirement is met.
    #[must_use]
    pub fn is_eligible(&self) -> bool {
        self.missing.is_empty()
    }
}

impl NodeCapability {
    const OS: [&'static str; 4] = ["linux", "macos", "windows", "freebsd"];
    const ARCH: [&'static str; 3] = ["x86_64", "aarch64", "riscv64"];

    /// Returns every name of the closed grammar.
    #[must_use]
    pub fn all_names() -> Vec<String> {
        let os = Self::OS.iter().map(|name| format!("os:{name}"));
        let arch = Self::ARCH.iter().map(|name| format!("arch:{name}"));
        os.chain(arch).chain(["net", "gpu", "display"].map(str::to_owned)).collect()
    }

    /// Returns the operating system and architecture that this program was built for.
    #[must_use]
    pub fn of_this_build() -> BTreeSet<Self> {
        let (os, arch) = (std::env::consts::OS, std::env::consts::ARCH);
        [format!("os:{os}"), format!("arch:{arch}")].iter().filter_map(|name| name.parse().ok()).collect()
    }
}

impl FromStr for NodeCapability {
    type Err = UnknownNodeCapability;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.split_once(':') {
            None if text == "net" => Ok(Self::Net),
            None if text == "gpu" => Ok(Self::Gpu),
            None if text == "display" => Ok(Self::Display),
            Some(("os", name)) if Self::OS.contains(&name) => Ok(Self::Os(name.to_owned())),
            Some(("arch", name)) if Self::ARCH.contains(&name) => Ok(Self::Arch(name.to_owned())),
            _ => Err(UnknownNodeCapability { name: text.chars().take(64).collect() }),
        }
    }
}

impl TryFrom<String> for NodeCapability {
    type Error = UnknownNodeCapability;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<NodeCapability> for String {
    fn from(node: NodeCapability) -> Self {
        node.to_string()
    }
}

impl fmt::Display for NodeCapability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Os(name) => write!(f, "os:{name}"),
            Self::Arch(name) => write!(f, "arch:{name}"),
            Self::Net => f.write_str("net"),
            Self::Gpu => f.write_str("gpu"),
            Self::Display => f.write_str("display"),
        }
    }
}
