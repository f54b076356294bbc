//! `wasi:filesystem`: the host side of every descriptor.

use super::Node;
use super::listing::{Listing, read_entries};
use super::locate::{Located, locate};
use super::streams::{FileStreamError, StreamOf, TapedInput, TapedOutput};
use super::taped::{Entry, Identity, Kind, Opened, Stat, flag_bits, flags_of, new_time};
use crate::fault::ReplayStopped;
use crate::run_context::{
    Blob, FileErrorCode, HostFailure, RunContext, denied_escape, denied_open, denied_write, taped_bytes,
};
use crate::run_state::RunState;
use palyra_common::capabilities::FilesystemAccess;
use serde_json::{Value, json};
use std::sync::Arc;
use wasmtime::component::{Resource, ResourceTable};
use wasmtime_wasi::filesystem::{Descriptor, WasiFilesystemCtx, WasiFilesystemCtxView};
use wasmtime_wasi::p2::bindings::filesystem::preopens;
use wasmtime_wasi::p2::bindings::filesystem::types::{
    self, Advice, DescriptorFlags, DescriptorStat, DescriptorType, DirectoryEntry, DirectoryEntryStream,
    ErrorCode, Filesize, HostDescriptor, HostDirectoryEntryStream, MetadataHashValue, NewTimestamp,
    OpenFlags, PathFlags,
};
use wasmtime_wasi::p2::{DynInputStream, DynOutputStream, FsError, FsResult};

/// Longest path a guest may name.
const MAX_PATH_BYTES: usize = 4 << 10;

type Fd = Resource<Descriptor>;

impl preopens::Host for RunState {
    fn get_directories(&mut self) -> wasmtime::Result<Vec<(Fd, String)>> {
        let run = Arc::clone(&self.run);
        let mut directories = Vec::with_capacity(run.grants.filesystem().len() + 1);
        for (index, grant) in run.grants.filesystem().iter().enumerate() {
            let (path, real) = (format!("/{}", grant.root), self.granted_root(index));
            let node = Node { path: path.clone(), root: Some(index), real, ..Node::top() };
            directories.push((self.push_node(node)?, path));
        }
        // A run of version 1 had no `/`, and its replay sees what it saw.
        if run.tapes_files {
            directories.push((self.push_node(Node::top())?, "/".into()));
        }
        Ok(directories)
    }
}

impl types::Host for RunState {
    fn convert_error_code(&mut self, error: FsError) -> wasmtime::Result<ErrorCode> {
        error.downcast()
    }

    fn filesystem_error_code(
        &mut self,
        error: Resource<wasmtime::Error>,
    ) -> wasmtime::Result<Option<ErrorCode>> {
        let error = self.table.get(&error)?;
        Ok(error.downcast_ref::<FileStreamError>().map(|FileStreamError(FileErrorCode(code))| *code))
    }
}

impl HostDescriptor for RunState {
    fn read_via_stream(&mut self, fd: Fd, offset: Filesize) -> FsResult<Resource<DynInputStream>> {
        let node = self.node(&fd)?;
        if node.is_directory {
            return Err(ErrorCode::IsDirectory.into());
        }
        let inner = match &node.real {
            None => None,
            Some(real) => {
                let mut library = Library::of(real)?;
                let fd = library.fd();
                let stream = library.view().read_via_stream(fd, offset)?;
                Some(library.table.delete(stream)?)
            }
        };
        let stream: DynInputStream = Box::new(TapedInput { of: self.stream_of(&fd)?, inner });
        Ok(self.table.push(stream)?)
    }

    fn write_via_stream(&mut self, fd: Fd, offset: Filesize) -> FsResult<Resource<DynOutputStream>> {
        self.output_stream(fd, |view, fd| view.write_via_stream(fd, offset))
    }

    fn append_via_stream(&mut self, fd: Fd) -> FsResult<Resource<DynOutputStream>> {
        self.output_stream(fd, |view, fd| view.append_via_stream(fd))
    }

