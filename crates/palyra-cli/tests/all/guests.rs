//! Guests in WebAssembly text.

use palyra_plugins_sdk::abi;
use wit_component::{ComponentEncoder, StringEncoding, embed_component_metadata};

/// Returns a core module whose entry function has this body; `$n` is a free local, and the memory has 4 pages.
pub(crate) fn core(body: &str) -> String {
    format!(
        r#"(module
        (import "palyra:plugin/io@1.0.0" "input-length" (func $input_length (result i32)))
        (import "palyra:plugin/io@1.0.0" "input-read" (func $input_read (param i32 i32 i32) (result i32)))
        (import "palyra:plugin/io@1.0.0" "output-write" (func $output_write (param i32 i32) (result i32)))
        (memory (export "memory") 4)
        (func (export "palyra_plugin_main") (result i32) (local $n i32)
          {body}))"#
    )
}

/// Returns a module that returns its input.
pub(crate) fn echo() -> String {
    core(
        "(local.set $n (call $input_read (i32.const 0) (i32.const 0) (i32.const 262144)))
         (drop (call $output_write (i32.const 0) (local.get $n)))
         (i32.const 0)",
    )
}

/// Returns a guest that writes these bytes, given as a WAT string, and returns a status.
pub(crate) fn says(output: &str, length: usize, status: i32) -> String {
    let body =
        format!("(drop (call $output_write (i32.const 16) (i32.const {length}))) (i32.const {status})");
    core(&body).replace("(func (export", &format!("(data (i32.const 16) \"{output}\") (func (export"))
}

/// Returns a guest that loops a hundred times and returns 1.
pub(crate) fn circling() -> String {
    says("1", 1, 0).replace(
        "(drop",
        "(loop $again
           (local.set $n (i32.add (local.get $n) (i32.const 1)))
           (br_if $again (i32.lt_u (local.get $n) (i32.const 100))))
         (drop",
    )
}

/// Returns a module that never returns.
pub(crate) fn endless() -> String {
    core("(loop $again (br $again)) (unreachable)")
}

/// Returns a module that recurses endlessly.
pub(crate) fn recursive() -> String {
    core("(call $down) (i32.const 0)").replace("(func (export", "(func $down (call $down)) (func (export")
}

/// Returns a guest that traps in a named function.
pub(crate) fn trapping() -> String {
    core("(call $break_something) (i32.const 0)")
        .replace("(func (export", "(func $break_something (unreachable)) (func (export")
}

/// Returns a guest that grows its memory to 125 MiB and returns 1.
pub(crate) fn growing() -> String {
    says("1", 1, 0).replace("(drop", "(drop (memory.grow (i32.const 2000))) (drop")
}

/// Returns a guest that writes 64 KiB of output a hundred times.
pub(crate) fn talkative() -> String {
    core(
        "(loop $again
           (drop (call $output_write (i32.const 0) (i32.const 65536)))
           (local.set $n (i32.add (local.get $n) (i32.const 1)))
           (br_if $again (i32.lt_u (local.get $n) (i32.const 100))))
         (i32.const 0)",
    )
}

