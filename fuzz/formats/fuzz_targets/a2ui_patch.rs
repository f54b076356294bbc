#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| palyra_fuzz_formats::check_a2ui_patch(data));
