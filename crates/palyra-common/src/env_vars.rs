//! Every environment variable Palyra reads, in one list.

/// Directory for compiled code and guest toolchains; default `$XDG_CACHE_HOME/palyra` or `~/.cache/palyra`.
pub const PALYRA_CACHE_DIR: &str = "PALYRA_CACHE_DIR";
/// `human`, `json` or `ndjson`; mirrors `--output`.
pub const PALYRA_OUTPUT: &str = "PALYRA_OUTPUT";
/// `auto`, `always` or `never`; mirrors `--color`.
pub const PALYRA_COLOR: &str = "PALYRA_COLOR";
/// Any value but a false one keeps commands from waiting for a person; mirrors `--no-input`.
pub const PALYRA_NO_INPUT: &str = "PALYRA_NO_INPUT";
/// Any value but a false one shows results and errors only; mirrors `--quiet`.
pub const PALYRA_QUIET: &str = "PALYRA_QUIET";
/// Any value but a false one shows more; mirrors `--verbose`.
pub const PALYRA_VERBOSE: &str = "PALYRA_VERBOSE";
/// The state root; mirrors `--state-root`; default `~/.palyra`.
pub const PALYRA_STATE_ROOT: &str = "PALYRA_STATE_ROOT";
/// Seconds to wait for another owner of the state root; mirrors `--lock-wait`.
pub const PALYRA_LOCK_WAIT: &str = "PALYRA_LOCK_WAIT";
/// The file with the passphrase of the device key; mirrors `--passphrase-file`.
pub const PALYRA_PASSPHRASE_FILE: &str = "PALYRA_PASSPHRASE_FILE";
/// The daemon to speak to; mirrors `--url`.
pub const PALYRA_URL: &str = "PALYRA_URL";
/// The file with the token for it; mirrors `--token-file`.
pub const PALYRA_TOKEN_FILE: &str = "PALYRA_TOKEN_FILE";
/// Where a daemon listens; mirrors `--listen`.
pub const PALYRA_LISTEN: &str = "PALYRA_LISTEN";
/// The certificate of a daemon; mirrors `--tls-cert`.
pub const PALYRA_TLS_CERT: &str = "PALYRA_TLS_CERT";
/// The key of that certificate; mirrors `--tls-key`.
pub const PALYRA_TLS_KEY: &str = "PALYRA_TLS_KEY";
/// After how long without a connection a daemon stops; mirrors `--idle-exit`.
pub const PALYRA_IDLE_EXIT: &str = "PALYRA_IDLE_EXIT";
/// What a daemon logs; mirrors `--log`.
pub const PALYRA_LOG: &str = "PALYRA_LOG";
/// Any value but a false one makes a daemon log JSON; mirrors `--log-json`.
pub const PALYRA_LOG_JSON: &str = "PALYRA_LOG_JSON";
/// The module to run; mirrors `palyra run --module`.
pub const PALYRA_RUN_MODULE: &str = "PALYRA_RUN_MODULE";
/// The tool to call; mirrors `palyra run --tool`.
pub const PALYRA_RUN_TOOL: &str = "PALYRA_RUN_TOOL";
/// The function of a core module; mirrors `palyra run --export`.
pub const PALYRA_RUN_EXPORT: &str = "PALYRA_RUN_EXPORT";
/// The input; mirrors `palyra run --input`.
pub const PALYRA_RUN_INPUT: &str = "PALYRA_RUN_INPUT";
/// The operator's settings for the plugin; mirrors `palyra run --config`.
pub const PALYRA_RUN_CONFIG: &str = "PALYRA_RUN_CONFIG";
/// Where the tape is written; mirrors `palyra run --record`.
pub const PALYRA_RUN_RECORD: &str = "PALYRA_RUN_RECORD";
/// The tape that is replayed; mirrors `palyra run --replay`.
pub const PALYRA_RUN_REPLAY: &str = "PALYRA_RUN_REPLAY";
/// Any value but a false one lists host calls; mirrors `palyra run --trace`.
pub const PALYRA_RUN_TRACE: &str = "PALYRA_RUN_TRACE";
/// Where a guest's storage is kept; mirrors `palyra run --storage-dir`.
pub const PALYRA_RUN_STORAGE_DIR: &str = "PALYRA_RUN_STORAGE_DIR";
/// Any value but a false one leaves the cache of compiled code alone; mirrors `palyra run --no-cache`.
pub const PALYRA_RUN_NO_CACHE: &str = "PALYRA_RUN_NO_CACHE";
/// Forces one route of the guest toolchain: `auto`, `installed`, `rustup` or `debian`.
pub const PALYRA_GUEST_ROUTE: &str = "PALYRA_GUEST_ROUTE";

/// All names above with one line of help each, for documents and tests.
pub const ALL: &[(&str, &str)] = &[
    (PALYRA_CACHE_DIR, "directory for compiled code and guest toolchains"),
    (PALYRA_OUTPUT, "output form: human, json or ndjson"),
    (PALYRA_COLOR, "colour: auto, always or never"),
    (PALYRA_NO_INPUT, "never wait for a person"),
    (PALYRA_QUIET, "show results and errors only"),
    (PALYRA_VERBOSE, "show more"),
    (PALYRA_STATE_ROOT, "the state root"),
    (PALYRA_LOCK_WAIT, "seconds to wait for another owner of the state root"),
    (PALYRA_PASSPHRASE_FILE, "file with the passphrase of the device key"),
    (PALYRA_URL, "the daemon to speak to"),
    (PALYRA_TOKEN_FILE, "file with the token for the daemon"),
    (PALYRA_LISTEN, "where a daemon listens"),
    (PALYRA_TLS_CERT, "certificate of a daemon"),
    (PALYRA_TLS_KEY, "key of the daemon's certificate"),
    (PALYRA_IDLE_EXIT, "after how long without a connection a daemon stops"),
    (PALYRA_LOG, "what a daemon logs"),
    (PALYRA_LOG_JSON, "log JSON"),
    (PALYRA_RUN_MODULE, "module of `palyra run`"),
    (PALYRA_RUN_TOOL, "tool of `palyra run`"),
    (PALYRA_RUN_EXPORT, "function of a core module for `palyra run`"),
    (PALYRA_RUN_INPUT, "input of `palyra run`: JSON, @FILE or -"),
    (PALYRA_RUN_CONFIG, "plugin settings for `palyra run`: JSON, @FILE or -"),
    (PALYRA_RUN_RECORD, "where `palyra run` writes the tape"),
    (PALYRA_RUN_REPLAY, "tape that `palyra run` replays"),
    (PALYRA_RUN_TRACE, "list host calls of `palyra run`"),
    (PALYRA_RUN_STORAGE_DIR, "where `palyra run` keeps a guest's storage"),
    (PALYRA_RUN_NO_CACHE, "compile anew in `palyra run`"),
    (PALYRA_GUEST_ROUTE, "guest toolchain route: auto, installed, rustup or debian"),
];
