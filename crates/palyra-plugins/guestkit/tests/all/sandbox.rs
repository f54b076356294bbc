//! A temporary project and cache.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use palyra_plugins_guestkit::{
    BuildOptions, BuiltGuest, Guest, GuestkitError, Kit, WantedRoute, build_guest,
};

pub(crate) struct Sandbox {
    directory: tempfile::TempDir,
}

impl Sandbox {
    /// A project with one guest, `tests/guests/tiny`.
    pub(crate) fn new() -> Self {
        let sandbox = Self { directory: tempfile::tempdir().unwrap() };
        sandbox.write("Cargo.toml", "");
        sandbox.write("tests/guests/tiny/guest.toml", "lang = \"wat\"\nname = \"tiny\"\n");
        sandbox.write("tests/guests/tiny/guest.wat", "(module (func (export \"one\")))");
        sandbox
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        // Guests know their real path, and a temporary directory may be behind a link.
        self.directory.path().canonicalize().unwrap().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub(crate) fn guest(&self) -> Guest {
        Guest::read(&self.path("tests/guests/tiny")).unwrap()
    }

    pub(crate) fn build(&self, options: &BuildOptions) -> Result<BuiltGuest, GuestkitError> {
        build_guest(&self.kit(), &self.guest(), options)
    }

    /// The program itself, in the project's root.
    pub(crate) fn guestkit(&self, arguments: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_guestkit"))
            .args(arguments)
            .current_dir(self.directory.path())
            .env("PALYRA_CACHE_DIR", self.cache())
            .env_remove("PALYRA_GUEST_ROUTE")
            .output()
            .unwrap()
    }

    fn kit(&self) -> Kit {
        Kit::new(self.cache(), WantedRoute::Auto, |_| {})
    }

    fn cache(&self) -> PathBuf {
        self.directory.path().join("cache")
    }
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// The root of the project these tests belong to.
pub(crate) fn real_project() -> PathBuf {
    palyra_plugins_guestkit::project_root(Path::new(env!("CARGO_MANIFEST_DIR")))
}
