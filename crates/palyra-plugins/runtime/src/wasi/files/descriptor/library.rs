//! The library that operates on real files, and the conversion of its errors for the guest and the tape.

use super::target::Target;
use super::{
    DescriptorFlags, DescriptorType, ErrorCode, Fd, FsError, FsResult, HostDescriptor, OpenFlags, PathFlags,
};
use crate::fault::ReplayStopped;
use crate::run_context::{FileErrorCode, HostFailure};
use wasmtime::component::{Resource, ResourceTable};
use wasmtime_wasi::filesystem::{Descriptor, WasiFilesystemCtx, WasiFilesystemCtxView};

/// The state of the library for one operation: a separate table with the open file.
pub(super) struct Library {
    ctx: WasiFilesystemCtx,
    pub(super) table: ResourceTable,
    fd: u32,
}

impl Library {
    pub(super) fn of(real: &Descriptor) -> FsResult<Self> {
        let mut table = ResourceTable::new();
        let fd = table.push(real.clone())?.rep();
        Ok(Self { ctx: WasiFilesystemCtx::default(), table, fd })
    }

    /// Adds the second file of an operation on two files.
    pub(super) fn and(&mut self, other: &Target) -> Result<Fd, HostFailure> {
        if let Some(refusal) = &other.refusal {
            return Err(refusal.clone());
        }
        let real = other.real.clone().ok_or_else(|| HostFailure::Unavailable("there is no file".into()))?;
        let fd = self.table.push(real).map_err(|error| failure(error.into()))?;
        Ok(Resource::new_borrow(fd.rep()))
    }

    pub(super) fn fd(&self) -> Fd {
        Resource::new_borrow(self.fd)
    }

    pub(super) fn view(&mut self) -> WasiFilesystemCtxView<'_> {
        WasiFilesystemCtxView { ctx: &mut self.ctx, table: &mut self.table }
    }
}

/// Opens files and directories only: a FIFO would block a thread, and a device is not data.
pub(super) async fn open_plain(
    library: &mut Library,
    fd: Fd,
    path_flags: PathFlags,
    path: String,
    open_flags: OpenFlags,
    flags: DescriptorFlags,
) -> FsResult<Descriptor> {
    let borrowed = Resource::new_borrow(fd.rep());
    if let Ok(found) = library.view().stat_at(borrowed, path_flags, path.clone()).await
        && !matches!(
            found.type_,
            DescriptorType::RegularFile | DescriptorType::Directory | DescriptorType::SymbolicLink
        )
    {
        return Err(ErrorCode::Access.into());
    }
    let opened = library.view().open_at(fd, path_flags, path, open_flags, flags).await?;
    Ok(library.table.delete(opened)?)
}

pub(super) fn failure(error: FsError) -> HostFailure {
    match error.downcast() {
        Ok(code) => HostFailure::File(FileErrorCode(code)),
        Err(error) => HostFailure::Unavailable(error.to_string()),
    }
}

/// Converts an error of a lookup: a path that leaves its root appears to be missing.
pub(super) fn hidden(error: FsError) -> HostFailure {
    match failure(error) {
        HostFailure::File(FileErrorCode(ErrorCode::NotPermitted)) => {
            HostFailure::File(FileErrorCode(ErrorCode::NoEntry))
        }
        other => other,
    }
}

pub(super) fn to_guest(failure: HostFailure) -> FsError {
    match failure {
        HostFailure::File(FileErrorCode(code)) => code.into(),
        HostFailure::Denied(_) => ErrorCode::NotPermitted.into(),
        HostFailure::Quota { .. } => ErrorCode::Quota.into(),
        HostFailure::Invalid(_) => ErrorCode::Invalid.into(),
        HostFailure::Stopped => FsError::trap(ReplayStopped),
        HostFailure::TimedOut | HostFailure::Unavailable(_) => ErrorCode::Io.into(),
    }
}
