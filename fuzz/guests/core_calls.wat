;; Reads a JSON string of hexadecimal digits and carries out the program it spells; see `src/core_calls.rs`.
(module
  (import "palyra:plugin/io@1.0.0" "input-length" (func $input_length (result i32)))
  (import "palyra:plugin/io@1.0.0" "input-read" (func $input_read (param i32 i32 i32) (result i32)))
  (import "palyra:plugin/io@1.0.0" "output-write" (func $output_write (param i32 i32) (result i32)))
  (import "palyra:plugin/host-call@1.0.0" "call" (func $call (param i32 i32) (result i32)))
  (import "palyra:plugin/host-call@1.0.0" "response-read" (func $response_read (param i32 i32 i32) (result i32)))
  (import "palyra:plugin/host-capabilities@1.0.0" "http-count" (func $http_count (result i32)))
  (import "palyra:plugin/host-capabilities@1.0.0" "secret-count" (func $secret_count (result i32)))
  (import "palyra:plugin/host-capabilities@1.0.0" "storage-count" (func $storage_count (result i32)))
  (import "palyra:plugin/host-capabilities@1.0.0" "channel-count" (func $channel_count (result i32)))
  (import "palyra:plugin/host-capabilities@1.0.0" "http-handle" (func $http_handle (param i32) (result i32)))
  (import "palyra:plugin/host-capabilities@1.0.0" "secret-handle" (func $secret_handle (param i32) (result i32)))
  (import "palyra:plugin/host-capabilities@1.0.0" "storage-handle" (func $storage_handle (param i32) (result i32)))
  (import "palyra:plugin/host-capabilities@1.0.0" "channel-handle" (func $channel_handle (param i32) (result i32)))

  (type $function (func (param i32 i32 i32) (result i32)))
  (memory (export "memory") 1)
  (global $next (mut i32) (i32.const 2))
  (global $length (mut i32) (i32.const 0))
  (global $last (mut i32) (i32.const 0))
  (global $jumps (mut i32) (i32.const 16))

  ;; The functions by number; a number above the last one traps.
  (table funcref (elem
    $f_input_length $f_input_read $f_output_write $f_call $f_response_read
    $f_http_count $f_secret_count $f_storage_count $f_channel_count
    $f_http_handle $f_secret_handle $f_storage_handle $f_channel_handle
    $f_grow $f_write_last $f_jump $f_read_all))
  (func $f_input_length (type $function) (call $input_length))
  (func $f_input_read (type $function) (call $input_read (local.get 0) (local.get 1) (local.get 2)))
  (func $f_output_write (type $function) (call $output_write (local.get 0) (local.get 1)))
  (func $f_call (type $function) (call $call (local.get 0) (local.get 1)))
  (func $f_response_read (type $function) (call $response_read (local.get 0) (local.get 1) (local.get 2)))
  (func $f_http_count (type $function) (call $http_count))
  (func $f_secret_count (type $function) (call $secret_count))
  (func $f_storage_count (type $function) (call $storage_count))
  (func $f_channel_count (type $function) (call $channel_count))
  (func $f_http_handle (type $function) (call $http_handle (local.get 0)))
  (func $f_secret_handle (type $function) (call $secret_handle (local.get 0)))
  (func $f_storage_handle (type $function) (call $storage_handle (local.get 0)))
  (func $f_channel_handle (type $function) (call $channel_handle (local.get 0)))
  (func $f_grow (type $function) (memory.grow (i32.and (local.get 0) (i32.const 0x7f))))
  ;; Writes the last result at `a` as ten decimal digits, blanks in front: how a handle gets into a request.
  (func $f_write_last (type $function) (local $n i32) (local $at i32)
    (local.set $n (global.get $last))
    (local.set $at (i32.add (local.get 0) (i32.const 10)))
    (loop $digit
      (local.set $at (i32.sub (local.get $at) (i32.const 1)))
      (i32.store8 (local.get $at) (select
        (i32.add (i32.const 48) (i32.rem_u (local.get $n) (i32.const 10)))
        (i32.const 32)
        (i32.or (local.get $n) (i32.eq (local.get $at) (i32.add (local.get 0) (i32.const 9))))))
      (local.set $n (i32.div_u (local.get $n) (i32.const 10)))
      (br_if $digit (i32.ne (local.get $at) (local.get 0))))
    (global.get $last))
  ;; Goes on at call number `a`, a few times at most: a program is there to call, not to loop.
  (func $f_jump (type $function)
    (if (global.get $jumps) (then
      (global.set $jumps (i32.sub (global.get $jumps) (i32.const 1)))
      (global.set $next (i32.add (i32.const 2) (i32.mul (i32.const 13) (i32.and (local.get 0) (i32.const 0xff)))))))
    (global.get $last))
  ;; Reads as much of the last answer at `a` as its own length says, and puts it into the output.
  (func $f_read_all (type $function)
    (drop (call $response_read (local.get 0) (i32.const 0) (global.get $last)))
    (call $output_write (local.get 0) (global.get $last)))

  (func $digit (param $at i32) (result i32) (local $c i32)
    (local.set $c (i32.load8_u (local.get $at)))
    (i32.sub (local.get $c) (select (i32.const 48) (i32.const 87) (i32.lt_u (local.get $c) (i32.const 58)))))

  ;; Bytes come after their digits, so decoding in place overwrites nothing that is still needed.
  (func $decode (local $at i32) (local $from i32)
    (global.set $length (i32.shr_u (i32.sub (call $input_length) (i32.const 2)) (i32.const 1)))
    (drop (call $input_read (i32.const 0) (i32.const 0) (call $input_length)))
    (block $done (loop $byte
      (br_if $done (i32.ge_u (local.get $at) (global.get $length)))
      (local.set $from (i32.add (i32.const 1) (i32.shl (local.get $at) (i32.const 1))))
      (i32.store8 (local.get $at) (i32.or
        (i32.shl (call $digit (local.get $from)) (i32.const 4))
        (call $digit (i32.add (local.get $from) (i32.const 1)))))
      (local.set $at (i32.add (local.get $at) (i32.const 1)))
      (br $byte))))

  (func $argument (param $value i32) (param $from_end i32) (result i32)
    (i32.add (local.get $value)
      (select (i32.mul (memory.size) (i32.const 65536)) (i32.const 0) (local.get $from_end))))

  (func (export "palyra_plugin_main") (result i32) (local $at i32) (local $function i32)
    (call $decode)
    (drop (memory.grow (i32.and (i32.load8_u (i32.const 0)) (i32.const 0x7f))))
    (block $done (loop $step
      (local.set $at (global.get $next))
      (br_if $done (i32.gt_u (i32.add (local.get $at) (i32.const 13)) (global.get $length)))
      (global.set $next (i32.add (local.get $at) (i32.const 13)))
      (local.set $function (i32.load8_u (local.get $at)))
      ;; 31 ends the program with the status `a`.
      (if (i32.eq (i32.and (local.get $function) (i32.const 0x1f)) (i32.const 31))
        (then (return (i32.load offset=1 (local.get $at)))))
      (global.set $last (call_indirect (type $function)
        (call $argument (i32.load offset=1 (local.get $at)) (i32.and (local.get $function) (i32.const 0x20)))
        (call $argument (i32.load offset=5 (local.get $at)) (i32.and (local.get $function) (i32.const 0x40)))
        (call $argument (i32.load offset=9 (local.get $at)) (i32.and (local.get $function) (i32.const 0x80)))
        (i32.and (local.get $function) (i32.const 0x1f))))
      (br $step)))
    (i32.const 0)))
