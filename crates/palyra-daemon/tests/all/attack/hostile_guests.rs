//! Guests that never end, use all they can get, and access what they were not granted.

use super::Tally;
use super::rounds::Rounds;
use super::target::Target;
use crate::modules::module;
use palyra_api::ClientError;
use palyra_api::modules::RunModuleRequest;
use std::sync::Arc;

/// The body of a function, the limit that must stop it, and its declarations.
const GUESTS: [(&str, &str, &[&str]); 8] = [
    ("", "(loop (br 0)) (i32.const 0)", &["quota_exceeded", "timed_out"]),
    ("", "(loop (drop (memory.grow (i32.const 64))) (br 0)) (i32.const 0)", &["quota_exceeded", "timed_out"]),
    ("(func $deep (call $deep))", "(call $deep) (i32.const 0)", &["trapped", "quota_exceeded"]),
    ("", "(drop (i32.load (i32.const -4))) (i32.const 0)", &["trapped"]),
    (
        "(table $t 1 funcref)",
        "(loop (drop (table.grow $t (ref.null func) (i32.const 10000))) (br 0)) (i32.const 0)",
        &["quota_exceeded", "timed_out"],
    ),
    (
        "",
        "(loop (drop (call $write (i32.const 0) (i32.const 65536))) (br 0)) (i32.const 0)",
        &["quota_exceeded"],
    ),
    (
        "",
        "(loop (drop (call $call (i32.const 0) (i32.const 49))) (br 0)) (i32.const 0)",
        &["quota_exceeded", "timed_out"],
    ),
    (
        "",
        "(drop (call $call (i32.const 100) (i32.const 41))) (drop (call $write (i32.const 90) (i32.const 2)))\
         (i32.const 0)",
        &["capability_denied"],
    ),
];

pub(super) async fn run(target: Arc<Target>, rounds: Arc<Rounds>) -> Tally {
    let client = target.over_tcp(&target.owner);
    let mut tally = Tally::default();
    let mut guests = GUESTS.iter().cycle();
    while rounds.next() {
        let Some((declared, body, expected)) = guests.next() else { break };
        let limits = vec!["timeout=2s".to_owned(), "fuel=50_000_000".to_owned()];
        let request = RunModuleRequest { limits, ..module(&guest(declared, body)) };
        let code = match client.run_module(&request).await {
            Ok(_) => "completed".to_owned(),
            Err(ClientError::Problem(problem)) => problem.code.to_string(),
            Err(error) => error.to_string(),
        };
        tally.tried += 1;
        if !expected.contains(&code.as_str()) {
            tally.lost.push(format!("{body}: {code}"));
        }
    }
    tally
}

fn guest(declared: &str, body: &str) -> String {
    format!(
        r#"(module
    (import "palyra:plugin/io@1.0.0" "output-write" (func $write (param i32 i32) (result i32)))
    (import "palyra:plugin/host-call@1.0.0" "call" (func $call (param i32 i32) (result i32)))
    (memory (export "memory") 1)
    (data (i32.const 0) "{{\"op\":\"log.write\",\"level\":\"info\",\"message\":\"one\"}}")
    (data (i32.const 90) "{{}}")
    (data (i32.const 100) "{{\"op\":\"storage.get\",\"handle\":7,\"key\":\"k\"}}")
    {declared}
    (func (export "palyra_plugin_main") (result i32) {body}))"#
    )
}
