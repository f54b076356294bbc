//! The context of a run of guestkit: cache, compiler route and progress output.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use palyra_common::env_vars::PALYRA_GUEST_ROUTE;

use crate::cache::{Cache, cache_root};
use crate::error::GuestkitError;
use crate::rust_route::{RustToolchain, WantedRoute, find_rust_toolchain, toolchain_file};

/// The context of a run of guestkit.
pub struct Kit {
    cache: Cache,
    wanted_route: WantedRoute,
    tell: Box<dyn Fn(&str)>,
    /// The compiler per `rust-toolchain.toml`, because that file determines which one rustup runs.
    rust: RefCell<BTreeMap<Option<PathBuf>, RustToolchain>>,
}

impl Kit {
    /// Creates a context from the environment variables. `tell` is called with a message for every long step.
    pub fn from_env(tell: impl Fn(&str) + 'static) -> Result<Self, GuestkitError> {
        let cache = cache_root(|name| std::env::var_os(name))?;
        let wanted_route = match std::env::var(PALYRA_GUEST_ROUTE) {
            Ok(value) => value.parse()?,
            Err(_) => WantedRoute::Auto,
        };
        Ok(Self::new(cache, wanted_route, tell))
    }

    /// Creates a context from explicit settings. `tell` is called with a message for every long step.
    pub fn new(cache: PathBuf, wanted_route: WantedRoute, tell: impl Fn(&str) + 'static) -> Self {
        Self { cache: Cache::new(cache), wanted_route, tell: Box::new(tell), rust: RefCell::default() }
    }

    pub(crate) fn cache(&self) -> &Cache {
        &self.cache
    }

    pub(crate) fn wanted_route(&self) -> WantedRoute {
        self.wanted_route
    }

    pub(crate) fn tell(&self) -> &dyn Fn(&str) {
        &self.tell
    }

    pub(crate) fn say(&self, message: &str) {
        (self.tell)(message);
    }

    /// Returns the compiler for a Rust guest in `directory`, and caches it.
    pub(crate) fn rust_toolchain(&self, directory: &Path) -> Result<RustToolchain, GuestkitError> {
        let file = toolchain_file(directory);
        if let Some(known) = self.rust.borrow().get(&file) {
            return Ok(known.clone());
        }
        let toolchain = find_rust_toolchain(self, directory)?;
        self.rust.borrow_mut().insert(file, toolchain.clone());
        Ok(toolchain)
    }
}
