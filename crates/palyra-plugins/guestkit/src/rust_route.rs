//! Ways to get a Rust compiler that can make WebAssembly, tried in order until one works.
//!
//! The target may be installed already, rustup may add it, or Debian's packages bring a compiler and the
//! sources of its standard library, which is then built once into a sysroot of our own.

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

/// The compilation target of Rust guests: it has no WASI imports, so a guest imports only what it asks for.
pub(crate) const TARGET: &str = "wasm32-unknown-unknown";

/// The Debian packages behind [`Route::Debian`].
pub(crate) const DEBIAN_PACKAGES: &[&str] =
    &["rustc-web", "cargo-web", "rust-web-src", "libstd-rust-web-dev", "lld-22"];

/// A way to a compiler.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Route {
    /// The compiler on PATH has the target.
    Installed,
    /// rustup adds the target.
    Rustup,
    /// Debian packages, and a standard library built once.
    Debian,
}

/// Which routes may be tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WantedRoute {
    /// All, in order.
    #[default]
    Auto,
    /// This one only.
    Only(Route),
}

/// Why one route did not work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The route.
    pub route: Route,
    /// The reason, for people.
    pub reason: String,
}

/// A compiler that can build Rust guests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RustToolchain {
    /// How it was found.
    pub(crate) route: Route,
    /// The cargo to run.
    pub(crate) cargo: PathBuf,
    /// The rustc to run.
    pub(crate) rustc: PathBuf,
    /// What `rustc -vV` says.
    pub(crate) version: String,
    /// A standard library of our own, for [`Route::Debian`].
    pub(crate) own_library: Option<OwnLibrary>,
}

/// Where a compiler without the target finds what it lacks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OwnLibrary {
    pub(crate) sysroot: PathBuf,
    pub(crate) linker: PathBuf,
}

/// The first wanted route that works for a guest in `directory`.
pub(crate) fn find_rust_toolchain(kit: &Kit, directory: &Path) -> Result<RustToolchain, GuestkitError> {
    let programs = Programs::on_path(directory);
    pick::first_working(kit.wanted_route(), |route| match route {
        Route::Installed => installed::attempt(&programs),
        Route::Rustup => rustup::attempt(&programs, kit.tell()),
        Route::Debian => debian::attempt(kit, &DebianFiles::below(Path::new("/"))),
    })
}

/// The file that tells rustup which compiler to run in `directory`.
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
