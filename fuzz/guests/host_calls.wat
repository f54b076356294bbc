;; Reads a JSON string of hexadecimal digits, sends each line of what it says as a request, returns the answers
;; as a list. The bytes 1 to 7 are replaced by handles of this call.
(module
  (import "palyra:plugin/io@1.0.0" "input-length" (func $input_length (result i32)))
  (import "palyra:plugin/io@1.0.0" "input-read" (func $input_read (param i32 i32 i32) (result i32)))
  (import "palyra:plugin/io@1.0.0" "output-write" (func $output_write (param i32 i32) (result i32)))
  (import "palyra:plugin/host-call@1.0.0" "call" (func $call (param i32 i32) (result i32)))
  (import "palyra:plugin/host-call@1.0.0" "response-read" (func $response_read (param i32 i32 i32) (result i32)))
  (import "palyra:plugin/host-capabilities@1.0.0" "http-handle" (func $http_handle (param i32) (result i32)))
  (import "palyra:plugin/host-capabilities@1.0.0" "secret-handle" (func $secret_handle (param i32) (result i32)))
  (import "palyra:plugin/host-capabilities@1.0.0" "storage-handle" (func $storage_handle (param i32) (result i32)))
  (import "palyra:plugin/host-capabilities@1.0.0" "channel-handle" (func $channel_handle (param i32) (result i32)))

  ;; 0: input, 64 KiB · 0x10000: a piece of an answer, 64 KiB · 0x20000: the request, 256 KiB
  (memory (export "memory") 6)
  (data (i32.const 0x1fff0) "[,]")
  (global $end (mut i32) (i32.const 0x20000))
  (global $sent (mut i32) (i32.const 0))

  (func $digit (param $at i32) (result i32) (local $c i32)
    (local.set $c (i32.load8_u (local.get $at)))
    (i32.sub (local.get $c) (select (i32.const 48) (i32.const 87) (i32.lt_u (local.get $c) (i32.const 58)))))

  (func $push (param $byte i32)
    (i32.store8 (global.get $end) (local.get $byte))
    (global.set $end (i32.add (global.get $end) (i32.const 1))))

  (func $push_number (param $n i32)
    (if (i32.ge_u (local.get $n) (i32.const 10))
      (then (call $push_number (i32.div_u (local.get $n) (i32.const 10)))))
    (call $push (i32.add (i32.const 48) (i32.rem_u (local.get $n) (i32.const 10)))))

  (func $handle (param $byte i32) (result i32)
    (if (i32.le_u (local.get $byte) (i32.const 2))
      (then (return (call $http_handle (i32.sub (local.get $byte) (i32.const 1))))))
    (if (i32.le_u (local.get $byte) (i32.const 4))
      (then (return (call $secret_handle (i32.sub (local.get $byte) (i32.const 3))))))
    (if (i32.le_u (local.get $byte) (i32.const 6))
      (then (return (call $storage_handle (i32.sub (local.get $byte) (i32.const 5))))))
    (call $channel_handle (i32.sub (local.get $byte) (i32.const 7))))

  ;; Sends the request that was collected and copies the answer to the output, piece by piece.
  (func $send (local $length i32) (local $offset i32) (local $copied i32)
    (if (global.get $sent) (then (drop (call $output_write (i32.const 0x1fff1) (i32.const 1)))))
    (global.set $sent (i32.const 1))
    (local.set $length (call $call (i32.const 0x20000) (i32.sub (global.get $end) (i32.const 0x20000))))
    (global.set $end (i32.const 0x20000))
    (block $done (loop $piece
      (br_if $done (i32.ge_u (local.get $offset) (local.get $length)))
      (local.set $copied (call $response_read (i32.const 0x10000) (local.get $offset) (i32.const 0x8000)))
      (if (i32.eqz (local.get $copied)) (then unreachable))
      (drop (call $output_write (i32.const 0x10000) (local.get $copied)))
      (local.set $offset (i32.add (local.get $offset) (local.get $copied)))
      (br $piece))))

  (func (export "palyra_plugin_main") (result i32) (local $at i32) (local $last i32) (local $byte i32)
    (drop (call $input_read (i32.const 0) (i32.const 0) (call $input_length)))
    (local.set $at (i32.const 1))
    (local.set $last (i32.sub (call $input_length) (i32.const 1)))
    (drop (call $output_write (i32.const 0x1fff0) (i32.const 1)))
    (block $done (loop $next
      (br_if $done (i32.ge_u (local.get $at) (local.get $last)))
      (local.set $byte (i32.or
        (i32.shl (call $digit (local.get $at)) (i32.const 4))
        (call $digit (i32.add (local.get $at) (i32.const 1)))))
      (local.set $at (i32.add (local.get $at) (i32.const 2)))
      (if (i32.eq (local.get $byte) (i32.const 10))
        (then (call $send))
        (else (if (i32.lt_u (i32.sub (local.get $byte) (i32.const 1)) (i32.const 7))
          (then (call $push_number (call $handle (local.get $byte))))
          (else (call $push (local.get $byte))))))
      (br $next)))
    (call $send)
    (drop (call $output_write (i32.const 0x1fff2) (i32.const 1)))
    (i32.const 0)))
