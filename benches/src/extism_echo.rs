//! Extism's side: a plugin that returns its input.

use anyhow::Result;
use extism::{CompiledPlugin, Manifest, Plugin, PluginBuilder, Wasm};
use palyra_common::RuntimeLimits;
use std::time::Duration;

/// Copies its input into its own memory and from there to an output block, eight bytes at a time, as Extism's plugin
/// kits do for a function from bytes to bytes.
const ECHO: &str = r#"(module
  (import "extism:host/env" "input_length" (func $input_length (result i64)))
  (import "extism:host/env" "input_load_u8" (func $input_load_u8 (param i64) (result i32)))
  (import "extism:host/env" "input_load_u64" (func $input_load_u64 (param i64) (result i64)))
  (import "extism:host/env" "alloc" (func $alloc (param i64) (result i64)))
  (import "extism:host/env" "store_u8" (func $store_u8 (param i64 i32)))
  (import "extism:host/env" "store_u64" (func $store_u64 (param i64 i64)))
  (import "extism:host/env" "output_set" (func $output_set (param i64 i64)))
  (memory (export "memory") 2)
  (func (export "echo") (result i32) (local $length i64) (local $at i64) (local $block i64)
    (local.set $length (call $input_length))
    (block $read (loop $word
      (br_if $read (i64.gt_u (i64.add (local.get $at) (i64.const 8)) (local.get $length)))
      (i64.store (i32.wrap_i64 (local.get $at)) (call $input_load_u64 (local.get $at)))
      (local.set $at (i64.add (local.get $at) (i64.const 8)))
      (br $word)))
    (block $read (loop $byte
      (br_if $read (i64.ge_u (local.get $at) (local.get $length)))
      (i32.store8 (i32.wrap_i64 (local.get $at)) (call $input_load_u8 (local.get $at)))
      (local.set $at (i64.add (local.get $at) (i64.const 1)))
      (br $byte)))
    (local.set $block (call $alloc (local.get $length)))
    (local.set $at (i64.const 0))
    (block $written (loop $word
      (br_if $written (i64.gt_u (i64.add (local.get $at) (i64.const 8)) (local.get $length)))
      (call $store_u64 (i64.add (local.get $block) (local.get $at)) (i64.load (i32.wrap_i64 (local.get $at))))
      (local.set $at (i64.add (local.get $at) (i64.const 8)))
      (br $word)))
    (block $written (loop $byte
      (br_if $written (i64.ge_u (local.get $at) (local.get $length)))
      (call $store_u8 (i64.add (local.get $block) (local.get $at)) (i32.load8_u (i32.wrap_i64 (local.get $at))))
      (local.set $at (i64.add (local.get $at) (i64.const 1)))
      (br $byte)))
    (call $output_set (local.get $block) (local.get $length))
    (i32.const 0)))"#;

/// The plugin, compiled once, without WASI.
pub struct ExtismEcho(CompiledPlugin);

/// Whether a plugin runs under the limits that Extism offers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limits {
    /// Fuel, time and memory with the same values as Palyra's.
    Same,
    /// No limits.
    None,
}

impl ExtismEcho {
    pub fn compile(limits: Limits) -> Result<Self> {
        let manifest = Manifest::new([Wasm::data(wat::parse_str(ECHO)?)]);
        let ours = RuntimeLimits::default();
        let builder = match limits {
            Limits::None => PluginBuilder::new(manifest),
            Limits::Same => {
                let pages = u32::try_from(ours.max_memory_bytes / 65_536)?;
                let timeout = Duration::from_millis(ours.wall_clock_timeout_ms);
                PluginBuilder::new(manifest.with_timeout(timeout).with_memory_max(pages))
                    .with_fuel_limit(ours.fuel_budget)
            }
        };
        Ok(Self(CompiledPlugin::new(builder.with_cache_disabled())?))
    }

    /// Creates a plugin with its own memory.
    pub fn plugin(&self) -> Result<Plugin> {
        Plugin::new_from_compiled(&self.0)
    }

    /// Creates a plugin and calls it once.
    pub fn call_fresh(&self, input: &str) -> Result<String> {
        call(&mut self.plugin()?, input)
    }
}

/// Calls a plugin that keeps its state.
pub fn call(plugin: &mut Plugin, input: &str) -> Result<String> {
    plugin.call("echo", input)
}
