//! Components that make the host allocate as much as possible.

/// Returns a component whose tool runs `body` and returns `1`.
///
/// Calls: `$fields`, `$append`, `$request`, `$body`, `$authority`, `$write` (the stream of a body), `$zeroes`, `$output`,
/// `$stdout`, `$random`, `$drop_stream`, `$timer`, `$poll`. Results that do not fit into one value are written to address
/// 512. 64 KiB of `a` are at 65536. The answer is at address 16: a body may write an error of the tool there.
pub(crate) fn hoarder(body: &str) -> String {
    let text = "a".repeat(64 << 10);
    format!(
        r#"(component
    (import "palyra:plugin/types@1.0.0" (instance $types
        (type $fields (record (field "code" string) (field "message" string) (field "details-json" (option string))))
        (export "tool-error" (type (eq $fields)))))
    (alias export $types "tool-error" (type $tool-error))
    (import "wasi:io/error@0.2.0" (instance $errors (export "error" (type (sub resource)))))
    (alias export $errors "error" (type $error))
    (import "wasi:io/streams@0.2.0" (instance $streams
        (alias outer 1 $error (type $err))
        (export "output-stream" (type $stream (sub resource)))
        (type $failed (variant (case "last-operation-failed" (own $err)) (case "closed")))
        (export "stream-error" (type $stream-error (eq $failed)))
        (export "[method]output-stream.write-zeroes"
            (func (param "self" (borrow $stream)) (param "len" u64) (result (result (error $stream-error)))))
        (export "[method]output-stream.write" (func (param "self" (borrow $stream)) (param "contents" (list u8))
            (result (result (error $stream-error)))))))
    (alias export $streams "output-stream" (type $output-stream))
    (import "wasi:cli/stdout@0.2.0" (instance $stdouts
        (alias outer 1 $output-stream (type $stream))
        (export "output-stream" (type $out (eq $stream)))
        (export "get-stdout" (func (result (own $out))))))
    (import "wasi:random/random@0.2.0" (instance $randoms
        (export "get-random-bytes" (func (param "len" u64) (result (list u8))))))
    (import "wasi:io/poll@0.2.0" (instance $polls
        (export "pollable" (type $pollable (sub resource)))
        (export "poll" (func (param "in" (list (borrow $pollable))) (result (list u32))))))
    (alias export $polls "pollable" (type $pollable))
    (import "wasi:clocks/monotonic-clock@0.2.0" (instance $clocks
        (alias outer 1 $pollable (type $pollable))
        (export "pollable" (type $timer (eq $pollable)))
        (export "subscribe-duration" (func (param "when" u64) (result (own $timer))))))
    (import "wasi:http/types@0.2.0" (instance $http
        (alias outer 1 $output-stream (type $stream))
        (export "output-stream" (type $out (eq $stream)))
        (export "fields" (type $fields (sub resource)))
        (export "outgoing-request" (type $request (sub resource)))
        (export "outgoing-body" (type $body (sub resource)))
        (type $wrong (variant (case "invalid-syntax") (case "forbidden") (case "immutable")))
        (export "header-error" (type $header-error (eq $wrong)))
        (export "[constructor]fields" (func (result (own $fields))))
        (export "[method]fields.append" (func (param "self" (borrow $fields)) (param "name" string)
            (param "value" (list u8)) (result (result (error $header-error)))))
        (export "[constructor]outgoing-request" (func (param "headers" (own $fields)) (result (own $request))))
        (export "[method]outgoing-request.body" (func (param "self" (borrow $request)) (result (result (own $body)))))
        (export "[method]outgoing-request.set-authority"
            (func (param "self" (borrow $request)) (param "authority" (option string)) (result (result))))
        (export "[method]outgoing-body.write" (func (param "self" (borrow $body)) (result (result (own $out)))))))
    (core module $libc
        (memory (export "memory") 40)
        (global $top (mut i32) (i32.const 200000))
        (func (export "realloc") (param i32 i32 i32 i32) (result i32) (local $at i32)
            (local.set $at (global.get $top))
            (global.set $top
                (i32.and (i32.add (i32.add (global.get $top) (local.get 3)) (i32.const 7)) (i32.const -8)))
            (local.get $at))
        (data (i32.const 16) "\00\00\00\00\40\00\00\00\01\00\00\00")
        (data (i32.const 64) "1")
        (data (i32.const 96) "x-header")
        (data (i32.const 65536) "{text}"))
    (core instance $libc (instantiate $libc))
    (core func $fields (canon lower (func $http "[constructor]fields")))
    (core func $append (canon lower (func $http "[method]fields.append") (memory $libc "memory")))
    (core func $request (canon lower (func $http "[constructor]outgoing-request")))
    (core func $body (canon lower (func $http "[method]outgoing-request.body") (memory $libc "memory")))
    (core func $authority
        (canon lower (func $http "[method]outgoing-request.set-authority") (memory $libc "memory")))
    (core func $write (canon lower (func $http "[method]outgoing-body.write") (memory $libc "memory")))
    (core func $zeroes
        (canon lower (func $streams "[method]output-stream.write-zeroes") (memory $libc "memory")))
    (core func $output (canon lower (func $streams "[method]output-stream.write") (memory $libc "memory")))
    (core func $stdout (canon lower (func $stdouts "get-stdout")))
    (core func $random (canon lower (func $randoms "get-random-bytes") (memory $libc "memory")
        (realloc (func $libc "realloc"))))
    (core func $drop_stream (canon resource.drop $output-stream))
    (core func $timer (canon lower (func $clocks "subscribe-duration")))
    (core func $poll (canon lower (func $polls "poll") (memory $libc "memory") (realloc (func $libc "realloc"))))
    (core module $guest
        (import "libc" "memory" (memory 1))
        (import "host" "fields" (func $fields (result i32)))
        (import "host" "append" (func $append (param i32 i32 i32 i32 i32 i32)))
        (import "host" "request" (func $request (param i32) (result i32)))
        (import "host" "body" (func $body (param i32 i32)))
        (import "host" "authority" (func $authority (param i32 i32 i32 i32) (result i32)))
        (import "host" "write" (func $write (param i32 i32)))
        (import "host" "zeroes" (func $zeroes (param i32 i64 i32)))
        (import "host" "output" (func $output (param i32 i32 i32 i32)))
        (import "host" "stdout" (func $stdout (result i32)))
        (import "host" "random" (func $random (param i64 i32)))
        (import "host" "drop_stream" (func $drop_stream (param i32)))
        (import "host" "timer" (func $timer (param i64) (result i32)))
        (import "host" "poll" (func $poll (param i32 i32 i32)))
        (func (export "invoke") (param i32 i32 i32 i32) (result i32) (local $n i32) (local $r i32) (local $s i32)
            {body}
            (i32.const 16)))
    (core instance $guest (instantiate $guest
        (with "libc" (instance $libc))
        (with "host" (instance
            (export "fields" (func $fields)) (export "append" (func $append)) (export "request" (func $request))
            (export "body" (func $body)) (export "authority" (func $authority)) (export "write" (func $write))
            (export "zeroes" (func $zeroes)) (export "output" (func $output)) (export "stdout" (func $stdout)) (export "random" (func $random))
            (export "drop_stream" (func $drop_stream)) (export "timer" (func $timer)) (export "poll" (func $poll))))))
    (func $invoke (param "tool-id" string) (param "input-json" string) (result (result string (error $tool-error)))
        (canon lift (core func $guest "invoke") (memory $libc "memory") (realloc (func $libc "realloc"))))
    (instance $tools (export "tool-error" (type $tool-error)) (export "invoke" (func $invoke)))
    (export "palyra:plugin/tools@1.0.0" (instance $tools)))"#
    )
}

