//! `wasi:filesystem`: the host side of every descriptor.

mod library;
mod target;

use self::library::{Library, failure, hidden, open_plain, to_guest};
use super::Node;
use super::listing::{Listing, read_entries};
use super::streams::{FileStreamError, StreamOf, TapedInput, TapedOutput};
use super::taped::{Entry, Identity, Kind, Opened, Stat, flag_bits, flags_of, new_time};
use crate::run_context::{Blob, FileErrorCode, HostFailure, taped_bytes};
use crate::run_state::RunState;
use serde_json::json;
use std::sync::Arc;
use wasmtime::component::Resource;
use wasmtime_wasi::filesystem::{Descriptor, WasiFilesystemCtxView};
use wasmtime_wasi::p2::bindings::filesystem::preopens;
use wasmtime_wasi::p2::bindings::filesystem::types::{
    self, Advice, DescriptorFlags, DescriptorStat, DescriptorType, DirectoryEntry, DirectoryEntryStream,
    ErrorCode, Filesize, HostDescriptor, HostDirectoryEntryStream, MetadataHashValue, NewTimestamp,
    OpenFlags, PathFlags,
};
use wasmtime_wasi::p2::{DynInputStream, DynOutputStream, FsError, FsResult};

type Fd = Resource<Descriptor>;

/// Calls the library with the open file of a target, and with the path below it if `call` takes one.
/// A refused target is not called. `escaped` converts the error of a change whose path leaves its root.
macro_rules! library_call {
    ($target:ident, escaped, $($call:tt)*) => {
        library_call!($target, |error| $target.escaped(error), $($call)*)
    };
    ($target:ident, $failed:expr, |$files:ident, $fd:ident $(, $path:ident)?| $call:expr $(, $convert:expr)?) => {
        async {
            let mut library = $target.library()?;
            let ($fd, mut $files) = (library.fd(), library.view());
            $(let $path = $target.relative.clone();)?
            $call.await$(.map($convert))?.map_err($failed)
        }
    };
}

impl preopens::Host for RunState {
    fn get_directories(&mut self) -> wasmtime::Result<Vec<(Fd, String)>> {
        let run = Arc::clone(&self.run);
        let mut directories = Vec::with_capacity(run.grants.filesystem().len() + 1);
        for (index, grant) in run.grants.filesystem().iter().enumerate() {
            let (path, real) = (format!("/{}", grant.root), self.granted_root(index));
            let node = Node { path: path.clone(), root: Some(index), real, ..Node::top() };
            directories.push((self.push_node(node)?, path));
        }
        // A version 1 run had no `/`, so its replay must not list it either.
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
        let live = library_call!(target, failure, |files, fd| files.advise(fd, offset, length, advice));
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
        let live = library_call!(target, failure, |files, fd| files.get_flags(fd), flag_bits);
        let flags = target.run.observe_file("fs.flags", json!({ "path": target.path }), live).await;
        flags.map(flags_of).map_err(to_guest)
    }

    async fn get_type(&mut self, fd: Fd) -> FsResult<DescriptorType> {
        // Only directories and regular files are ever opened.
        Ok(if self.node(&fd)?.is_directory { DescriptorType::Directory } else { DescriptorType::RegularFile })
    }

    async fn set_size(&mut self, fd: Fd, size: Filesize) -> FsResult<()> {
        let target = self.changing_target(&fd)?;
        let live = library_call!(target, failure, |files, fd| files.set_size(fd, size));
        target.step("fs.set_size", json!({ "path": target.path, "bytes": size }), live).await
    }

    async fn set_times(&mut self, fd: Fd, accessed: NewTimestamp, modified: NewTimestamp) -> FsResult<()> {
        let target = self.changing_target(&fd)?;
        let request =
            json!({ "path": target.path, "accessed": new_time(&accessed), "modified": new_time(&modified) });
        let live = library_call!(target, failure, |files, fd| files.set_times(fd, accessed, modified));
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
        let live = library_call!(target, failure, |files, fd| files.write(fd, bytes, offset));
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
        let live = library_call!(target, failure, |files, fd| files.sync(fd));
        target.run.observe_file("fs.sync", json!({ "path": target.path }), live).await.map_err(to_guest)
    }

    async fn create_directory_at(&mut self, fd: Fd, path: String) -> FsResult<()> {
        let target = self.changing_target_at("fs.create_directory", &fd, &path)?;
        let live = library_call!(target, escaped, |files, fd, path| files.create_directory_at(fd, path));
        target.step("fs.create_directory", json!({ "path": target.path }), live).await
    }

    async fn stat(&mut self, fd: Fd) -> FsResult<DescriptorStat> {
        let target = self.target(&fd)?;
        if target.is_top {
            return Ok(Stat::TOP.into());
        }
        let live = library_call!(target, failure, |files, fd| files.stat(fd), Stat::from);
        let stat = target.run.observe_file("fs.stat", json!({ "path": target.path }), live).await;
        stat.map(DescriptorStat::from).map_err(to_guest)
    }

    async fn stat_at(&mut self, fd: Fd, flags: PathFlags, path: String) -> FsResult<DescriptorStat> {
        let target = self.target_at("fs.stat", &fd, &path)?;
        if target.is_top {
            return Ok(Stat::TOP.into());
        }
        let live =
            library_call!(target, hidden, |files, fd, path| files.stat_at(fd, flags, path), Stat::from);
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
        let live = library_call!(target, escaped, |files, fd, path| files
            .set_times_at(fd, flags, path, accessed, modified));
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
        let live = library_call!(target, hidden, |files, fd, path| files.readlink_at(fd, path));
        target.run.observe_file("fs.readlink", json!({ "path": target.path }), live).await.map_err(to_guest)
    }

    async fn remove_directory_at(&mut self, fd: Fd, path: String) -> FsResult<()> {
        let target = self.changing_target_at("fs.remove_directory", &fd, &path)?;
        let live = library_call!(target, escaped, |files, fd, path| files.remove_directory_at(fd, path));
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
        let live = library_call!(target, escaped, |files, fd, path| files.symlink_at(fd, old_path, path));
        target.step("fs.symlink", request, live).await
    }

    async fn unlink_file_at(&mut self, fd: Fd, path: String) -> FsResult<()> {
        let target = self.changing_target_at("fs.unlink", &fd, &path)?;
        let live = library_call!(target, escaped, |files, fd, path| files.unlink_file_at(fd, path));
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
        let live = library_call!(target, failure, |files, fd| files.metadata_hash(fd), Identity::from);
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
        let live = library_call!(
            target,
            hidden,
            |files, fd, path| files.metadata_hash_at(fd, flags, path),
            Identity::from
        );
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
}

fn follows(flags: PathFlags) -> bool {
    flags.contains(PathFlags::SYMLINK_FOLLOW)
}
