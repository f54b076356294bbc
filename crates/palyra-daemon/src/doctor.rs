//! Problems of an installation, their evidence and remedies.
//!
//! Checks only read; only a requested fix changes anything. The state is examined without opening it first, because a
//! state that cannot be opened needs a diagnosis most.

mod files;
mod fix;
mod owned;
mod profile;
mod report;
mod system;

pub use fix::{CannotFix, fix};
pub(crate) use owned::check_served_state as check_open_state;
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
    /// Options for opening the state, without waiting for the lock.
    pub options: StateOptions,
    /// Deployment profile that the installation should match.
    pub profile: &'static DeploymentProfile,
    /// Address on which a daemon would listen.
    pub listen: SocketAddr,
    /// Directory with facts about the system, `/proc` outside of tests.
    pub proc: PathBuf,
    /// Limit on open files of a process; `None` if it is unlimited.
    pub open_files: Option<u64>,
    /// Minimum free space in bytes.
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

/// Runs all checks; those of the state itself are skipped if a daemon has it open.
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