/// Makes 4,000 requests, each with a full body that is never sent.
pub(crate) const BODIES: &str = "
    (loop $again
        (local.set $r (call $request (call $fields)))
        (call $body (local.get $r) (i32.const 512))
        (call $write (i32.load (i32.const 516)) (i32.const 512))
        (local.set $s (i32.load (i32.const 516)))
        (call $zeroes (local.get $s) (i64.const 65536) (i32.const 512))
        (call $zeroes (local.get $s) (i64.const 65536) (i32.const 512))
        (call $drop_stream (local.get $s))
        (local.set $n (i32.add (local.get $n) (i32.const 1)))
        (br_if $again (i32.lt_u (local.get $n) (i32.const 4000))))";

/// Makes 4,000 sets of fields, each with as many headers as possible.
pub(crate) const FIELDS: &str = "
    (loop $again
        (local.set $r (call $fields))
        (local.set $s (i32.const 0))
        (loop $more
            (call $append (local.get $r) (i32.const 96) (i32.const 8) (i32.const 65536) (i32.const 6000) (i32.const 512))
            (local.set $s (i32.add (local.get $s) (i32.const 1)))
            (br_if $more (i32.lt_u (local.get $s) (i32.const 10))))
        (local.set $n (i32.add (local.get $n) (i32.const 1)))
        (br_if $again (i32.lt_u (local.get $n) (i32.const 4000))))";

/// Makes 4,000 requests, each to a host with a name of 64 KiB.
pub(crate) const AUTHORITIES: &str = "
    (loop $again
        (local.set $r (call $request (call $fields)))
        (drop (call $authority (local.get $r) (i32.const 1) (i32.const 65536) (i32.const 65536)))
        (local.set $n (i32.add (local.get $n) (i32.const 1)))
        (br_if $again (i32.lt_u (local.get $n) (i32.const 4000))))";

/// Opens standard output 4,000 times and leaves an unfinished line in each.
pub(crate) const LINES: &str = "
    (loop $again
        (call $zeroes (call $stdout) (i64.const 8000) (i32.const 512))
        (local.set $n (i32.add (local.get $n) (i32.const 1)))
        (br_if $again (i32.lt_u (local.get $n) (i32.const 4000))))";

/// Writes more at once than `check-write` permits.
pub(crate) const LONG_WRITE: &str =
    "(call $output (call $stdout) (i32.const 65536) (i32.const 65537) (i32.const 512))";

/// Opens standard output until that fails.
pub(crate) const HANDLES: &str = "(loop $again (drop (call $stdout)) (br $again))";

/// Requests a terabyte of random bytes.
pub(crate) const RANDOM: &str = "(call $random (i64.const 1099511627776) (i32.const 512))";