    async fn advise(&mut self, fd: Fd, offset: Filesize, length: Filesize, advice: Advice) -> FsResult<()> {
        let target = self.target(&fd)?;
        let live = async {
            let mut library = target.library()?;
            let fd = library.fd();
            library.view().advise(fd, offset, length, advice).await.map_err(failure)
        };
        target.run.observe_file("fs.advise", json!({ "path": target.path }), live).await.map_err(to_guest)
    }

    async fn sync_data(&mut self, fd: Fd) -> FsResult<()> {
        self.sync(fd).await
    }

    async fn get_flags(&mut self, fd: Fd) -> FsResult<DescriptorFlags> {
        let target = self.target(&fd)?;
        if target.is_top {
            return Ok(DescriptorFlags::READ);
        }
        let live = async {
            let mut library = target.library()?;
            let fd = library.fd();
            library.view().get_flags(fd).await.map(flag_bits).map_err(failure)
        };
        let flags = target.run.observe_file("fs.flags", json!({ "path": target.path }), live).await;
        flags.map(flags_of).map_err(to_guest)
    }

    async fn get_type(&mut self, fd: Fd) -> FsResult<DescriptorType> {
        // Nothing else is ever opened.
        Ok(if self.node(&fd)?.is_directory { DescriptorType::Directory } else { DescriptorType::RegularFile })
    }

    async fn set_size(&mut self, fd: Fd, size: Filesize) -> FsResult<()> {
        let target = self.changing_target(&fd)?;
        let live = async {
            let mut library = target.library()?;
            let fd = library.fd();
            library.view().set_size(fd, size).await.map_err(failure)
        };
        target.step("fs.set_size", json!({ "path": target.path, "bytes": size }), live).await
    }

    async fn set_times(&mut self, fd: Fd, accessed: NewTimestamp, modified: NewTimestamp) -> FsResult<()> {
        let target = self.changing_target(&fd)?;
        let request =
            json!({ "path": target.path, "accessed": new_time(&accessed), "modified": new_time(&modified) });
        let live = async {
            let mut library = target.library()?;
            let fd = library.fd();
            library.view().set_times(fd, accessed, modified).await.map_err(failure)
        };
        target.step("fs.set_times", request, live).await
    }

    async fn read(&mut self, fd: Fd, length: Filesize, offset: Filesize) -> FsResult<(Vec<u8>, bool)> {
        let target = self.target(&fd)?;
        let uses = Arc::clone(&self.node(&fd)?.uses);
        let request = json!({ "path": target.path, "bytes": length, "offset": offset });
        let live = async {
            let mut library = target.library()?;
            let fd = library.fd();
            let (bytes, ended) = library.view().read(fd, length, offset).await.map_err(failure)?;
            target.run.check_file_bytes(&bytes)?;
            Ok((Blob(bytes), ended))
        };
        let read = target.run.transfer("fs.read", &target.path, &uses.read, request, live).await;
        read.map(|(Blob(bytes), ended)| (bytes, ended)).map_err(to_guest)
    }

    async fn write(&mut self, fd: Fd, bytes: Vec<u8>, offset: Filesize) -> FsResult<Filesize> {
        let target = self.changing_target(&fd)?;
        let uses = Arc::clone(&self.node(&fd)?.uses);
        target.run.check_no_secret("fs.write", "a file", &bytes).map_err(to_guest)?;
        let request = json!({ "path": target.path, "bytes": taped_bytes(&bytes), "offset": offset });
        let live = async {
            let mut library = target.library()?;
            let fd = library.fd();
            library.view().write(fd, bytes, offset).await.map_err(failure)
        };
        target.run.transfer("fs.write", &target.path, &uses.written, request, live).await.map_err(to_guest)
    }

