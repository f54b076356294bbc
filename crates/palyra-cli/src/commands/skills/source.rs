//! Builds the modules of a skill from source into `modules/`.

use crate::error::CliError;
use crate::output::{Printer, Remark};
use crate::progress::with_progress_blocking;
use palyra_plugins_guestkit::{BuildOptions, BuiltGuest, Kit, build_guest, find_guests};
use palyra_skills::constants::MODULES_PREFIX;
use serde::Serialize;
use std::path::Path;
use std::time::{Duration, Instant};

/// A module that is up to date with its source.
#[derive(Serialize)]
pub(super) struct BuiltModule {
    /// Path of the module in the skill.
    pub(super) module: String,
    pub(super) language: String,
    pub(super) bytes: u64,
    /// True if nothing changed since an earlier build.
    pub(super) unchanged: bool,
    #[serde(rename = "took_ms", serialize_with = "as_milliseconds")]
    pub(super) took: Duration,
}

/// Builds every guest of a skill: the directory with a `guest.toml`, or the directories below it with one.
pub(super) fn build_modules(
    directory: &Path,
    force: bool,
    printer: &Printer,
) -> Result<Vec<BuiltModule>, CliError> {
    let guests = find_guests(directory, &[directory.to_path_buf()])?;
    if guests.is_empty() {
        return Err(CliError::Usage {
            message: format!("there is no `guest.toml` in `{}`", directory.display()),
            hints: vec![
                "create it, for example with `lang = \"js\"` and `name = \"hello\"`".into(),
                "create a whole skill with `palyra skills new DIR --lang js`".into(),
            ],
        });
    }
    let output = *printer;
    let kit = Kit::from_env(move |step| output.remark_over_progress(Remark::Note(step.to_owned())))?;
    let one = |guest| {
        let module = format!("{MODULES_PREFIX}{}.wasm", palyra_plugins_guestkit::Guest::name(guest));
        let options = BuildOptions { out: Some(directory.join(&module)), force };
        let started = Instant::now();
        let what = format!("building {module}");
        let built = with_progress_blocking(&what, printer.terminal(), || build_guest(&kit, guest, &options))?;
        let BuiltGuest { language, size, from_cache, .. } = built;
        Ok(BuiltModule {
            module,
            language: language.to_string(),
            bytes: size as u64,
            unchanged: from_cache,
            took: started.elapsed(),
        })
    };
    guests.iter().map(one).collect()
}

/// Returns whether a directory has sources to build, rather than only modules built elsewhere.
pub(super) fn has_source(directory: &Path) -> bool {
    find_guests(directory, &[directory.to_path_buf()]).map_or(true, |guests| !guests.is_empty())
}

fn as_milliseconds<S: serde::Serializer>(duration: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(u64::try_from(duration.as_millis()).unwrap_or(u64::MAX))
}
