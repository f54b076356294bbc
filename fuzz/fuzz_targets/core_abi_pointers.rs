#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| palyra_fuzz::check_core_calls(data));