    async fn read_directory(&mut self, fd: Fd) -> FsResult<Resource<DirectoryEntryStream>> {
        let target = self.target(&fd)?;
        if !self.node(&fd)?.is_directory {
            return Err(ErrorCode::NotDirectory.into());
        }
        let listed: Result<Vec<Entry>, HostFailure> = if target.is_top {
            let roots = target.run.grants.filesystem().iter();
            Ok(roots.map(|grant| Entry(Kind::Directory, grant.root.to_string())).collect())
        } else {
            let live = async {
                let directory = target.directory()?;
                read_entries(Arc::clone(&target.run), directory).await
            };
            let request = json!({ "path": target.path });
            target.run.file_step("fs.list", &target.path, request, live).await
        };
        let listing = Listing::new(&self.run, listed.map_err(to_guest)?).map_err(to_guest)?;
        Ok(Resource::new_own(self.table.push(listing)?.rep()))
    }

    async fn sync(&mut self, fd: Fd) -> FsResult<()> {
        let target = self.target(&fd)?;
        if target.is_top {
            return Ok(());
        }
        let live = async {
            let mut library = target.library()?;
            let fd = library.fd();
            library.view().sync(fd).await.map_err(failure)
        };
        target.run.observe_file("fs.sync", json!({ "path": target.path }), live).await.map_err(to_guest)
    }

    async fn create_directory_at(&mut self, fd: Fd, path: String) -> FsResult<()> {
        let target = self.changing_target_at("fs.create_directory", &fd, &path)?;
        let live = async {
            let mut library = target.library()?;
            let (fd, path) = (library.fd(), target.relative.clone());
            library.view().create_directory_at(fd, path).await.map_err(|error| target.escaped(error))
        };
        target.step("fs.create_directory", json!({ "path": target.path }), live).await
    }

    async fn stat(&mut self, fd: Fd) -> FsResult<DescriptorStat> {
        let target = self.target(&fd)?;
        if target.is_top {
            return Ok(Stat::TOP.into());
        }
        let live = async {
            let mut library = target.library()?;
            let fd = library.fd();
            library.view().stat(fd).await.map(Stat::from).map_err(failure)
        };
        let stat = target.run.observe_file("fs.stat", json!({ "path": target.path }), live).await;
        stat.map(DescriptorStat::from).map_err(to_guest)
    }

    async fn stat_at(&mut self, fd: Fd, flags: PathFlags, path: String) -> FsResult<DescriptorStat> {
        let target = self.target_at("fs.stat", &fd, &path)?;
        if target.is_top {
            return Ok(Stat::TOP.into());
        }
        let live = async {
            let mut library = target.library()?;
            let (fd, path) = (library.fd(), target.relative.clone());
            library.view().stat_at(fd, flags, path).await.map(Stat::from).map_err(hidden)
        };
        let request = json!({ "path": target.path, "follow": follows(flags) });
        let stat = target.run.observe_file("fs.stat", request, live).await;
        stat.map(DescriptorStat::from).map_err(to_guest)
    }

    async fn set_times_at(
        &mut self,
        fd: Fd,
        flags: PathFlags,
        path: String,
        accessed: NewTimestamp,
        modified: NewTimestamp,
    ) -> FsResult<()> {
        let target = self.changing_target_at("fs.set_times", &fd, &path)?;
        let (accessed_text, modified_text) = (new_time(&accessed), new_time(&modified));
        let request = json!({ "path": target.path, "follow": follows(flags), "accessed": accessed_text, "modified": modified_text });
        let live = async {
            let mut library = target.library()?;
            let (fd, path) = (library.fd(), target.relative.clone());
            let set = library.view().set_times_at(fd, flags, path, accessed, modified).await;
            set.map_err(|error| target.escaped(error))
        };
        target.step("fs.set_times", request, live).await
    }

