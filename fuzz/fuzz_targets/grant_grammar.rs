#![no_main]

libfuzzer_sys::fuzz_target!(|data: &str| palyra_fuzz::check_grants(data));
