//! Guests in WebAssembly text.

/// A module that writes `{"ok":true}` for every input.
pub const HONEST: &str = r#"(module
    (import "palyra:plugin/io@1.0.0" "output-write" (func $write (param i32 i32) (result i32)))
    (memory (export "memory") 1)
    (data (i32.const 0) "{\"ok\":true}")
    (func (export "palyra_plugin_main") (result i32)
        (drop (call $write (i32.const 0) (i32.const 11))) (i32.const 0)))"#;

/// A module that returns its input.
pub const ECHO: &str = r#"(module
    (import "palyra:plugin/io@1.0.0" "input-length" (func $length (result i32)))
    (import "palyra:plugin/io@1.0.0" "input-read" (func $read (param i32 i32 i32) (result i32)))
    (import "palyra:plugin/io@1.0.0" "output-write" (func $write (param i32 i32) (result i32)))
    (memory (export "memory") 2)
    (func (export "palyra_plugin_main") (result i32)
        (drop (call $read (i32.const 0) (i32.const 0) (call $length)))
        (drop (call $write (i32.const 0) (call $length)))
        (i32.const 0)))"#;

/// The example that counts in its storage.
pub const COUNTER: &str = include_str!("../../../examples/skills/counter-wat/guest.wat");

/// Sends `{"op":…,"handle":N REST` for the first handle of a kind and returns the answer.
///
/// `START` ends with `"handle":`, `REST` begins after the number.
pub fn one_operation(handle: &str, start: &str, rest: &str) -> String {
    let escaped = |text: &str| text.replace('"', "\\\"");
    format!(
        r#"(module
    (import "palyra:plugin/io@1.0.0" "output-write" (func $write (param i32 i32) (result i32)))
    (import "palyra:plugin/host-capabilities@1.0.0" "{handle}" (func $handle (param i32) (result i32)))
    (import "palyra:plugin/host-call@1.0.0" "call" (func $call (param i32 i32) (result i32)))
    (import "palyra:plugin/host-call@1.0.0" "response-read" (func $response (param i32 i32 i32) (result i32)))
    (memory (export "memory") 2)
    (data (i32.const 0) "{start}")
    (data (i32.const 512) "{rest}")
    ;; Writes a number in decimal and returns where it ends.
    (func $digits (param $at i32) (param $number i32) (result i32)
        (if (i32.ge_u (local.get $number) (i32.const 10))
            (then (local.set $at (call $digits (local.get $at) (i32.div_u (local.get $number) (i32.const 10))))))
        (i32.store8 (local.get $at) (i32.add (i32.const 48) (i32.rem_u (local.get $number) (i32.const 10))))
        (i32.add (local.get $at) (i32.const 1)))
    (func (export "palyra_plugin_main") (result i32) (local $end i32) (local $length i32)
        (local.set $end (call $digits (i32.const {start_length}) (call $handle (i32.const 0))))
        (memory.copy (local.get $end) (i32.const 512) (i32.const {rest_length}))
        (local.set $length (call $call (i32.const 0) (i32.add (local.get $end) (i32.const {rest_length}))))
        (drop (call $response (i32.const 4096) (i32.const 0) (local.get $length)))
        (drop (call $write (i32.const 4096) (local.get $length)))
        (i32.const 0)))"#,
        start = escaped(start),
        rest = escaped(rest),
        start_length = start.len(),
        rest_length = rest.len(),
    )
}

/// Returns a component that describes itself with this text and whose tool returns `{"ok":true}`.
pub fn describing(description: &str) -> String {
    let escaped = description.replace('\\', "\\\\").replace('"', "\\\"");
    let bytes: String = u32::try_from(description.len())
        .unwrap()
        .to_le_bytes()
        .iter()
        .map(|b| format!("\\{b:02x}"))
        .collect();
    format!(
        r#"(component
    (import "palyra:plugin/types@1.0.0" (instance $types
        (type $fields (record (field "code" string) (field "message" string) (field "details-json" (option string))))
        (export "tool-error" (type (eq $fields)))))
    (alias export $types "tool-error" (type $tool-error))
    (core module $guest
        (memory (export "memory") 1)
        (global $top (mut i32) (i32.const 16384))
        (func (export "realloc") (param i32 i32 i32 i32) (result i32) (local $at i32)
            (local.set $at (global.get $top))
            (global.set $top
                (i32.and (i32.add (i32.add (global.get $top) (local.get 3)) (i32.const 7)) (i32.const -8)))
            (local.get $at))
        (data (i32.const 16) "\00\00\00\00\40\00\00\00\0b\00\00\00")
        (data (i32.const 48) "\80\00\00\00{bytes}")
        (data (i32.const 64) "{{\"ok\":true}}")
        (data (i32.const 128) "{escaped}")
        (func (export "invoke") (param i32 i32 i32 i32) (result i32) (i32.const 16))
        (func (export "describe") (result i32) (i32.const 48)))
    (core instance $instance (instantiate $guest))
    (func $invoke (param "tool-id" string) (param "input-json" string) (result (result string (error $tool-error)))
        (canon lift (core func $instance "invoke") (memory $instance "memory") (realloc (func $instance "realloc"))))
    (func $describe (result string) (canon lift (core func $instance "describe") (memory $instance "memory")))
    (instance $tools (export "tool-error" (type $tool-error)) (export "invoke" (func $invoke)))
    (instance $describes (export "describe" (func $describe)))
    (export "palyra:plugin/tools@1.0.0" (instance $tools))
    (export "palyra:plugin/describe@1.0.0" (instance $describes)))"#
    )
}

/// Counts to `turns` before it answers `{"ok":true}`.
pub fn counting_to(turns: u64) -> String {
    format!(
        r#"(module
    (import "palyra:plugin/io@1.0.0" "output-write" (func $write (param i32 i32) (result i32)))
    (memory (export "memory") 1)
    (data (i32.const 0) "{{\"ok\":true}}")
    (func (export "palyra_plugin_main") (result i32) (local $left i64)
        (local.set $left (i64.const {turns}))
        (loop $again
            (local.set $left (i64.sub (local.get $left) (i64.const 1)))
            (br_if $again (i64.ne (local.get $left) (i64.const 0))))
        (drop (call $write (i32.const 0) (i32.const 11))) (i32.const 0)))"#
    )
}
