//! Granted roots: `/NAME` in the guest, a directory of the operator's outside.

use crate::run_context::RunContext;
use crate::run_state::RunState;
use palyra_common::capabilities::{FilesystemAccess, FilesystemGrant};
use palyra_common::{CapabilityKind, Denial};
use std::path::{Path, PathBuf};
use wasmtime::component::{Linker, Resource};
use wasmtime_wasi::filesystem::{WasiFilesystem, WasiFilesystemView};
use wasmtime_wasi::p2::bindings::filesystem::types::{
    self, Descriptor, DescriptorFlags, DescriptorType, ErrorCode, HostDescriptor, OpenFlags, PathFlags,
};
use wasmtime_wasi::{FsPerms, WasiCtxBuilder};

/// Why a granted root cannot be opened.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FilesError {
    #[error("the root `{root}` is granted but mapped to no directory")]
    NotMapped { root: String },
    #[error("the root `{root}` is mapped through a symbolic link: `{path}` is really `{real}`")]
    ThroughLink { root: String, path: String, real: String },
    #[error("the root `{root}` cannot be opened: {reason}")]
    Unusable { root: String, reason: String },
}

impl FilesError {
    /// As every other door: what was asked for, and what would have opened it.
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

/// Opens every granted root.
pub(super) fn preopen(builder: &mut WasiCtxBuilder, run: &RunContext) -> Result<(), FilesError> {
    for grant in run.grants.filesystem() {
        let directory = real_directory(grant)?;
        let perms = match grant.access {
            FilesystemAccess::Read => FsPerms::ReadOnly,
            FilesystemAccess::ReadWrite => FsPerms::ReadWrite,
        };
        let opened = builder.preopened_dir(&directory, format!("/{}", grant.root), perms);
        opened.map_err(|error| FilesError::Unusable {
            root: grant.root.to_string(),
            reason: error.to_string(),
        })?;
    }
    Ok(())
}

/// The mapped directory, refused when any part of its path is a link.
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

/// Links `wasi:filesystem/types` with an `open-at` that looks before it opens.
pub(super) fn add_to_linker(linker: &mut Linker<RunState>) -> wasmtime::Result<()> {
    types::add_to_linker::<_, WasiFilesystem>(linker, RunState::filesystem)?;
    linker.allow_shadowing(true);
    let mut instance = linker.instance("wasi:filesystem/types@0.2.12")?;
    type OpenAt = (Resource<Descriptor>, PathFlags, String, OpenFlags, DescriptorFlags);
    instance.func_wrap_async("[method]descriptor.open-at", |mut store, arguments: OpenAt| {
        Box::new(async move {
            let state: &mut RunState = store.data_mut();
            state.run.changing().open = true;
            let opened = open_plain(state, arguments).await;
            match opened {
                Ok(descriptor) => Ok((Ok(descriptor),)),
                Err(error) => Ok((Err(types::Host::convert_error_code(&mut state.filesystem(), error)?),)),
            }
        })
    })?;
    linker.allow_shadowing(false);
    Ok(())
}

/// Opens files and directories only: a FIFO would hold a thread, a device is not data.
async fn open_plain(
    state: &mut RunState,
    (directory, path_flags, path, open_flags, flags): (
        Resource<Descriptor>,
        PathFlags,
        String,
        OpenFlags,
        DescriptorFlags,
    ),
) -> Result<Resource<Descriptor>, wasmtime_wasi::p2::FsError> {
    let mut view = state.filesystem();
    let borrowed = Resource::new_borrow(directory.rep());
    if let Ok(found) = view.stat_at(borrowed, path_flags, path.clone()).await
        && !matches!(found.type_, DescriptorType::RegularFile | DescriptorType::Directory)
        && !(found.type_ == DescriptorType::SymbolicLink)
    {
        return Err(ErrorCode::NotPermitted.into());
    }
    view.open_at(directory, path_flags, path, open_flags, flags).await
}
