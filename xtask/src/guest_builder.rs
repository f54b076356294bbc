//! Builds guests in this process, with guestkit as a library.

use std::path::PathBuf;

use anyhow::Result;
use palyra_plugins_guestkit::{BuildOptions, BuiltGuest, Guest, Kit, build_guest, build_guests, find_guests};

use crate::{output, project};

/// Builds every guest of the project, including those of tests.
pub(crate) fn build_all(force: bool) -> Result<Vec<BuiltGuest>> {
    build_below(&[], force)
}

/// Builds the guests of the example skills.
pub(crate) fn build_examples(force: bool) -> Result<Vec<BuiltGuest>> {
    build_below(&[project::root().join("examples/skills")], force)
}

fn build_below(roots: &[PathBuf], force: bool) -> Result<Vec<BuiltGuest>> {
    let guests = find_guests(&project::root(), roots)?;
    Ok(build_guests(&kit()?, &guests, force)?)
}

/// Builds the guest in one directory of the project.
pub(crate) fn build_one(directory: &str) -> Result<BuiltGuest> {
    let guest = Guest::read(&project::root().join(directory))?;
    Ok(build_guest(&kit()?, &guest, &BuildOptions::default())?)
}

fn kit() -> Result<Kit> {
    Ok(Kit::from_env(output::say)?)
}
