//! Files: granted roots as `/NAME` below a virtual root directory. Every access is recorded on the tape; opening,
//! listing and changing are counted steps.
//!
//! Descriptors are implemented here, so a replay has the same ones without any real file.

mod descriptor;
mod listing;
mod locate;
mod streams;
mod taped;

use crate::run_context::{FileUse, HostFailure, RunContext};
use crate::run_state::RunState;
use palyra_common::capabilities::{FilesystemAccess, FilesystemGrant};
use palyra_common::{CapabilityKind, Denial};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use wasmtime::component::{HasSelf, Linker};
use wasmtime_wasi::filesystem::{Descriptor, Dir};
use wasmtime_wasi::p2::bindings::filesystem::{preopens, types};
use wasmtime_wasi::{FsPerms, OpenMode};

/// The reason why a granted root cannot be opened.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FilesError {
    #[error("the root `{root}` is granted but mapped to no directory")]
    NotMapped { root: String },
    #[error("the root `{root}` is mapped through a symbolic link: `{path}` resolves to `{real}`")]
    ThroughLink { root: String, path: String, real: String },
    #[error("cannot open the root `{root}`: {reason}")]
    Unusable { root: String, reason: String },
}

impl FilesError {
    /// Returns the denial, with the grant that would allow the access.
    pub(crate) fn denial(&self) -> Denial {
        let (Self::NotMapped { root } | Self::ThroughLink { root, .. } | Self::Unusable { root, .. }) = self;
        Denial {
            kind: CapabilityKind::Filesystem,
            subject: format!("/{root}"),
            reason: self.to_string(),
            grant: Some(match self {
                Self::ThroughLink { real, .. } => format!("fs-read:{root}={real}"),
                _ => format!("fs-read:{root}=DIRECTORY"),
            }),
            manifest: None,
        }
    }
}

/// The directories of the granted roots, in the order of the grants; empty in a replay.
#[derive(Default)]
pub(crate) struct GrantedRoots(Vec<Descriptor>);

impl GrantedRoots {
    /// Opens every granted root in a blocking task. The result is recorded on the tape.
    pub(crate) async fn open(run: &Arc<RunContext>) -> Result<Self, HostFailure> {
        if run.grants.filesystem().is_empty() || !run.tapes_files {
            return Ok(Self::default());
        }
        let mut roots = Self::default();
        let names: Vec<&str> = run.grants.filesystem().iter().map(|grant| grant.root.as_str()).collect();
        let grants = Arc::clone(&run.grants);
        let live = async {
            let opened = tokio::task::spawn_blocking(move || {
                grants.filesystem().iter().map(open_root).collect::<Result<Vec<_>, _>>()
            });
            let opened = opened.await.map_err(|error| HostFailure::Unavailable(error.to_string()))?;
            roots.0 = opened.map_err(|error| HostFailure::Denied(error.denial()))?;
            Ok(())
        };
        run.taped("fs.roots", json!(names), live).await?;
        Ok(roots)
    }

    pub(super) fn at(&self, index: usize) -> Option<Descriptor> {
        self.0.get(index).cloned()
    }
}

fn open_root(grant: &FilesystemGrant) -> Result<Descriptor, FilesError> {
    let directory = real_directory(grant)?;
    let opened = std::fs::File::open(&directory)
        .map_err(|error| FilesError::Unusable { root: grant.root.to_string(), reason: error.to_string() })?;
    let (perms, mode) = match grant.access {
        FilesystemAccess::Read => (FsPerms::ReadOnly, OpenMode::READ),
        FilesystemAccess::ReadWrite => (FsPerms::ReadWrite, OpenMode::READ | OpenMode::WRITE),
    };
    Ok(Descriptor::Dir(Dir::new(opened, perms, mode, false)))
}

/// Returns the mapped directory. Fails if any part of its path is a symbolic link.
fn real_directory(grant: &FilesystemGrant) -> Result<PathBuf, FilesError> {
    let root = grant.root.to_string();
    let unusable = |reason: String| FilesError::Unusable { root: root.clone(), reason };
    let path = grant.directory().ok_or_else(|| FilesError::NotMapped { root: root.clone() })?;
    let absolute = std::path::absolute(path).map_err(|error| unusable(error.to_string()))?;
    let real = absolute.canonicalize().map_err(|error| unusable(error.to_string()))?;
    if real != without_trailing_slash(&absolute) {
        let show = |path: &Path| path.display().to_string();
        return Err(FilesError::ThroughLink { root, path: show(&absolute), real: show(&real) });
    }
    if !real.is_dir() {
        return Err(unusable("it is not a directory".into()));
    }
    Ok(real)
}

fn without_trailing_slash(path: &Path) -> PathBuf {
    path.components().collect()
}

/// The file or directory behind a descriptor of the guest.
struct Node {
    /// The absolute path as the guest sees it.
    path: String,
    /// The index of the granted root; `None` for the virtual directory `/`.
    root: Option<usize>,
    is_directory: bool,
    /// The open file; `None` for `/` and in a replay.
    real: Option<Descriptor>,
    uses: Arc<FileUse>,
}

impl Node {
    fn top() -> Self {
        Self { path: "/".into(), root: None, is_directory: true, real: None, uses: Arc::default() }
    }
}

/// Adds `wasi:filesystem` to a linker.
pub(super) fn add_to_linker(linker: &mut Linker<RunState>) -> wasmtime::Result<()> {
    preopens::add_to_linker::<_, HasSelf<RunState>>(linker, |state| state)?;
    types::add_to_linker::<_, HasSelf<RunState>>(linker, |state| state)
}