    async fn link_at(
        &mut self,
        fd: Fd,
        flags: PathFlags,
        path: String,
        to: Fd,
        to_path: String,
    ) -> FsResult<()> {
        let target = self.changing_target_at("fs.link", &fd, &path)?;
        let other = self.changing_target_at("fs.link", &to, &to_path)?;
        let live = async {
            let mut library = target.library()?;
            let to = library.and(&other)?;
            let (fd, path, to_path) = (library.fd(), target.relative.clone(), other.relative.clone());
            let linked = library.view().link_at(fd, flags, path, to, to_path).await;
            linked.map_err(|error| target.escaped(error))
        };
        target.step("fs.link", json!({ "path": target.path, "to": other.path }), live).await
    }

    async fn open_at(
        &mut self,
        fd: Fd,
        path_flags: PathFlags,
        path: String,
        open_flags: OpenFlags,
        flags: DescriptorFlags,
    ) -> FsResult<Fd> {
        let op = "fs.open";
        let writes = flags.contains(DescriptorFlags::WRITE)
            || open_flags.contains(OpenFlags::CREATE)
            || open_flags.contains(OpenFlags::TRUNCATE);
        let target =
            if writes { self.changing_target_at(op, &fd, &path)? } else { self.target_at(op, &fd, &path)? };
        if target.is_top {
            return Ok(self.push_node(Node::top())?);
        }
        let request = json!({
            "path": target.path,
            "follow": follows(path_flags),
            "create": open_flags.contains(OpenFlags::CREATE),
            "directory": open_flags.contains(OpenFlags::DIRECTORY),
            "exclusive": open_flags.contains(OpenFlags::EXCLUSIVE),
            "truncate": open_flags.contains(OpenFlags::TRUNCATE),
            "flags": flag_bits(flags),
        });
        let mut real = None;
        let live = async {
            let mut library = target.library()?;
            let (fd, path) = (library.fd(), target.relative.clone());
            let opened = open_plain(&mut library, fd, path_flags, path, open_flags, flags).await;
            let opened = opened.map_err(|error| target.escaped(error))?;
            let kind = match opened {
                Descriptor::Dir(_) => Opened::Directory,
                Descriptor::File(_) => Opened::File,
            };
            real = Some(opened);
            Ok(kind)
        };
        let opened = if target.is_counted() {
            target.run.file_step(op, &target.path, request, live).await
        } else {
            target.run.observe_file(op, request, live).await
        };
        let is_directory = matches!(opened.map_err(to_guest)?, Opened::Directory);
        let (path, root) = (target.path.clone(), target.root);
        Ok(self.push_node(Node { path, root, is_directory, real, uses: Arc::default() })?)
    }

    fn drop(&mut self, fd: Fd) -> wasmtime::Result<()> {
        self.table.delete(Resource::<Node>::new_own(fd.rep()))?;
        Ok(())
    }

    async fn readlink_at(&mut self, fd: Fd, path: String) -> FsResult<String> {
        let target = self.target_at("fs.readlink", &fd, &path)?;
        if target.is_top {
            return Err(ErrorCode::Invalid.into());
        }
        let live = async {
            let mut library = target.library()?;
            let (fd, path) = (library.fd(), target.relative.clone());
            library.view().readlink_at(fd, path).await.map_err(hidden)
        };
        target.run.observe_file("fs.readlink", json!({ "path": target.path }), live).await.map_err(to_guest)
    }

    async fn remove_directory_at(&mut self, fd: Fd, path: String) -> FsResult<()> {
        let target = self.changing_target_at("fs.remove_directory", &fd, &path)?;
        let live = async {
            let mut library = target.library()?;
            let (fd, path) = (library.fd(), target.relative.clone());
            library.view().remove_directory_at(fd, path).await.map_err(|error| target.escaped(error))
        };
        target.step("fs.remove_directory", json!({ "path": target.path }), live).await
    }