/// A module that makes the host calls in its input and returns the last response.
///
/// Its input is one JSON string; see [`calls`].
pub(crate) const RELAY: &str = r#"(module
  (import "palyra:plugin/io@1.0.0" "input-read" (func $input_read (param i32 i32 i32) (result i32)))
  (import "palyra:plugin/io@1.0.0" "output-write" (func $output_write (param i32 i32) (result i32)))
  (import "palyra:plugin/host-capabilities@1.0.0" "http-handle" (func $http_handle (param i32) (result i32)))
  (import "palyra:plugin/host-capabilities@1.0.0" "secret-handle" (func $secret_handle (param i32) (result i32)))
  (import "palyra:plugin/host-capabilities@1.0.0" "storage-handle" (func $storage_handle (param i32) (result i32)))
  (import "palyra:plugin/host-capabilities@1.0.0" "channel-handle" (func $channel_handle (param i32) (result i32)))
  (import "palyra:plugin/host-call@1.0.0" "call" (func $call (param i32 i32) (result i32)))
  (import "palyra:plugin/host-call@1.0.0" "response-read" (func $response_read (param i32 i32 i32) (result i32)))
  ;; 0 the input · 65536 the request · 131072 the response
  (memory (export "memory") 4)
  (global $written (mut i32) (i32.const 0))
  (global $answered (mut i32) (i32.const 0))

  (func (export "palyra_plugin_main") (result i32) (local $at i32) (local $end i32) (local $byte i32)
    (local.set $end (i32.sub (call $input_read (i32.const 0) (i32.const 0) (i32.const 65536)) (i32.const 1)))
    (local.set $at (i32.const 1))
    (loop $next
      (if (i32.lt_s (local.get $at) (local.get $end))
        (then
          (local.set $byte (i32.load8_u (local.get $at)))
          (local.set $at (i32.add (local.get $at) (i32.const 1)))
          (call $take (local.get $byte))
          (br $next))))
    (call $send)
    (drop (call $output_write (i32.const 131072) (global.get $answered)))
    (i32.const 0))

  (func $take (param $byte i32)
    (if (i32.eq (local.get $byte) (i32.const 39)) (then (call $put (i32.const 34)) (return)))
    (if (i32.eq (local.get $byte) (i32.const 35)) (then (call $put_handle (call $http_handle (i32.const 0))) (return)))
    (if (i32.eq (local.get $byte) (i32.const 36)) (then (call $put_handle (call $secret_handle (i32.const 0))) (return)))
    (if (i32.eq (local.get $byte) (i32.const 38)) (then (call $put_handle (call $storage_handle (i32.const 0))) (return)))
    (if (i32.eq (local.get $byte) (i32.const 33)) (then (call $put_handle (call $channel_handle (i32.const 0))) (return)))
    (if (i32.eq (local.get $byte) (i32.const 124)) (then (call $send) (return)))
    (call $put (local.get $byte)))

  (func $send (local $length i32)
    (local.set $length (call $call (i32.const 65536) (global.get $written)))
    (global.set $written (i32.const 0))
    (global.set $answered
      (call $response_read (i32.const 131072) (i32.const 0)
        (select (local.get $length) (i32.const 131072) (i32.lt_u (local.get $length) (i32.const 131072))))))

  (func $put_handle (param $handle i32)
    (if (i32.lt_s (local.get $handle) (i32.const 0))
      (then (call $put (i32.const 45)) (call $put (i32.const 49)))
      (else (call $put_number (local.get $handle)))))

  (func $put_number (param $number i32)
    (if (i32.ge_u (local.get $number) (i32.const 10))
      (then (call $put_number (i32.div_u (local.get $number) (i32.const 10)))))
    (call $put (i32.add (i32.rem_u (local.get $number) (i32.const 10)) (i32.const 48))))

  (func $put (param $byte i32)
    (i32.store8 (i32.add (i32.const 65536) (global.get $written)) (local.get $byte))
    (global.set $written (i32.add (global.get $written) (i32.const 1)))))"#;

/// Returns the input of [`RELAY`]: JSON requests with `'` for `"`, separated by `|`; `#`, `$`, `&` and `!` stand for
/// the first handle of kind HTTP, secret, storage and channel.
pub(crate) fn calls(requests: &str) -> String {
    format!("\"{requests}\"")
}

/// Returns a component that describes these tools and returns its input from each.
pub(crate) fn described(tools: &[&str]) -> Vec<u8> {
    let list: Vec<String> = tools.iter().map(|id| format!(r#"{{"id":"{id}"}}"#)).collect();
    describing(&format!(r#"{{"tools":[{}],"hooks":[]}}"#, list.join(",")))
}

/// Returns a component with this description.
pub(crate) fn describing(description: &str) -> Vec<u8> {
    let describe = format!(
        r#"(data (i32.const 1024) "{}")
        (func (export "{}#describe") (result i32)
          (i32.store (i32.const 32) (i32.const 1024))
          (i32.store (i32.const 36) (i32.const {}))
          (i32.const 32))"#,
        description.bytes().map(|byte| format!("\\{byte:02x}")).collect::<String>(),
        abi::interfaces::DESCRIBE,
        description.len()
    );
    component("described-tool-plugin", &describe)
}

/// Returns a component that returns its input and does not describe itself.
pub(crate) fn undescribed() -> Vec<u8> {
    component("tool-plugin", "")
}

fn component(world: &str, more: &str) -> Vec<u8> {
    let text = format!(
        r#"(module
        (memory (export "memory") 4)
        (global $free (mut i32) (i32.const 65536))
        {more}
        ;; ok, and the text at the pointer that came in
        (func (export "{}#invoke") (param i32 i32 i32 i32) (result i32)
          (i32.store (i32.const 16) (i32.const 0))
          (i32.store (i32.const 20) (local.get 2))
          (i32.store (i32.const 24) (local.get 3))
          (i32.const 16))
        (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32)
          (global.get $free)
          (global.set $free (i32.add (global.get $free) (i32.and (i32.add (local.get 3) (i32.const 15)) (i32.const -16))))))"#,
        abi::interfaces::TOOLS
    );
    let mut core = wat::parse_str(&text).unwrap_or_else(|error| panic!("{error}"));
    let mut resolve = wit_parser::Resolve::default();
    let package = resolve.push_str("palyra-sdk.wit", abi::WIT).unwrap();
    let world = resolve.select_world(&[package], Some(world)).unwrap();
    embed_component_metadata(&mut core, &resolve, world, StringEncoding::UTF8).unwrap();
    ComponentEncoder::default().validate(true).module(&core).unwrap().encode().unwrap()
}
