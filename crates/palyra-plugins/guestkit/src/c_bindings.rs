//! C bindings for a world: a header, a source file, and an object that carries the WIT.

use std::path::{Path, PathBuf};

use wit_bindgen_core::Files;
use wit_parser::{Resolve, WorldId};

use crate::cache::write_whole;
use crate::contract;
use crate::error::GuestkitError;

/// Writes the bindings for `world` of the WIT file or directory `wit` into `out`, and returns the files.
pub fn write_c_bindings(wit: &Path, world: &str, out: &Path) -> Result<Vec<PathBuf>, GuestkitError> {
    let fail = |source: Box<dyn std::error::Error + Send + Sync>| GuestkitError::Wit {
        world: world.to_owned(),
        source,
    };
    let mut resolve = Resolve::default();
    let (package, _) = resolve.push_path(wit).map_err(|error| fail(error.into()))?;
    let id = resolve.select_world(&[package], Some(world)).map_err(|error| fail(error.into()))?;
    generate(resolve, id, world, out)
}

/// Like [`write_c_bindings`], for a world of the compiled-in contract.
pub(crate) fn write_contract_bindings(world: &str, out: &Path) -> Result<Vec<PathBuf>, GuestkitError> {
    let (resolve, id) = contract::resolve_world(world)?;
    generate(resolve, id, world, out)
}

fn generate(
    mut resolve: Resolve,
    id: WorldId,
    world: &str,
    out: &Path,
) -> Result<Vec<PathBuf>, GuestkitError> {
    let mut files = Files::default();
    wit_bindgen_c::Opts::default()
        .build()
        .generate(&mut resolve, id, &mut files)
        .map_err(|error| GuestkitError::Wit { world: world.to_owned(), source: error.into() })?;
    files
        .iter()
        .map(|(name, content)| {
            let path = out.join(name);
            write_whole(&path, content)?;
            Ok(path)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_contract_gives_a_header_a_source_and_an_object() {
        let out = tempfile::tempdir().unwrap();
        let files = write_contract_bindings("tool-plugin", out.path()).unwrap();
        let mut names: Vec<_> = files.iter().map(|path| path.file_name().unwrap().to_owned()).collect();
        names.sort();
        assert_eq!(names, ["tool_plugin.c", "tool_plugin.h", "tool_plugin_component_type.o"]);
        let header = std::fs::read_to_string(out.path().join("tool_plugin.h")).unwrap();
        assert!(header.contains("exports_palyra_plugin_tools_invoke"), "{header}");
    }

    #[test]
    fn an_unknown_world_is_refused_and_writes_nothing() {
        let out = tempfile::tempdir().unwrap();
        let wit = out.path().join("t.wit");
        std::fs::write(&wit, "package t:t; world w { export f: func(); }").unwrap();
        let bindings = out.path().join("bindings");
        assert!(matches!(write_c_bindings(&wit, "v", &bindings), Err(GuestkitError::Wit { .. })));
        assert!(!bindings.exists());
        assert_eq!(write_c_bindings(&wit, "w", &bindings).unwrap().len(), 3);
    }
}
