//! Every environment variable Palyra reads, in one list.

/// Directory for compiled code and guest toolchains; default `$XDG_CACHE_HOME/palyra` or `~/.cache/palyra`.
pub const PALYRA_CACHE_DIR: &str = "PALYRA_CACHE_DIR";
/// `human`, `json` or `ndjson`; mirrors `--output`.
pub const PALYRA_OUTPUT: &str = "PALYRA_OUTPUT";
/// `auto`, `always` or `never`; mirrors `--color`.
pub const PALYRA_COLOR: &str = "PALYRA_COLOR";
/// Any value switches prompts off; mirrors `--no-input`.
pub const PALYRA_NO_INPUT: &str = "PALYRA_NO_INPUT";
/// Forces one route of the guest toolchain: `auto`, `installed`, `rustup` or `debian`.
pub const PALYRA_GUEST_ROUTE: &str = "PALYRA_GUEST_ROUTE";

/// All names above with one line of help each, for documents and tests.
pub const ALL: &[(&str, &str)] = &[
    (PALYRA_CACHE_DIR, "directory for compiled code and guest toolchains"),
    (PALYRA_OUTPUT, "output form: human, json or ndjson"),
    (PALYRA_COLOR, "colour: auto, always or never"),
    (PALYRA_NO_INPUT, "never prompt"),
    (PALYRA_GUEST_ROUTE, "guest toolchain route: auto, installed, rustup or debian"),
];
