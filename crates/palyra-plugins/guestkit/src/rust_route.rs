//! Routes to a Rust compiler for WebAssembly, tried in order until one works.
//!
//! The target may be installed already, rustup may add it, or Debian packages provide a compiler and the sources of its
//! standard library, which is then built once into a separate sysroot.

mod debian;
mod installed;
mod pick;
mod programs;
mod rustup;
mod sysroot;

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use serde::Serialize;

use crate::error::GuestkitError;
use crate::kit::Kit;
pub(crate) use debian::DebianFiles;
pub(crate) use programs::{Programs, has_standard_library};

/// The compilation target of Rust guests. It has no WASI imports, so a guest imports only what it uses.
pub(crate) const TARGET: &str = "wasm32-unknown-unknown";

/// The Debian packages for [`Route::Debian`].
pub(crate) const DEBIAN_PACKAGES: &[&str] =
    &["rustc-web", "cargo-web", "rust-web-src", "libstd-rust-web-dev", "lld-22"];

/// A route to a Rust compiler.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Route {
    /// The compiler on `PATH` has the target.
    Installed,
    /// rustup adds the target.
    Rustup,
    /// Debian packages provide the compiler, and the standard library is built once.
    Debian,
}

/// The routes that may be tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WantedRoute {
    /// Every route, in order.
    #[default]
    Auto,
    /// Only this route.
    Only(Route),
}

/// The reason why a route failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The route that failed.
    pub route: Route,
    /// The reason, as text for display.
    pub reason: String,
}

/// A compiler for Rust guests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RustToolchain {
    /// The route by which it was found.
    pub(crate) route: Route,
    /// The path of `cargo`.
    pub(crate) cargo: PathBuf,
    /// The path of `rustc`.
    pub(crate) rustc: PathBuf,
    /// The output of `rustc -vV`, an input of every Rust guest.
    pub(crate) version: String,
    /// The separately built standard library, for [`Route::Debian`].
    pub(crate) own_library: Option<OwnLibrary>,
}

/// The parts that a compiler without the target needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OwnLibrary {
    pub(crate) sysroot: PathBuf,
    pub(crate) linker: PathBuf,
}

/// Returns the compiler of the first permitted route that works for a guest in `directory`.
pub(crate) fn find_rust_toolchain(kit: &Kit, directory: &Path) -> Result<RustToolchain, GuestkitError> {
    let programs = Programs::on_path(directory);
    pick::first_working(kit.wanted_route(), |route| match route {
        Route::Installed => installed::attempt(&programs),
        Route::Rustup => rustup::attempt(&programs, kit.tell()),
        Route::Debian => debian::attempt(kit, &DebianFiles::below(Path::new("/"))),
    })
}

/// Returns the file that selects rustup's toolchain in `directory`, if there is one.
pub(crate) fn toolchain_file(directory: &Path) -> Option<PathBuf> {
    directory
        .ancestors()
        .flat_map(|ancestor| [ancestor.join("rust-toolchain.toml"), ancestor.join("rust-toolchain")])
        .find(|path| path.is_file())
}

impl FromStr for WantedRoute {
    type Err = GuestkitError;

    fn from_str(value: &str) -> Result<Self, GuestkitError> {
        match value {
            "" | "auto" => Ok(Self::Auto),
            "installed" => Ok(Self::Only(Route::Installed)),
            "rustup" => Ok(Self::Only(Route::Rustup)),
            "debian" => Ok(Self::Only(Route::Debian)),
            other => Err(GuestkitError::UnknownRoute { value: other.to_owned() }),
        }
    }
}

impl fmt::Display for Route {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Installed => "installed",
            Self::Rustup => "rustup",
            Self::Debian => "debian",
        })
    }
}
