//! Problems of an installation, their evidence and remedies.
//!
//! Checks only read; only a requested fix changes anything. The state is examined from outside, because a state that
//! cannot be opened needs it most.

mod files;
mod fix;
mod owned;
mod profile;
mod report;
mod system;

pub use fix::{CannotFix, fix};
pub(crate) use owned::check_state as check_open_state;
pub use report::{Check, Fix, Report, Severity};

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use palyra_common::deployment_profiles::DeploymentProfile;
use palyra_state::{StateOptions, StateRoot};

use crate::server::DEFAULT_PORT;

/// The installation to examine.
#[derive(Clone)]
pub struct Subject {
    /// State root to examine.
    pub root: StateRoot,
    /// Options for opening it, without waiting for the lock.
    pub options: StateOptions,
    /// Deployment profile that the installation should match.
    pub profile: &'static DeploymentProfile,
    /// Address on which a daemon would listen.
    pub listen: SocketAddr,
    /// Facts about the system.
    pub proc: PathBuf,
    /// Limit on open files of a process; `None` if it is unlimited.
    pub open_files: Option<u64>,
    /// Less free space than this is too little.
    pub least_free_bytes: u64,
}

impl Subject {
    /// Returns the subject for a state root on this machine.
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

/// Returns the checks that a running daemon makes of its open state; an error explains why it did not.
pub type AskDaemon<'a> = &'a dyn Fn() -> Result<Vec<Check>, String>;

/// Looks at everything; where a daemon has the state open, the checks of the state itself are skipped.
pub fn examine(subject: &Subject) -> Report {
    examine_with(subject, &|| Err("stop the daemon to check it".into()))
}

/// Runs all checks, and requests those of the state from a daemon that has it open.
pub fn examine_with(subject: &Subject, daemon: AskDaemon<'_>) -> Report {
    let mut checks = profile::checks(subject);
    checks.extend(system::checks(subject));
    let (files, there) = files::checks(subject);
    checks.extend(files);
    if there {
        checks.extend(owned::checks(subject, daemon));
    }
    Report::new(subject.profile, checks)
}
