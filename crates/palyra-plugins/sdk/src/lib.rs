//! The guest library of Palyra, and the only source of the contract's names.
//!
//! A Rust guest is a `cdylib` for `wasm32-unknown-unknown` whose functions carry [`macro@tool`] or
//! [`macro@hook`] and are registered with [`plugin!`]; the same crate builds natively, where the wrappers
//! talk to [`testing::Harness`]. The guide for authors is `docs/sdk-rust.md`.
//!
//! Without the feature `guest` the crate contains only [`abi`] and has no dependencies, as the host uses it.
#![cfg_attr(not(all(target_arch = "wasm32", feature = "heap")), forbid(unsafe_code))]
// The macros refer to this crate by name, also in its own tests.
extern crate self as palyra_plugins_sdk;

pub mod abi;

#[cfg(feature = "guest")]
mod guest;
#[cfg(feature = "guest")]
pub use guest::*;

#[cfg(all(target_arch = "wasm32", feature = "heap"))]
mod heap;

/// Compiles the examples of the guide as doc tests.
#[cfg(all(doctest, feature = "guest"))]
#[doc = include_str!("../../../../docs/sdk-rust.md")]
struct Guide;
