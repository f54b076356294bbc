//! A skill whose output schema has many rules, and whose output has many values for each of them.

use super::Tally;
use super::rounds::Rounds;
use super::target::Target;
use palyra_api::ClientError;
use palyra_api::client::full_body;
use palyra_api::skills::InstallQuery;
use palyra_api::tools::InvokeRequest;
use std::sync::Arc;

/// Number of rules for each value.
const RULES: usize = 100;
/// Number of pieces with 16 Ki values each that the guest writes.
const PIECES: usize = 2;
const TOOL: &str = "acme.schemas.list";

pub(super) async fn run(target: Arc<Target>, rounds: Arc<Rounds>) -> Tally {
    let owner = target.over_socket(&target.owner);
    let (package, digest) = package();
    let query = InstallQuery { allow_tofu: true, consent: Some(digest), ..InstallQuery::default() };
    let mut tally = Tally::default();
    if owner.install(full_body(package), &query).await.is_err() {
        // Rejected at the installation, so no call is possible.
        return Tally::of(1);
    }
    let caller = target.over_tcp(&target.caller);
    while rounds.next() {
        tally.tried += 1;
        // The call may be executed or rejected; it must end with a response and not block others.
        match caller.invoke(TOOL, &InvokeRequest::default()).await {
            Ok(_) => {}
            Err(ClientError::Problem(problem)) if problem.code.as_str() != "internal" => {}
            Err(error) => tally.lost.push(error.to_string()),
        }
    }
    tally
}

fn package() -> (Vec<u8>, String) {
    let rules: Vec<String> = (0..RULES).map(|rule| format!("{{ multipleOf = {} }}", 1_000 + rule)).collect();
    let manifest = format!(
        r#"manifest_version = 1
skill_id = "acme.schemas"
name = "Schemas"
version = "1.0.0"
publisher = "acme"
release_counter = 1

[compat]
required_protocol_major = 1
min_palyra_version = "0.1.0"

[[entrypoints.tools]]
id = "{TOOL}"
name = "list"
description = "Gives a long list."
module = "modules/list.wasm"
input_schema = {{ type = "object" }}
output_schema = {{ type = "array", items = {{ anyOf = [{}, {{ type = "integer" }}] }} }}
"#,
        rules.join(", ")
    );
    let wat = format!(
        r#"(module
    (import "palyra:plugin/io@1.0.0" "output-write" (func $write (param i32 i32) (result i32)))
    (memory (export "memory") 2)
    (data (i32.const 65536) "[1]")
    (func (export "palyra_plugin_main") (result i32) (local $at i32)
        (loop $fill
            (i32.store16 (local.get $at) (i32.const 0x2c31))
            (local.set $at (i32.add (local.get $at) (i32.const 2)))
            (br_if $fill (i32.lt_u (local.get $at) (i32.const 32768))))
        (drop (call $write (i32.const 65536) (i32.const 1)))
        (local.set $at (i32.const 0))
        (loop $pieces
            (drop (call $write (i32.const 0) (i32.const 32768)))
            (local.set $at (i32.add (local.get $at) (i32.const 1)))
            (br_if $pieces (i32.lt_u (local.get $at) (i32.const {PIECES}))))
        (drop (call $write (i32.const 65537) (i32.const 2)))
        (i32.const 0)))"#
    );
    let modules = [("modules/list.wasm".to_owned(), wat::parse_str(wat).unwrap())];
    let (bytes, digest) = crate::guests::build(&manifest, &modules);
    (bytes, digest.to_string())
}
