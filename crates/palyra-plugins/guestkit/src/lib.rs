//! Builds WebAssembly guests from source, on a machine that may have only Rust, Node and Python.
//!
//! A guest is a directory with a `guest.toml`. [`build_guest`] turns it into one `.wasm` file, installs
//! the tools of its language into a private cache, and does nothing if no input changed.

#![forbid(unsafe_code)]

mod apt;
mod build;
mod c_bindings;
mod cache;
mod component;
mod contract;
mod discover;
mod doctor;
mod error;
mod guest;
mod inspect;
mod kit;
mod languages;
mod process;
mod rust_route;
mod sdk;

pub use build::{BuildOptions, BuiltGuest, build_guest, build_guests};
pub use c_bindings::write_c_bindings;
pub use component::encode_component;
pub use discover::{find_guests, project_root};
pub use doctor::{Finding, diagnose};
pub use error::GuestkitError;
pub use guest::{Guest, Language};
pub use inspect::{GuestShape, WasmKind, inspect_wasm};
pub use kit::Kit;
pub use rust_route::{Refusal, Route, WantedRoute};
pub use sdk::{sdk_files, sdk_lock_file};
