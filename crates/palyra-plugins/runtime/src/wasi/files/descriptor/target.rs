//! The target of an operation: the file of a descriptor, or a path relative to one.

use super::super::locate::{Located, locate};
use super::library::{Library, failure, to_guest};
use super::{ErrorCode, Fd, FsError, FsResult};
use crate::run_context::{FileErrorCode, HostFailure, RunContext, denied_escape, denied_open, denied_write};
use crate::run_state::RunState;
use palyra_common::capabilities::FilesystemAccess;
use serde_json::Value;
use std::sync::Arc;
use wasmtime_wasi::filesystem::Descriptor;

/// Maximum length of a guest's path.
const MAX_PATH_BYTES: usize = 4 << 10;

impl RunState {
    /// Returns the file of a descriptor as the target.
    pub(super) fn target(&self, fd: &Fd) -> FsResult<Target> {
        let node = self.node(fd)?;
        Ok(Target {
            run: Arc::clone(&self.run),
            path: node.path.clone(),
            root: node.root,
            is_top: node.root.is_none(),
            real: node.real.clone(),
            relative: String::new(),
            refusal: None,
            entered: self.run.changing().entered,
        })
    }

    /// Like [`Self::target`], for a change, which a root for reading refuses.
    pub(super) fn changing_target(&self, fd: &Fd) -> FsResult<Target> {
        let mut target = self.target(fd)?;
        target.refuse_change();
        Ok(target)
    }

    /// Resolves a path relative to a descriptor. Paths outside the grants do not exist; opening one there
    /// from the guest's own code is denied.
    pub(super) fn target_at(&self, op: &'static str, fd: &Fd, path: &str) -> FsResult<Target> {
        let mut target = self.located(op, fd, path)?;
        if target.root.is_none() && !target.is_top {
            target.refusal = Some(match (op, target.entered) {
                ("fs.open", true) => HostFailure::Denied(denied_open(&target.path, false)),
                _ => HostFailure::File(FileErrorCode(ErrorCode::NoEntry)),
            });
        }
        Ok(target)
    }

    /// Resolves a path that is created, changed or removed.
    pub(super) fn changing_target_at(&self, op: &'static str, fd: &Fd, path: &str) -> FsResult<Target> {
        let mut target = self.located(op, fd, path)?;
        match target.root {
            Some(_) => target.refuse_change(),
            None => {
                target.is_top = false;
                target.refusal = Some(if target.entered {
                    HostFailure::Denied(denied_open(&target.path, true))
                } else {
                    HostFailure::File(FileErrorCode(ErrorCode::NoEntry))
                });
            }
        }
        Ok(target)
    }

    fn located(&self, op: &'static str, fd: &Fd, path: &str) -> FsResult<Target> {
        let run = Arc::clone(&self.run);
        if path.len() > MAX_PATH_BYTES {
            return Err(ErrorCode::NameTooLong.into());
        }
        run.check_no_secret(op, "a path", path.as_bytes()).map_err(to_guest)?;
        let node = self.node(fd)?;
        if !node.is_directory {
            return Err(ErrorCode::NotDirectory.into());
        }
        let entered = run.changing().entered;
        let nowhere = Target {
            path: "/".into(),
            root: None,
            is_top: false,
            real: None,
            relative: String::new(),
            refusal: None,
            entered,
            run: Arc::clone(&run),
        };
        Ok(match locate(node, path, &run.grants) {
            Located::Top => Target { is_top: true, ..nowhere },
            Located::Outside { path } => Target { path, ..nowhere },
            Located::Inside { root, from_descriptor, relative, path } => {
                let real = if from_descriptor { node.real.clone() } else { self.granted_root(root) };
                Target { path, root: Some(root), real, relative, ..nowhere }
            }
        })
    }
}

/// The target of an operation, with the reason to refuse it.
pub(super) struct Target {
    pub(super) run: Arc<RunContext>,
    /// The absolute path that the guest sees.
    pub(super) path: String,
    pub(super) root: Option<usize>,
    /// Whether it is `/` itself.
    pub(super) is_top: bool,
    /// The open file, or the open directory that `relative` starts at; `None` on a replay.
    pub(super) real: Option<Descriptor>,
    pub(super) relative: String,
    /// The reason why the operation is not performed.
    pub(super) refusal: Option<HostFailure>,
    /// Whether the guest's own code runs, not its start-up code.
    entered: bool,
}

impl Target {
    /// Returns whether it counts as a capability operation. Failed lookups of start-up code do not count.
    pub(super) fn is_counted(&self) -> bool {
        self.root.is_some() || self.entered
    }

    fn refuse_change(&mut self) {
        let Some(grant) = self.root.and_then(|root| self.run.grants.filesystem().get(root)) else { return };
        if grant.access == FilesystemAccess::Read {
            self.refusal = Some(if self.entered {
                HostFailure::Denied(denied_write(grant, &self.path))
            } else {
                HostFailure::File(FileErrorCode(ErrorCode::NotPermitted))
            });
        }
    }

    /// Returns the open directory, or the error if there is none.
    pub(super) fn directory(&self) -> Result<Arc<std::fs::File>, HostFailure> {
        match &self.real {
            Some(Descriptor::Dir(directory)) => Ok(Arc::clone(&directory.dir)),
            Some(Descriptor::File(_)) => Err(HostFailure::File(FileErrorCode(ErrorCode::NotDirectory))),
            None => Err(HostFailure::Unavailable("there is no file".into())),
        }
    }

    /// Returns the library for the open file, or the error if there is none.
    pub(super) fn library(&self) -> Result<Library, HostFailure> {
        if let Some(refusal) = &self.refusal {
            return Err(refusal.clone());
        }
        let real = self.real.as_ref().ok_or_else(|| HostFailure::Unavailable("there is no file".into()))?;
        Library::of(real).map_err(failure)
    }

    /// Converts an error of the library. The error for a path that leaves its root becomes a denial.
    pub(super) fn escaped(&self, error: FsError) -> HostFailure {
        match failure(error) {
            HostFailure::File(FileErrorCode(ErrorCode::NotPermitted)) if self.entered => {
                HostFailure::Denied(denied_escape(&self.path))
            }
            other => other,
        }
    }

    pub(super) async fn step(
        &self,
        op: &'static str,
        request: Value,
        live: impl Future<Output = Result<(), HostFailure>>,
    ) -> FsResult<()> {
        let done = if self.is_counted() {
            self.run.file_step(op, &self.path, request, live).await
        } else {
            self.run.observe_file(op, request, live).await
        };
        done.map_err(to_guest)
    }
}
