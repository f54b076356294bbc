//! What is not in order, why that is believed, and what to do about it.
//!
//! Every check looks and says what it saw; only a fix that somebody asked for changes anything. The state is looked at
//! from outside, because a state that cannot be opened is the one that needs looking at most.

mod files;
mod fix;
mod owned;
mod profile;
mod report;
mod system;

pub use fix::{CannotFix, fix};
pub use report::{Check, Fix, Report, Severity};

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use palyra_common::deployment_profiles::DeploymentProfile;
use palyra_state::{StateOptions, StateRoot};

use crate::server::DEFAULT_PORT;

/// What is looked at.
#[derive(Clone)]
pub struct Subject {
    /// The state root.
    pub root: StateRoot,
    /// How it is opened; nobody is waited for.
    pub options: StateOptions,
    /// How it is deployed.
    pub profile: &'static DeploymentProfile,
    /// Where a daemon would listen.
    pub listen: SocketAddr,
    /// What the system says about itself.
    pub proc: PathBuf,
    /// How many files a process may have open.
    pub open_files: Option<u64>,
    /// Less free space than this is too little.
    pub least_free_bytes: u64,
}

impl Subject {
    /// A state root on this machine.
    pub fn new(root: StateRoot, options: StateOptions, profile: &'static DeploymentProfile) -> Self {
        let options = StateOptions { wait: std::time::Duration::ZERO, ..options };
        Self {
            root,
            options,
            profile,
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, DEFAULT_PORT)),
            proc: "/proc".into(),
            open_files: rustix::process::getrlimit(rustix::process::Resource::Nofile).current,
            least_free_bytes: 1 << 30,
        }
    }
}

/// Looks at everything.
pub fn examine(subject: &Subject) -> Report {
    let mut checks = profile::checks(subject);
    checks.extend(system::checks(subject));
    let (files, there) = files::checks(subject);
    checks.extend(files);
    if there {
        checks.extend(owned::checks(subject));
    }
    Report::new(subject.profile, checks)
}
