//! `--module`.

use crate::error::CliError;
use crate::files::{FileError, read_file};
use palyra_common::WasmPluginRunError;
use std::path::Path;

/// A module as it will be hashed and compiled.
pub(super) struct ModuleFile {
    /// The file's name, for messages.
    pub(super) name: String,
    /// The binary.
    pub(super) bytes: Vec<u8>,
}

impl ModuleFile {
    /// Reads a module; the text of a `.wat` file is turned into its binary.
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
        Ok(Self { name, bytes })
    }
}

fn to_binary(path: &Path, text: &[u8]) -> Result<Vec<u8>, CliError> {
    let binary = wat::Parser::new().parse_bytes(Some(path), text).map(std::borrow::Cow::into_owned);
    binary.map_err(|error| WasmPluginRunError::invalid_module(one_line(&error.to_string())).into())
}

/// The parser draws the place below its message; the message and `file:line:column` say as much.
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
            "module is not acceptable: expected valid module field at DIR/a.wat:2:4"
        );
    }

    #[test]
    fn length_is_bounded() {
        assert_eq!(
            read("a.wasm", &[0; 101]).unwrap_err(),
            "module is not acceptable: it has 101 bytes, more than 100"
        );
    }
}