    async fn rename_at(&mut self, fd: Fd, path: String, to: Fd, to_path: String) -> FsResult<()> {
        let target = self.changing_target_at("fs.rename", &fd, &path)?;
        let other = self.changing_target_at("fs.rename", &to, &to_path)?;
        let live = async {
            let mut library = target.library()?;
            let to = library.and(&other)?;
            let (fd, path, to_path) = (library.fd(), target.relative.clone(), other.relative.clone());
            let renamed = library.view().rename_at(fd, path, to, to_path).await;
            renamed.map_err(|error| target.escaped(error))
        };
        target.step("fs.rename", json!({ "path": target.path, "to": other.path }), live).await
    }

    async fn symlink_at(&mut self, fd: Fd, old_path: String, new_path: String) -> FsResult<()> {
        let target = self.changing_target_at("fs.symlink", &fd, &new_path)?;
        target.run.check_no_secret("fs.symlink", "a path", old_path.as_bytes()).map_err(to_guest)?;
        let request = json!({ "path": target.path, "to": old_path });
        let live = async {
            let mut library = target.library()?;
            let (fd, path) = (library.fd(), target.relative.clone());
            library.view().symlink_at(fd, old_path, path).await.map_err(|error| target.escaped(error))
        };
        target.step("fs.symlink", request, live).await
    }

    async fn unlink_file_at(&mut self, fd: Fd, path: String) -> FsResult<()> {
        let target = self.changing_target_at("fs.unlink", &fd, &path)?;
        let live = async {
            let mut library = target.library()?;
            let (fd, path) = (library.fd(), target.relative.clone());
            library.view().unlink_file_at(fd, path).await.map_err(|error| target.escaped(error))
        };
        target.step("fs.unlink", json!({ "path": target.path }), live).await
    }

    async fn is_same_object(&mut self, a: Fd, b: Fd) -> wasmtime::Result<bool> {
        let trap = |error: FsError| match error.downcast() {
            Ok(code) => wasmtime::Error::from(code),
            Err(error) => error,
        };
        let (target, other) = (self.target(&a).map_err(trap)?, self.target(&b).map_err(trap)?);
        if target.is_top || other.is_top {
            return Ok(target.is_top && other.is_top);
        }
        let live = async {
            let mut library = target.library()?;
            let b = library.and(&other)?;
            let a = library.fd();
            let same = library.view().is_same_object(a, b).await;
            same.map_err(|error| HostFailure::Unavailable(error.to_string()))
        };
        let request = json!({ "path": target.path, "other": other.path });
        crate::capabilities::or_stop(target.run.observe_file("fs.same", request, live).await)
    }

    async fn metadata_hash(&mut self, fd: Fd) -> FsResult<MetadataHashValue> {
        let target = self.target(&fd)?;
        if target.is_top {
            return Ok(Identity::TOP.into());
        }
        let live = async {
            let mut library = target.library()?;
            let fd = library.fd();
            library.view().metadata_hash(fd).await.map(Identity::from).map_err(failure)
        };
        let hash = target.run.observe_file("fs.identity", json!({ "path": target.path }), live).await;
        hash.map(MetadataHashValue::from).map_err(to_guest)
    }

    async fn metadata_hash_at(
        &mut self,
        fd: Fd,
        flags: PathFlags,
        path: String,
    ) -> FsResult<MetadataHashValue> {
        let target = self.target_at("fs.identity", &fd, &path)?;
        if target.is_top {
            return Ok(Identity::TOP.into());
        }
        let live = async {
            let mut library = target.library()?;
            let (fd, path) = (library.fd(), target.relative.clone());
            library.view().metadata_hash_at(fd, flags, path).await.map(Identity::from).map_err(hidden)
        };
        let request = json!({ "path": target.path, "follow": follows(flags) });
        let hash = target.run.observe_file("fs.identity", request, live).await;
        hash.map(MetadataHashValue::from).map_err(to_guest)
    }
}

