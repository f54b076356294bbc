;; The tools a conformance suite for MCP servers asks for, as far as a skill can offer them.
(module
  (import "palyra:plugin/host-call@1.0.0" "call" (func $call (param i32 i32) (result i32)))
  (import "palyra:plugin/io@1.0.0" "output-write" (func $write (param i32 i32) (result i32)))
  (memory (export "memory") 1)
  (data (i32.const 0) "{\"op\":\"log.write\",\"level\":\"info\",\"message\":\"one of three\"}")
  (data (i32.const 100) "{\"op\":\"log.write\",\"level\":\"info\",\"message\":\"two of three\"}")
  (data (i32.const 200) "{\"op\":\"log.write\",\"level\":\"info\",\"message\":\"three of three\"}")
  (data (i32.const 300) "\"This is a simple text response for testing.\"")

  ;; A JSON text, which a client is shown as it stands.
  (func $text (export "text") (result i32)
    (drop (call $write (i32.const 300) (i32.const 45)))
    (i32.const 0))

  ;; Three lines of log, which a client hears as progress, and then the same.
  (func (export "lines") (result i32)
    (drop (call $call (i32.const 0) (i32.const 58)))
    (drop (call $call (i32.const 100) (i32.const 58)))
    (drop (call $call (i32.const 200) (i32.const 60)))
    (call $text))

  ;; A tool that fails.
  (func (export "fail") (result i32)
    (i32.const 1)))
