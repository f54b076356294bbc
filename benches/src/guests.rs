//! The guests that are called, and their inputs.

use anyhow::{Context, Result};
use std::path::Path;
use std::sync::Arc;

/// Guests and inputs of all rows.
pub struct Guests {
    /// A component of a few kilobytes that returns its input.
    pub echo_component: Vec<u8>,
    /// QuickJS with a small script, as a component.
    pub javascript: Vec<u8>,
    /// A core module that returns its input.
    pub echo_core: Vec<u8>,
    /// JSON of 256 bytes.
    pub input_256: Arc<str>,
    /// A JSON object of 256 bytes.
    pub input_256_object: Arc<str>,
    /// JSON of 64 KiB: a document with a long text.
    pub input_64k: Arc<str>,
    /// JSON of 64 KiB: a list of small records.
    pub input_64k_records: Arc<str>,
    /// The smallest input of the JavaScript guest.
    pub input_javascript: Arc<str>,
}

impl Guests {
    /// Reads the guests that `cargo xtask guests` built, and creates the inputs.
    pub fn read() -> Result<Self> {
        Ok(Self {
            echo_component: built("bench-echo")?,
            javascript: built("slug-ts")?,
            echo_core: core(ECHO, 2)?,
            input_256: records(256).into(),
            input_256_object: document(256).into(),
            input_64k: document(64 << 10).into(),
            input_64k_records: records(64 << 10).into(),
            input_javascript: r#"{"title":"Hello, World"}"#.into(),
        })
    }
}

fn built(name: &str) -> Result<Vec<u8>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/guests").join(format!("{name}.wasm"));
    std::fs::read(&path)
        .with_context(|| format!("the guest `{name}` is missing: run `cargo xtask guests` first"))
}

/// Body of a module that returns its input.
const ECHO: &str = "
    (local.set $n (call $input_length))
    (drop (call $input_read (i32.const 0) (i32.const 0) (local.get $n)))
    (drop (call $output_write (i32.const 0) (local.get $n)))
    (i32.const 0)";

/// Returns a module that returns its input; each number gives different bytes.
pub fn numbered_echo(number: usize) -> Result<Vec<u8>> {
    core(&format!("(drop (i32.const {number})) {ECHO}"), 2)
}

/// Returns a module that never returns.
pub fn spinning() -> Result<Vec<u8>> {
    core("(loop (br 0)) (i32.const 0)", 1)
}

/// Returns a module that traps at once.
pub fn trapping() -> Result<Vec<u8>> {
    core("unreachable", 1)
}

/// Returns a module that checks all of its memory, returns `1` if a byte was not zero, and then fills the memory.
pub fn looking_for_stale_bytes(pages: u32) -> Result<Vec<u8>> {
    let bytes = pages * 65_536;
    let body = format!(
        "(local.set $at (i32.const 64))
         (block $done (loop $look
           (br_if $done (i32.ge_u (local.get $at) (i32.const {bytes})))
           (local.set $n (i32.or (local.get $n) (i64.ne (i64.load (local.get $at)) (i64.const 0))))
           (i64.store (local.get $at) (i64.const 0x5a5a5a5a5a5a5a5a))
           (local.set $at (i32.add (local.get $at) (i32.const 64)))
           (br $look)))
         (i32.store8 (i32.const 0) (i32.add (i32.const 48) (local.get $n)))
         (drop (call $output_write (i32.const 0) (i32.const 1)))
         (i32.const 0)"
    );
    core(&body, pages)
}

/// Returns a core module whose entry function has this body; `$n` and `$at` are free locals.
fn core(body: &str, pages: u32) -> Result<Vec<u8>> {
    let text = format!(
        r#"(module
          (import "palyra:plugin/io@1.0.0" "input-length" (func $input_length (result i32)))
          (import "palyra:plugin/io@1.0.0" "input-read" (func $input_read (param i32 i32 i32) (result i32)))
          (import "palyra:plugin/io@1.0.0" "output-write" (func $output_write (param i32 i32) (result i32)))
          (memory (export "memory") {pages})
          (func (export "palyra_plugin_main") (result i32) (local $n i32) (local $at i32)
            {body}))"#
    );
    Ok(wat::parse_str(text)?)
}

/// Returns a JSON list of small records with exactly this many bytes.
fn records(bytes: usize) -> String {
    let mut text = String::from("[");
    for id in 0.. {
        let record = format!(
            r#"{{"id":{id},"name":"record {id}","tags":["red","blue"],"price":{}.25}},"#,
            id * 7 % 1_000
        );
        // The last element is a string that fills the rest.
        if text.len() + record.len() + 3 > bytes {
            break;
        }
        text.push_str(&record);
    }
    let rest = bytes.saturating_sub(text.len() + 3);
    format!("{text}\"{}\"]", "x".repeat(rest))
}

/// Returns a JSON object with a long text, with exactly this many bytes.
fn document(bytes: usize) -> String {
    let mut text = String::from(r#"{"id":7,"title":"Notes","tags":["red","blue"],"text":""#);
    let line = "A sentence of ordinary length, with a few words and nothing that has to be escaped. ";
    while text.len() + line.len() + 2 <= bytes {
        text.push_str(line);
    }
    let rest = bytes.saturating_sub(text.len() + 2);
    format!("{text}{}\"}}", "x".repeat(rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_are_json_of_the_asked_length() {
        for bytes in [256, 1_000, 64 << 10] {
            for text in [records(bytes), document(bytes)] {
                assert_eq!(text.len(), bytes);
                serde_json::from_str::<serde_json::Value>(&text).unwrap();
            }
        }
    }

    #[test]
    fn core_guests_assemble() {
        for module in [core(ECHO, 2), spinning(), trapping(), looking_for_stale_bytes(4)] {
            assert_eq!(&module.unwrap()[..4], b"\0asm");
        }
    }
}
