//! Whether a skill fits this machine: versions decide if it may be installed, node capabilities if it can run.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use semver::Version;
use serde::{Deserialize, Serialize};

use crate::manifest::{Compat, SkillManifest};

/// What this Palyra and this machine are, as measured at start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Platform {
    /// The running version.
    pub palyra_version: Version,
    /// The major version of the plugin contract it speaks.
    pub protocol_major: u32,
    /// Capabilities of the machine.
    pub nodes: BTreeSet<NodeCapability>,
}

/// One thing a machine may have, as `node_capabilities` names it.
///
/// The grammar is closed: `os:linux`, `os:macos`, `os:windows`, `os:freebsd`, `arch:x86_64`, `arch:aarch64`,
/// `arch:riscv64`, `net`, `gpu`, `display`. Every entry must hold, so a manifest names at most one `os` and one
/// `arch`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum NodeCapability {
    /// The operating system.
    Os(String),
    /// The processor.
    Arch(String),
    /// A network.
    Net,
    /// A graphics processor.
    Gpu,
    /// A display.
    Display,
}

/// A name that is no node capability.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown node capability `{name}`")]
pub struct UnknownNodeCapability {
    /// The name.
    pub name: String,
}

/// Why a skill does not fit this Palyra.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the message of each variant names its fields")]
pub enum CompatRefusal {
    /// The plugin contract has another major version.
    #[error("the skill requires plugin contract {required}, this program offers contract {offered}")]
    Protocol { required: u32, offered: u32 },
    /// This Palyra is too old.
    #[error("the skill requires Palyra {required} or later, this is {running}")]
    TooOld {
        /// The first version that would do.
        required: Version,
        running: Version,
    },
    /// This Palyra is too new.
    #[error("the skill supports Palyra up to {allowed}, this is {running}")]
    TooNew {
        /// The last version that would do.
        allowed: Version,
        running: Version,
    },
}

/// Whether a skill can run here, and if not, everything that is missing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Eligibility {
    /// What stands in the way, as text; empty if nothing does.
    pub missing: Vec<String>,
}

/// Checks the versions of `[compat]`; a refusal keeps the skill from being installed.
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

/// Computes whether a skill can run on a machine: compat and every node capability.
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
    /// Suggested next steps.
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
    /// Whether nothing is missing.
    #[must_use]
    pub fn is_eligible(&self) -> bool {
        self.missing.is_empty()
    }
}

impl NodeCapability {
    const OS: [&'static str; 4] = ["linux", "macos", "windows", "freebsd"];
    const ARCH: [&'static str; 3] = ["x86_64", "aarch64", "riscv64"];

    /// Every name of the closed grammar.
    #[must_use]
    pub fn all_names() -> Vec<String> {
        let os = Self::OS.iter().map(|name| format!("os:{name}"));
        let arch = Self::ARCH.iter().map(|name| format!("arch:{name}"));
        os.chain(arch).chain(["net", "gpu", "display"].map(str::to_owned)).collect()
    }

    /// The operating system and processor this program was built for.
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
