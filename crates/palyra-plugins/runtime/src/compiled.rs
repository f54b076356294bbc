//! The only module that loads compiled code.
//!
//! Deserialising trusts its bytes completely, so the loaded bytes are only ever (a) the output of this runtime's
//! compiler, or (b) a cache file whose keyed MAC was verified over the same bytes. In both cases the bytes are first
//! copied into a sealed memory file, which not even this process can change between the check and the load.
#![allow(unsafe_code, reason = "loading compiled code is unsafe by nature; the argument is above")]

use crate::module::ModuleKind;
use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, memfd_create};
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsRawFd;
use wasmtime::component::Component;
use wasmtime::{Engine, Module};

/// Code in a sealed memory file, verified by the creator of this value.
pub(crate) struct TrustedCode(File);

impl TrustedCode {
    /// Returns the size of the code; 0 if the system does not report it.
    pub(crate) fn bytes(&self) -> u64 {
        self.0.metadata().map_or(0, |metadata| metadata.len())
    }
}

/// A file being written. It becomes [`TrustedCode`] when its creator has checked every byte.
pub(crate) struct CodeBuffer(File);

impl CodeBuffer {
    pub(crate) fn new() -> io::Result<Self> {
        let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
        Ok(Self(memfd_create("palyra-code", flags)?.into()))
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.0.write_all(bytes)
    }

    /// Seals the bytes. The caller must have checked all of them.
    pub(crate) fn seal_checked(self) -> io::Result<TrustedCode> {
        fcntl_add_seals(&self.0, SealFlags::WRITE | SealFlags::GROW | SealFlags::SHRINK | SealFlags::SEAL)?;
        Ok(TrustedCode(self.0))
    }
}

/// A loaded module or component.
pub(crate) enum Code {
    Component(Component),
    Core(Module),
}

/// Maps sealed code into an engine.
pub(crate) fn load(engine: &Engine, kind: ModuleKind, code: &TrustedCode) -> wasmtime::Result<Code> {
    // The descriptor is ours and stays open for the call, so the path names exactly the sealed bytes.
    let path = format!("/proc/self/fd/{}", code.0.as_raw_fd());
    // SAFETY: `TrustedCode` holds bytes that our own compiler made, unchanged: see the module's text.
    // The file is sealed against writing, growing and shrinking, so the mapping cannot change either.
    unsafe {
        match kind {
            ModuleKind::Component => Component::deserialize_file(engine, path).map(Code::Component),
            ModuleKind::Core => Module::deserialize_file(engine, path).map(Code::Core),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sealed_code_cannot_be_written() {
        let mut buffer = CodeBuffer::new().unwrap();
        buffer.write(b"code").unwrap();
        let code = buffer.seal_checked().unwrap();
        assert!((&code.0).write_all(b"x").is_err());
        assert!(code.0.set_len(0).is_err());
        let reopened = File::options().write(true).open(format!("/proc/self/fd/{}", code.0.as_raw_fd()));
        assert!(reopened.is_err() || reopened.unwrap().write_all(b"x").is_err());
    }
}
