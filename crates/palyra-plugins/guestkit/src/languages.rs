//! One recipe per language: the inputs of a guest, and how it is built.

mod build_settings;
mod c;
mod fixed_inputs;
mod javascript;
mod python;
mod python_tools;
mod rust;
mod rust_inputs;
mod source_lines;
mod stable_metadata;
mod wat;

pub(crate) use build_settings::without_build_settings;
pub(crate) use javascript::find_node;
pub(crate) use python_tools::find_python;

use crate::cache::InputHasher;
use crate::contract;
use crate::error::GuestkitError;
use crate::guest::{Guest, Language};
use crate::kit::Kit;

/// Incremented when a recipe or encoder produces another result from the same source.
const RECIPE: &str = "3";

/// Returns the hash of all inputs that determine the built guest.
pub(crate) fn input_key(kit: &Kit, guest: &Guest) -> Result<String, GuestkitError> {
    let mut hasher = InputHasher::new();
    hasher.add("recipe", RECIPE.as_bytes());
    hasher.add("language", guest.language().to_string().as_bytes());
    hasher.add("world", guest.world().as_bytes());
    hasher.add("contract", contract::WIT.as_bytes());
    match guest.language() {
        Language::Rust => rust::add_inputs(kit, guest, &mut hasher)?,
        Language::C => hasher.add("tools", c::TOOLS.as_bytes()),
        Language::Js | Language::Ts => {
            hasher.add("tools", javascript::TOOLS_LOCK.as_bytes());
            hasher.add("fixed inputs", fixed_inputs::SOURCE.as_bytes());
            hasher.add("random", javascript::RANDOM_WIT.as_bytes());
            for (name, text) in javascript::WRAPPER {
                hasher.add(name, text.as_bytes());
            }
        }
        Language::Python => {
            hasher.add("tools", python::TOOLS.as_bytes());
            hasher.add("wrapper", python::WRAPPER.as_bytes());
        }
        Language::Wat => {}
    }
    hasher.add_directory(guest.directory())?;
    Ok(hasher.finish())
}

/// Builds the guest, which can take minutes.
pub(crate) fn build(kit: &Kit, guest: &Guest) -> Result<Vec<u8>, GuestkitError> {
    match guest.language() {
        Language::Rust => rust::build(kit, guest),
        Language::C => c::build(kit, guest),
        Language::Js | Language::Ts => javascript::build(kit, guest),
        Language::Python => python::build(kit, guest),
        Language::Wat => wat::build(guest),
    }
}