impl HostDirectoryEntryStream for RunState {
    async fn read_directory_entry(
        &mut self,
        stream: Resource<DirectoryEntryStream>,
    ) -> FsResult<Option<DirectoryEntry>> {
        let listing = self.table.get_mut(&Resource::<Listing>::new_borrow(stream.rep()))?;
        Ok(listing.next_entry().map(DirectoryEntry::from))
    }

    fn drop(&mut self, stream: Resource<DirectoryEntryStream>) -> wasmtime::Result<()> {
        self.table.delete(Resource::<Listing>::new_own(stream.rep()))?;
        Ok(())
    }
}

impl RunState {
    fn node(&self, fd: &Fd) -> FsResult<&Node> {
        Ok(self.table.get(&Resource::<Node>::new_borrow(fd.rep()))?)
    }

    fn push_node(&mut self, node: Node) -> Result<Fd, wasmtime::component::ResourceTableError> {
        Ok(Resource::new_own(self.table.push(node)?.rep()))
    }

    fn stream_of(&self, fd: &Fd) -> FsResult<StreamOf> {
        let node = self.node(fd)?;
        Ok(StreamOf { run: Arc::clone(&self.run), path: node.path.clone(), uses: Arc::clone(&node.uses) })
    }

    fn output_stream(
        &mut self,
        fd: Fd,
        make: impl FnOnce(&mut WasiFilesystemCtxView<'_>, Fd) -> FsResult<Resource<DynOutputStream>>,
    ) -> FsResult<Resource<DynOutputStream>> {
        let target = self.changing_target(&fd)?;
        if self.node(&fd)?.is_directory {
            return Err(ErrorCode::BadDescriptor.into());
        }
        if let Some(refusal) = target.refusal.clone() {
            let request = json!({ "path": target.path });
            let refused =
                target.run.file_step_now("fs.write", &target.path, request, || Err::<(), _>(refusal));
            refused.map_err(to_guest)?;
        }
        let inner = match &target.real {
            None => None,
            Some(real) => {
                let mut library = Library::of(real)?;
                let fd = library.fd();
                let stream = make(&mut library.view(), fd)?;
                Some(library.table.delete(stream)?)
            }
        };
        let stream: DynOutputStream = Box::new(TapedOutput { of: self.stream_of(&fd)?, inner });
        Ok(self.table.push(stream)?)
    }

    /// The file behind a descriptor.
    fn target(&self, fd: &Fd) -> FsResult<Target> {
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

    /// The same for a change of it, which a root for reading refuses.
    fn changing_target(&self, fd: &Fd) -> FsResult<Target> {
        let mut target = self.target(fd)?;
        target.refuse_change();
        Ok(target)
    }

    /// What a path leads to, seen from a descriptor. Outside the grants there is nothing; a file there that is opened
    /// by the guest's own code is denied.
    fn target_at(&self, op: &'static str, fd: &Fd, path: &str) -> FsResult<Target> {
        let mut target = self.located(op, fd, path)?;
        if target.root.is_none() && !target.is_top {
            target.refusal = Some(match (op, target.entered) {
                ("fs.open", true) => HostFailure::Denied(denied_open(&target.path, false)),
                _ => HostFailure::File(FileErrorCode(ErrorCode::NoEntry)),
            });
        }
        Ok(target)
    }

    /// What a path leads to that is made, changed or removed.
    fn changing_target_at(&self, op: &'static str, fd: &Fd, path: &str) -> FsResult<Target> {
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

/// What an operation is about.
struct Target {
    run: Arc<RunContext>,
    /// As the guest knows it, absolute.
    path: String,
    root: Option<usize>,
    /// Whether it is `/` itself.
    is_top: bool,
    /// The open file, or the open directory that `relative` starts at; `None` on a replay.
    real: Option<Descriptor>,
    relative: String,
    /// Why it is not done.
    refusal: Option<HostFailure>,
    /// Whether the guest's own code runs.
    entered: bool,
}

impl Target {
    /// Whether it counts as a capability operation: what start-up code looks for in vain does not.
    fn is_counted(&self) -> bool {
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

    /// The open directory itself, or why there is none.
    fn directory(&self) -> Result<Arc<std::fs::File>, HostFailure> {
        match &self.real {
            Some(Descriptor::Dir(directory)) => Ok(Arc::clone(&directory.dir)),
            Some(Descriptor::File(_)) => Err(HostFailure::File(FileErrorCode(ErrorCode::NotDirectory))),
            None => Err(HostFailure::Unavailable("there is no file".into())),
        }
    }

    /// The library over the open file, or why there is none.
    fn library(&self) -> Result<Library, HostFailure> {
        if let Some(refusal) = &self.refusal {
            return Err(refusal.clone());
        }
        let real = self.real.as_ref().ok_or_else(|| HostFailure::Unavailable("there is no file".into()))?;
        Library::of(real).map_err(failure)
    }

    /// An error of the library; the one for a path that leads out of its root is a denial.
    fn escaped(&self, error: FsError) -> HostFailure {
        match failure(error) {
            HostFailure::File(FileErrorCode(ErrorCode::NotPermitted)) if self.entered => {
                HostFailure::Denied(denied_escape(&self.path))
            }
            other => other,
        }
    }

    async fn step(
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

/// The library's side of one operation: a table of its own with the open file in it.
struct Library {
    ctx: WasiFilesystemCtx,
    table: ResourceTable,
    fd: u32,
}

impl Library {
    fn of(real: &Descriptor) -> FsResult<Self> {
        let mut table = ResourceTable::new();
        let fd = table.push(real.clone())?.rep();
        Ok(Self { ctx: WasiFilesystemCtx::default(), table, fd })
    }

    /// Adds the other file of an operation on two.
    fn and(&mut self, other: &Target) -> Result<Fd, HostFailure> {
        if let Some(refusal) = &other.refusal {
            return Err(refusal.clone());
        }
        let real = other.real.clone().ok_or_else(|| HostFailure::Unavailable("there is no file".into()))?;
        let fd = self.table.push(real).map_err(|error| failure(error.into()))?;
        Ok(Resource::new_borrow(fd.rep()))
    }

    fn fd(&self) -> Fd {
        Resource::new_borrow(self.fd)
    }

    fn view(&mut self) -> WasiFilesystemCtxView<'_> {
        WasiFilesystemCtxView { ctx: &mut self.ctx, table: &mut self.table }
    }
}

/// Opens files and directories only: a FIFO would hold a thread, a device is not data.
async fn open_plain(
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

fn follows(flags: PathFlags) -> bool {
    flags.contains(PathFlags::SYMLINK_FOLLOW)
}

fn failure(error: FsError) -> HostFailure {
    match error.downcast() {
        Ok(code) => HostFailure::File(FileErrorCode(code)),
        Err(error) => HostFailure::Unavailable(error.to_string()),
    }
}

/// A look at what lies outside a granted root finds nothing.
fn hidden(error: FsError) -> HostFailure {
    match failure(error) {
        HostFailure::File(FileErrorCode(ErrorCode::NotPermitted)) => {
            HostFailure::File(FileErrorCode(ErrorCode::NoEntry))
        }
        other => other,
    }
}

fn to_guest(failure: HostFailure) -> FsError {
    match failure {
        HostFailure::File(FileErrorCode(code)) => code.into(),
        HostFailure::Denied(_) => ErrorCode::NotPermitted.into(),
        HostFailure::Quota { .. } => ErrorCode::Quota.into(),
        HostFailure::Invalid(_) => ErrorCode::Invalid.into(),
        HostFailure::Stopped => FsError::trap(ReplayStopped),
        HostFailure::TimedOut | HostFailure::Unavailable(_) => ErrorCode::Io.into(),
    }
}
