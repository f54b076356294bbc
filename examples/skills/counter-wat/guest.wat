;; A counter that survives restarts, written by hand for the core ABI.
;;
;;   {"step": 5}  ->  {"count":5}      the first number in the input is the step; without one it is 1
;;
;; It needs one storage grant. Every capability operation is one JSON request to `call`; the response
;; is read back with `response-read`.

(module
  (import "palyra:plugin/io@1.0.0" "input-length" (func $input_length (result i32)))
  (import "palyra:plugin/io@1.0.0" "input-read" (func $input_read (param i32 i32 i32) (result i32)))
  (import "palyra:plugin/io@1.0.0" "output-write" (func $output_write (param i32 i32) (result i32)))
  (import "palyra:plugin/host-capabilities@1.0.0" "storage-handle" (func $storage_handle (param i32) (result i32)))
  (import "palyra:plugin/host-call@1.0.0" "call" (func $call (param i32 i32) (result i32)))
  (import "palyra:plugin/host-call@1.0.0" "response-read" (func $response_read (param i32 i32 i32) (result i32)))

  ;; 0      texts
  ;; 1024   what is being written: a request, then the output
  ;; 4096   what was read: the input, then a response, at most 4096 bytes
  (memory (export "memory") 1 1)

  (data (i32.const 0) "{\"op\":\"storage.get\",\"handle\":")      ;; 29 bytes
  (data (i32.const 64) "{\"op\":\"storage.put\",\"handle\":")     ;; 29 bytes
  (data (i32.const 128) ",\"key\":\"n\"")                         ;; 10 bytes
  (data (i32.const 192) ",\"value_text\":\"")                     ;; 15 bytes
  (data (i32.const 256) "\"value_text\":\"")                      ;; 14 bytes
  (data (i32.const 320) "{\"count\":")                            ;; 9 bytes
  (data (i32.const 384) "}")
  (data (i32.const 385) "\"}")
  (data (i32.const 448) "{\"ok\":")                               ;; 6 bytes

  (global $written (mut i32) (i32.const 0)) ;; length of the text at 1024
  (global $read (mut i32) (i32.const 0))    ;; length of the text at 4096

  ;; 0 = ok; 1 = an operation was refused, and its response is the output.
  (func (export "palyra_plugin_main") (result i32)
    (local $step i64) (local $count i64) (local $handle i32)
    (call $read_input)
    (local.set $step (call $first_number (i32.const 4096)))
    (if (i64.lt_s (local.get $step) (i64.const 0)) (then (local.set $step (i64.const 1))))
    ;; Without a grant this is -1, and the host refuses the first operation on it.
    (local.set $handle (call $storage_handle (i32.const 0)))

    (call $begin)
    (call $append (i32.const 0) (i32.const 29))
    (call $append_handle (local.get $handle))
    (call $append (i32.const 128) (i32.const 10))
    (call $append (i32.const 384) (i32.const 1))
    (if (i32.eqz (call $send)) (then (return (call $fail))))
    (local.set $count (i64.add (call $stored_count) (local.get $step)))

    (call $begin)
    (call $append (i32.const 64) (i32.const 29))
    (call $append_handle (local.get $handle))
    (call $append (i32.const 128) (i32.const 10))
    (call $append (i32.const 192) (i32.const 15))
    (call $append_number (local.get $count))
    (call $append (i32.const 385) (i32.const 2))
    (if (i32.eqz (call $send)) (then (return (call $fail))))

    (call $begin)
    (call $append (i32.const 320) (i32.const 9))
    (call $append_number (local.get $count))
    (call $append (i32.const 384) (i32.const 1))
    (drop (call $output_write (i32.const 1024) (global.get $written)))
    (i32.const 0))

  (func $fail (result i32)
    (drop (call $output_write (i32.const 4096) (global.get $read)))
    (i32.const 1))

  ;; As much of the input as there is room for.
  (func $read_input
    (global.set $read
      (call $input_read (i32.const 4096) (i32.const 0) (call $at_most_room (call $input_length)))))

  (func $at_most_room (param $length i32) (result i32)
    (select (local.get $length) (i32.const 4096) (i32.lt_u (local.get $length) (i32.const 4096))))

  ;; Sends the request at 1024; 1 when the response starts with `{"ok":`.
  (func $send (result i32)
    (local $length i32)
    (local.set $length (call $call (i32.const 1024) (global.get $written)))
    (global.set $read
      (call $response_read (i32.const 4096) (i32.const 0) (call $at_most_room (local.get $length))))
    (call $matches (i32.const 4096) (i32.const 448) (i32.const 6)))

  ;; The number after `"value_text":"` in the response, or 0.
  (func $stored_count (result i64)
    (local $at i32)
    (local.set $at (i32.const 4096))
    (block $absent
      (loop $next
        (br_if $absent
          (i32.gt_u (i32.add (local.get $at) (i32.const 14)) (i32.add (i32.const 4096) (global.get $read))))
        (if (call $matches (local.get $at) (i32.const 256) (i32.const 14))
          (then (return (call $number_at (i32.add (local.get $at) (i32.const 14))))))
        (local.set $at (i32.add (local.get $at) (i32.const 1)))
        (br $next)))
    (i64.const 0))

  ;; The first number at or after $at in what was read; -1 when there is none.
  (func $first_number (param $at i32) (result i64)
    (block $absent
      (loop $next
        (br_if $absent (i32.ge_u (local.get $at) (i32.add (i32.const 4096) (global.get $read))))
        (if (call $is_digit (local.get $at)) (then (return (call $number_at (local.get $at)))))
        (local.set $at (i32.add (local.get $at) (i32.const 1)))
        (br $next)))
    (i64.const -1))

  ;; The digits at $at as a number, at most 15 of them.
  (func $number_at (param $at i32) (result i64)
    (local $number i64) (local $end i32)
    (local.set $end (i32.add (local.get $at) (i32.const 15)))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $at) (local.get $end)))
        (br_if $done (i32.ge_u (local.get $at) (i32.add (i32.const 4096) (global.get $read))))
        (br_if $done (i32.eqz (call $is_digit (local.get $at))))
        (local.set $number
          (i64.add
            (i64.mul (local.get $number) (i64.const 10))
            (i64.sub (i64.load8_u (local.get $at)) (i64.const 48))))
        (local.set $at (i32.add (local.get $at) (i32.const 1)))
        (br $next)))
    (local.get $number))

  (func $is_digit (param $at i32) (result i32)
    (i32.lt_u (i32.sub (i32.load8_u (local.get $at)) (i32.const 48)) (i32.const 10)))

  (func $matches (param $one i32) (param $other i32) (param $length i32) (result i32)
    (loop $next
      (if (i32.eqz (local.get $length)) (then (return (i32.const 1))))
      (if (i32.ne (i32.load8_u (local.get $one)) (i32.load8_u (local.get $other))) (then (return (i32.const 0))))
      (local.set $one (i32.add (local.get $one) (i32.const 1)))
      (local.set $other (i32.add (local.get $other) (i32.const 1)))
      (local.set $length (i32.sub (local.get $length) (i32.const 1)))
      (br $next))
    (unreachable))

  (func $begin
    (global.set $written (i32.const 0)))

  (func $append (param $from i32) (param $length i32)
    (memory.copy
      (i32.add (i32.const 1024) (global.get $written)) (local.get $from) (local.get $length))
    (global.set $written (i32.add (global.get $written) (local.get $length))))

  ;; A handle is positive, or -1.
  (func $append_handle (param $handle i32)
    (if (i32.lt_s (local.get $handle) (i32.const 0))
      (then
        (call $append_byte (i32.const 45))
        (call $append_number (i64.const 1)))
      (else (call $append_number (i64.extend_i32_u (local.get $handle))))))

  (func $append_number (param $number i64)
    (if (i64.ge_u (local.get $number) (i64.const 10))
      (then (call $append_number (i64.div_u (local.get $number) (i64.const 10)))))
    (call $append_byte
      (i32.add (i32.wrap_i64 (i64.rem_u (local.get $number) (i64.const 10))) (i32.const 48))))

  (func $append_byte (param $byte i32)
    (i32.store8 (i32.add (i32.const 1024) (global.get $written)) (local.get $byte))
    (global.set $written (i32.add (global.get $written) (i32.const 1)))))
