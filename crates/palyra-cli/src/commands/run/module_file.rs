//! `--module`.

use crate::error::{CliError, sentence};
use crate::files::{FileError, read_file};
use palyra_common::WasmPluginRunError;
use palyra_common::redact::escape_untrusted;
use palyra_plugins_guestkit::encode_component;
use std::error::Error;
use std::path::Path;
use wasmparser::{Parser, Payload};

/// The bytes of a module as they are hashed and compiled.
pub(super) struct ModuleFile {
    /// Name of the file for messages.
    pub(super) name: String,
    pub(super) bytes: Vec<u8>,
}

impl ModuleFile {
    /// Reads a module. Converts the text of a `.wat` file to binary, and a core module with an embedded component type,
    /// as `cargo build` makes of a crate that uses the SDK, to a component.
    pub(super) fn read(path: &Path, most: u64) -> Result<Self, CliError> {
        let bytes = read_file(path, most).map_err(|error| match error {
            FileError::TooLong { bytes, most, .. } => {
                WasmPluginRunError::invalid_module(format!("it has {bytes} bytes, more than {most}")).into()
            }
            FileError::NotRegular(_) => CliError::usage(error.to_string()),
            error => error.into(),
        })?;
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        let is_text = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("wat"));
        let bytes = if is_text { to_binary(path, &bytes)? } else { bytes };
        let bytes = if has_component_type(&bytes) { to_component(&bytes, most)? } else { bytes };
        Ok(Self { name, bytes })
    }
}

fn to_binary(path: &Path, text: &[u8]) -> Result<Vec<u8>, CliError> {
    let binary = wat::Parser::new().parse_bytes(Some(path), text).map(std::borrow::Cow::into_owned);
    binary.map_err(|error| WasmPluginRunError::invalid_module(one_line(&error.to_string())).into())
}

/// Returns whether `bytes` are a core module with embedded bindings of a WIT world.
///
/// A module that cannot be parsed is left to the loader, which reports the error.
fn has_component_type(bytes: &[u8]) -> bool {
    Parser::is_core_wasm(bytes)
        && Parser::new(0).parse_all(bytes).map_while(Result::ok).any(|payload| {
            matches!(payload, Payload::CustomSection(section) if section.name().starts_with("component-type"))
        })
}

/// Encodes a core module as the component it describes; `most` limits the file and the result.
fn to_component(core: &[u8], most: u64) -> Result<Vec<u8>, CliError> {
    let component = encode_component(core).map_err(|error| {
        let cause = error.source().map(|cause| format!(": {}", sentence(cause))).unwrap_or_default();
        let reason = format!("it cannot be encoded as a component{}", escape_untrusted(&cause));
        CliError::from(WasmPluginRunError::invalid_module(reason))
    })?;
    if component.len() as u64 > most {
        let reason = format!("as a component it has {} bytes, more than {most}", component.len());
        return Err(WasmPluginRunError::invalid_module(reason).into());
    }
    Ok(component)
}

/// Reduces a parser error with a drawing to its message and `file:line:column`.
fn one_line(drawn: &str) -> String {
    let mut lines = drawn.lines().map(str::trim);
    let message = lines.next().unwrap_or_default();
    match lines.find_map(|line| line.strip_prefix("--> ")) {
        Some(place) => format!("{message} at {place}"),
        None => message.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(name: &str, content: &[u8]) -> Result<Vec<u8>, String> {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(name);
        std::fs::write(&path, content).unwrap();
        let shorter =
            |error: CliError| error.to_string().replace(&directory.path().display().to_string(), "DIR");
        ModuleFile::read(&path, 100).map(|module| module.bytes).map_err(shorter)
    }

    #[test]
    fn text_becomes_binary() {
        let binary = b"\0asm\x01\0\0\0";
        assert_eq!(read("a.wat", b"(module)").unwrap(), binary);
        assert_eq!(read("a.wasm", binary).unwrap(), binary);
        assert_eq!(read("a.wasm", b"(module)").unwrap(), b"(module)");
        assert_eq!(
            read("a.wat", b"(module\n  (funk))").unwrap_err(),
            "invalid module: expected valid module field at DIR/a.wat:2:4"
        );
    }

    fn core_with_component_type(wat: &str) -> Vec<u8> {
        let mut resolve = wit_parser::Resolve::default();
        let package = resolve.push_str("t.wit", "package t:t; world w { export add: func(); }").unwrap();
        let world = resolve.select_world(&[package], None).unwrap();
        let mut core = wat::parse_str(wat).unwrap();
        let encoding = wit_component::StringEncoding::UTF8;
        wit_component::embed_component_metadata(&mut core, &resolve, world, encoding).unwrap();
        core
    }

    #[test]
    fn core_module_with_component_type_becomes_component() {
        let core = core_with_component_type(r#"(module (func (export "add")))"#);
        assert!(Parser::is_component(&to_component(&core, 10_000).unwrap()));
        let error = to_component(&core, 50).unwrap_err().to_string();
        assert!(error.ends_with("bytes, more than 50"), "{error}");
        let error = to_component(&core_with_component_type("(module)"), 10_000).unwrap_err().to_string();
        assert!(error.starts_with("invalid module: it cannot be encoded as a component"), "{error}");
    }

    #[test]
    fn length_is_bounded() {
        assert_eq!(read("a.wasm", &[0; 101]).unwrap_err(), "invalid module: it has 101 bytes, more than 100");
    }
}
