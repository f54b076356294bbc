//! Every environment variable that Palyra reads.

/// The directory of compiled code and guest toolchains; default `$XDG_CACHE_HOME/palyra` or `~/.cache/palyra`.
pub const PALYRA_CACHE_DIR: &str = "PALYRA_CACHE_DIR";
/// `human`, `json` or `ndjson`; mirrors `--output`.
pub const PALYRA_OUTPUT: &str = "PALYRA_OUTPUT";
/// `auto`, `always` or `never`; mirrors `--color`.
pub const PALYRA_COLOR: &str = "PALYRA_COLOR";
/// A true value prevents prompts; mirrors `--no-input`.
pub const PALYRA_NO_INPUT: &str = "PALYRA_NO_INPUT";
/// A true value limits output to results and errors; mirrors `--quiet`.
pub const PALYRA_QUIET: &str = "PALYRA_QUIET";
/// A true value prints more details; mirrors `--verbose`.
pub const PALYRA_VERBOSE: &str = "PALYRA_VERBOSE";
/// The state root; mirrors `--state-root`; default `~/.palyra`.
pub const PALYRA_STATE_ROOT: &str = "PALYRA_STATE_ROOT";
/// Seconds to wait for another process that uses the state root; mirrors `--lock-wait`.
pub const PALYRA_LOCK_WAIT: &str = "PALYRA_LOCK_WAIT";
/// The file with the passphrase of the device key; mirrors `--passphrase-file`.
pub const PALYRA_PASSPHRASE_FILE: &str = "PALYRA_PASSPHRASE_FILE";
/// The URL of the daemon to connect to; mirrors `--url`.
pub const PALYRA_URL: &str = "PALYRA_URL";
/// The file with the token for that daemon; mirrors `--token-file`.
pub const PALYRA_TOKEN_FILE: &str = "PALYRA_TOKEN_FILE";
/// The deployment profile of a daemon; mirrors `--profile`.
pub const PALYRA_PROFILE: &str = "PALYRA_PROFILE";
/// The HTTP listen address of a daemon; mirrors `--listen`.
pub const PALYRA_LISTEN: &str = "PALYRA_LISTEN";
/// The gRPC listen address of a daemon; mirrors `--grpc-listen`.
pub const PALYRA_GRPC_LISTEN: &str = "PALYRA_GRPC_LISTEN";
/// The TLS certificate of a daemon; mirrors `--tls-cert`.
pub const PALYRA_TLS_CERT: &str = "PALYRA_TLS_CERT";
/// The private key of that certificate; mirrors `--tls-key`.
pub const PALYRA_TLS_KEY: &str = "PALYRA_TLS_KEY";
/// The time without connections after which a daemon stops; mirrors `--idle-exit`.
pub const PALYRA_IDLE_EXIT: &str = "PALYRA_IDLE_EXIT";
/// The log filter of a daemon; mirrors `--log`.
pub const PALYRA_LOG: &str = "PALYRA_LOG";
/// A true value makes a daemon log JSON; mirrors `--log-json`.
pub const PALYRA_LOG_JSON: &str = "PALYRA_LOG_JSON";
/// The file that a daemon logs to; mirrors `--log-file`.
pub const PALYRA_LOG_FILE: &str = "PALYRA_LOG_FILE";
/// The OTLP endpoint that receives a daemon's spans; mirrors `--otlp-endpoint`.
pub const PALYRA_OTLP_ENDPOINT: &str = "PALYRA_OTLP_ENDPOINT";
/// A true value makes `palyra up` install no example skills.
pub const PALYRA_UP_NO_EXAMPLES: &str = "PALYRA_UP_NO_EXAMPLES";
/// Selects one source of the guest toolchain: `auto`, `installed`, `rustup` or `debian`.
pub const PALYRA_GUEST_ROUTE: &str = "PALYRA_GUEST_ROUTE";

/// All variables above with one line of help each, for documents and tests.
pub const ALL: &[(&str, &str)] = &[
    (PALYRA_CACHE_DIR, "directory for compiled code and guest toolchains"),
    (PALYRA_OUTPUT, "output form: human, json or ndjson"),
    (PALYRA_COLOR, "colour: auto, always or never"),
    (PALYRA_NO_INPUT, "never prompt"),
    (PALYRA_QUIET, "print results and errors only"),
    (PALYRA_VERBOSE, "print more details"),
    (PALYRA_STATE_ROOT, "the state root"),
    (PALYRA_LOCK_WAIT, "seconds to wait for another owner of the state root"),
    (PALYRA_PASSPHRASE_FILE, "file with the passphrase of the device key"),
    (PALYRA_URL, "URL of the daemon"),
    (PALYRA_TOKEN_FILE, "file with the token for the daemon"),
    (PALYRA_PROFILE, "deployment profile of a daemon"),
    (PALYRA_LISTEN, "listen address of a daemon"),
    (PALYRA_GRPC_LISTEN, "listen address of a daemon for gRPC"),
    (PALYRA_TLS_CERT, "TLS certificate of a daemon"),
    (PALYRA_TLS_KEY, "private key of the TLS certificate"),
    (PALYRA_IDLE_EXIT, "idle time after which a daemon stops"),
    (PALYRA_LOG, "log filter of a daemon"),
    (PALYRA_LOG_JSON, "log JSON"),
    (PALYRA_LOG_FILE, "file a daemon logs to"),
    (PALYRA_OTLP_ENDPOINT, "collector that receives spans"),
    (PALYRA_UP_NO_EXAMPLES, "install no example skills"),
    (PALYRA_GUEST_ROUTE, "guest toolchain route: auto, installed, rustup or debian"),
];
