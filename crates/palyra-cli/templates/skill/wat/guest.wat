;; The tools of {{skill_id}}, written by hand for the core ABI.
;;
;;   {"name": "Ada"}  ->  {"greeting":"Hello, Ada!"}
;;
;; The schema in skill.toml allows one property, a string, so the name is what is between the third
;; quote of the input and the last one. It is copied as it is, escapes included.

(module
  (import "palyra:plugin/io@1.0.0" "input-length" (func $input_length (result i32)))
  (import "palyra:plugin/io@1.0.0" "input-read" (func $input_read (param i32 i32 i32) (result i32)))
  (import "palyra:plugin/io@1.0.0" "output-write" (func $output_write (param i32 i32) (result i32)))

  ;; 0      the output: the text below, the name, the end
  ;; 8192   a message for an input that is too long
  ;; 16384  the input, at most 4096 bytes
  (memory (export "memory") 1 1)
  (data (i32.const 0) "{\"greeting\":\"Hello, ")             ;; 20 bytes
  (data (i32.const 8192) "the input is longer than 4096 bytes") ;; 35 bytes

  ;; 0 = ok; anything else = the tool failed, and its output is the message.
  (func (export "palyra_plugin_main") (result i32)
    (local $from i32) (local $end i32) (local $length i32)
    (if (i32.gt_u (call $input_length) (i32.const 4096))
      (then
        (drop (call $output_write (i32.const 8192) (i32.const 35)))
        (return (i32.const 1))))
    (local.set $end (i32.add (i32.const 16384) (call $input_read (i32.const 16384) (i32.const 0) (i32.const 4096))))
    (local.set $from (call $after_third_quote))
    (local.set $length (i32.sub (call $last_quote_before (local.get $end)) (local.get $from)))
    (memory.copy (i32.const 20) (local.get $from) (local.get $length))
    ;; `!"}`, as the bytes of a number.
    (i32.store (i32.add (i32.const 20) (local.get $length)) (i32.const 0x7d2221))
    (drop (call $output_write (i32.const 0) (i32.add (local.get $length) (i32.const 23))))
    (i32.const 0))

  (func $after_third_quote (result i32)
    (local $at i32) (local $quotes i32)
    (local.set $at (i32.const 16384))
    (loop $next
      (local.set $quotes (i32.add (local.get $quotes) (call $is_quote (local.get $at))))
      (local.set $at (i32.add (local.get $at) (i32.const 1)))
      (br_if $next (i32.lt_u (local.get $quotes) (i32.const 3))))
    (local.get $at))

  (func $last_quote_before (param $at i32) (result i32)
    (loop $next
      (local.set $at (i32.sub (local.get $at) (i32.const 1)))
      (br_if $next (i32.eqz (call $is_quote (local.get $at)))))
    (local.get $at))

  (func $is_quote (param $at i32) (result i32)
    (i32.eq (i32.load8_u (local.get $at)) (i32.const 34))))
