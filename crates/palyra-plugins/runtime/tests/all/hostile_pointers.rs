//! Row G04: every pointer and length of the core ABI, at its boundaries.

use crate::harness::*;

/// Values a hostile guest would try.
const EDGES: [&str; 8] = ["0", "1", "65536", "131071", "131072", "0x7fffffff", "0x80000000", "0xffffffff"];

#[tokio::test]
async fn g04_ranges_outside_memory_trap_and_allocate_nothing() {
    let runtime = runtime();
    for first in EDGES {
        for second in EDGES {
            for body in [
                format!("(drop (call $output_write (i32.const {first}) (i32.const {second})))"),
                format!("(drop (call $input_read (i32.const {first}) (i32.const 0) (i32.const {second})))"),
                format!("(drop (call $input_read (i32.const {first}) (i32.const {second}) (i32.const 1)))"),
                format!("(drop (call $call (i32.const {first}) (i32.const {second})))"),
                format!(
                    "(drop (call $response_read (i32.const {first}) (i32.const 0) (i32.const {second})))"
                ),
                format!(
                    "(drop (call $response_read (i32.const {first}) (i32.const {second}) (i32.const 2)))"
                ),
                format!("(drop (call $storage_handle (i32.const {first})))"),
            ] {
                let module = load(&runtime, &wat(&core(&format!("{body} (i32.const 0)")))).await;
                let found = kind(&runtime.invoke(&module, call("t", "{}")).await);
                let (start, length) = (parse(first), parse(second));
                let inside = start + length <= 131_072;
                // A read at an offset copies at most one or two bytes, so only the pointer counts there.
                let expected = match &body {
                    body if body.contains("storage_handle") => "invalid_output",
                    body if body.contains("(i32.const 1)))") && body.contains("input_read") => {
                        trapped(start < 131_072)
                    }
                    body if body.contains("(i32.const 2)))") && body.contains("response_read") => {
                        trapped(start + 2 <= 131_072)
                    }
                    _ => trapped(inside),
                };
                assert_eq!(found, expected, "{body}");
            }
        }
    }
}

fn parse(text: &str) -> u64 {
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).unwrap(),
        None => text.parse().unwrap(),
    }
}

/// Returns the expected error: a guest without output has an invalid one, a guest that broke a rule is trapped.
fn trapped(inside: bool) -> &'static str {
    if inside { "invalid_output" } else { "trapped" }
}

#[tokio::test]
async fn g04_offsets_past_the_end_copy_nothing() {
    let runtime = runtime();
    let body = r#"(if (i32.eqz (call $input_read (i32.const 0) (i32.const 0x7fffffff) (i32.const 9)))
        (then (drop (call $input_read (i32.const 0) (i32.const 0) (i32.const 9)))
              (drop (call $output_write (i32.const 0) (i32.const 2))))) (i32.const 0)"#;
    let module = load(&runtime, &wat(&core(body))).await;
    assert_eq!(output(&runtime.invoke(&module, call("t", "{}")).await), serde_json::json!({}));
}

#[tokio::test]
async fn g04_host_call_json_that_makes_no_sense_is_the_guests_mistake() {
    let runtime = runtime();
    let module = load(&runtime, &wat(&core(PASS_THROUGH))).await;
    for request in [
        "{}",
        "[]",
        "null",
        r#"{"op":"nothing"}"#,
        r#"{"op":"storage.get"}"#,
        r#"{"op":"storage.get","handle":99999999999,"key":"a"}"#,
        r#"{"op":"storage.put","handle":1,"key":"a"}"#,
        r#"{"op":"http.send","handle":1,"request":{}}"#,
        r#"{"op":"log.write","level":"loud","message":""}"#,
    ] {
        let report = runtime.invoke(&module, call("t", request)).await;
        assert_eq!(output(&report)["error"]["code"], "invalid_argument", "{request}");
    }
}
