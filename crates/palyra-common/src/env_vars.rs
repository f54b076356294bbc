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
/// How a daemon is deployed; mirrors `--profile`.
pub const PALYRA_PROFILE: &str = "PALYRA_PROFILE";
/// Where a doctor writes a bundle; mirrors `palyra doctor --bundle`.
pub const PALYRA_DOCTOR_BUNDLE: &str = "PALYRA_DOCTOR_BUNDLE";
/// Where a daemon listens; mirrors `--listen`.
pub const PALYRA_LISTEN: &str = "PALYRA_LISTEN";
/// Where a daemon listens for gRPC; mirrors `--grpc-listen`.
pub const PALYRA_GRPC_LISTEN: &str = "PALYRA_GRPC_LISTEN";
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
/// The file a daemon logs to; mirrors `--log-file`.
pub const PALYRA_LOG_FILE: &str = "PALYRA_LOG_FILE";
/// Where spans go; mirrors `--otlp-endpoint` of a daemon.
pub const PALYRA_OTLP_ENDPOINT: &str = "PALYRA_OTLP_ENDPOINT";
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
/// Any value but a false one runs a module as an inline module of the daemon; mirrors `palyra run --inline`.
pub const PALYRA_RUN_INLINE: &str = "PALYRA_RUN_INLINE";
/// Any value but a false one leaves the cache of compiled code alone; mirrors `palyra run --no-cache`.
pub const PALYRA_RUN_NO_CACHE: &str = "PALYRA_RUN_NO_CACHE";
/// Why a key is revoked; mirrors `palyra keys revoke --reason`.
pub const PALYRA_KEYS_REVOKE_REASON: &str = "PALYRA_KEYS_REVOKE_REASON";
/// Publisher of a list of revocations; mirrors `palyra keys revoke --publisher`.
pub const PALYRA_KEYS_REVOKE_PUBLISHER: &str = "PALYRA_KEYS_REVOKE_PUBLISHER";
/// Where a list of revocations is written; mirrors `palyra keys revoke --out`.
pub const PALYRA_KEYS_REVOKE_OUT: &str = "PALYRA_KEYS_REVOKE_OUT";
/// Number of a list of revocations; mirrors `palyra keys revoke --number`.
pub const PALYRA_KEYS_REVOKE_NUMBER: &str = "PALYRA_KEYS_REVOKE_NUMBER";
/// Epoch that a rotation ends; mirrors `palyra keys rotate --epoch`.
pub const PALYRA_KEYS_ROTATE_EPOCH: &str = "PALYRA_KEYS_ROTATE_EPOCH";
/// Where a rotation is written; mirrors `palyra keys rotate --out`.
pub const PALYRA_KEYS_ROTATE_OUT: &str = "PALYRA_KEYS_ROTATE_OUT";
/// Any value but a false one: print the public half of a key; mirrors `palyra keys export --public`.
pub const PALYRA_KEYS_EXPORT_PUBLIC: &str = "PALYRA_KEYS_EXPORT_PUBLIC";
/// Why a publisher is blocked; mirrors `palyra trust block --reason`.
pub const PALYRA_TRUST_BLOCK_REASON: &str = "PALYRA_TRUST_BLOCK_REASON";
/// Checkpoint the journal must agree with; mirrors `palyra journal verify --against`.
pub const PALYRA_JOURNAL_VERIFY_AGAINST: &str = "PALYRA_JOURNAL_VERIFY_AGAINST";
/// First moment of a query of the journal; mirrors `palyra journal query --since`.
pub const PALYRA_JOURNAL_QUERY_SINCE: &str = "PALYRA_JOURNAL_QUERY_SINCE";
/// Last moment of a query of the journal; mirrors `palyra journal query --until`.
pub const PALYRA_JOURNAL_QUERY_UNTIL: &str = "PALYRA_JOURNAL_QUERY_UNTIL";
/// Kind of event to query; mirrors `palyra journal query --kind`.
pub const PALYRA_JOURNAL_QUERY_KIND: &str = "PALYRA_JOURNAL_QUERY_KIND";
/// Skill to query the journal for; mirrors `palyra journal query --skill`.
pub const PALYRA_JOURNAL_QUERY_SKILL: &str = "PALYRA_JOURNAL_QUERY_SKILL";
/// Run to query the journal for; mirrors `palyra journal query --run`.
pub const PALYRA_JOURNAL_QUERY_RUN: &str = "PALYRA_JOURNAL_QUERY_RUN";
/// Sequence a query of the journal begins at; mirrors `palyra journal query --from`.
pub const PALYRA_JOURNAL_QUERY_FROM: &str = "PALYRA_JOURNAL_QUERY_FROM";
/// Most events of a query; mirrors `palyra journal query --limit`.
pub const PALYRA_JOURNAL_QUERY_LIMIT: &str = "PALYRA_JOURNAL_QUERY_LIMIT";
/// Any value but a false one: newest event of a query first; mirrors `palyra journal query --newest-first`.
pub const PALYRA_JOURNAL_QUERY_NEWEST_FIRST: &str = "PALYRA_JOURNAL_QUERY_NEWEST_FIRST";
/// Any value but a false one: a proof with each event; mirrors `palyra journal query --proofs`.
pub const PALYRA_JOURNAL_QUERY_PROOFS: &str = "PALYRA_JOURNAL_QUERY_PROOFS";
/// How many events `palyra journal tail` begins with; mirrors `palyra journal tail --count`.
pub const PALYRA_JOURNAL_TAIL_COUNT: &str = "PALYRA_JOURNAL_TAIL_COUNT";
/// Any value but a false one: keep showing new events; mirrors `palyra journal tail --follow`.
pub const PALYRA_JOURNAL_TAIL_FOLLOW: &str = "PALYRA_JOURNAL_TAIL_FOLLOW";
/// Why a skill is quarantined; mirrors `palyra skills quarantine --reason`.
pub const PALYRA_SKILLS_QUARANTINE_REASON: &str = "PALYRA_SKILLS_QUARANTINE_REASON";
/// Why a skill is switched off; mirrors `palyra skills disable --reason`.
pub const PALYRA_SKILLS_DISABLE_REASON: &str = "PALYRA_SKILLS_DISABLE_REASON";
/// Version to go back to; mirrors `palyra skills rollback --to`.
pub const PALYRA_SKILLS_ROLLBACK_TO: &str = "PALYRA_SKILLS_ROLLBACK_TO";
/// Any value but a false one: keep what a removed skill stored; mirrors `palyra skills remove --keep-data`.
pub const PALYRA_SKILLS_REMOVE_KEEP_DATA: &str = "PALYRA_SKILLS_REMOVE_KEEP_DATA";
/// Where a package is written; mirrors `palyra skills package build --out`.
pub const PALYRA_SKILLS_PACKAGE_BUILD_OUT: &str = "PALYRA_SKILLS_PACKAGE_BUILD_OUT";
/// Install no examples.
pub const PALYRA_UP_NO_EXAMPLES: &str = "PALYRA_UP_NO_EXAMPLES";
/// How many tools are found; mirrors `palyra tools search --count`.
pub const PALYRA_TOOLS_SEARCH_COUNT: &str = "PALYRA_TOOLS_SEARCH_COUNT";
/// For how long a new token is worth something.
pub const PALYRA_TOKENS_ADD_EXPIRES: &str = "PALYRA_TOKENS_ADD_EXPIRES";
/// Where the secret of a new token is written.
pub const PALYRA_TOKENS_ADD_OUT: &str = "PALYRA_TOKENS_ADD_OUT";
/// What a question to the policy is about; mirrors `palyra policy check --on`.
pub const PALYRA_POLICY_CHECK_ON: &str = "PALYRA_POLICY_CHECK_ON";
/// Who asks the question; mirrors `palyra policy check --as`.
pub const PALYRA_POLICY_CHECK_AS: &str = "PALYRA_POLICY_CHECK_AS";
/// How the question comes; mirrors `palyra policy check --via`.
pub const PALYRA_POLICY_CHECK_VIA: &str = "PALYRA_POLICY_CHECK_VIA";
/// Who asked for the call that is decided; mirrors `palyra policy check --asked-by`.
pub const PALYRA_POLICY_CHECK_ASKED_BY: &str = "PALYRA_POLICY_CHECK_ASKED_BY";
/// What an MCP client is called; mirrors `palyra mcp serve --client`.
pub const PALYRA_MCP_SERVE_CLIENT: &str = "PALYRA_MCP_SERVE_CLIENT";
/// Seconds to wait for an approval; mirrors `palyra run --wait-approval`.
pub const PALYRA_RUN_WAIT_APPROVAL: &str = "PALYRA_RUN_WAIT_APPROVAL";
/// Which approvals are listed; mirrors `palyra approvals list --status`.
pub const PALYRA_APPROVALS_LIST_STATUS: &str = "PALYRA_APPROVALS_LIST_STATUS";
/// Most approvals that are listed; mirrors `palyra approvals list --limit`.
pub const PALYRA_APPROVALS_LIST_LIMIT: &str = "PALYRA_APPROVALS_LIST_LIMIT";
/// Where a list of approvals goes on; mirrors `palyra approvals list --before`.
pub const PALYRA_APPROVALS_LIST_BEFORE: &str = "PALYRA_APPROVALS_LIST_BEFORE";
/// Most messages that are shown; mirrors `palyra channels tail --limit`.
pub const PALYRA_CHANNELS_TAIL_LIMIT: &str = "PALYRA_CHANNELS_TAIL_LIMIT";
/// Any value but a false one keeps showing messages; mirrors `palyra channels tail --follow`.
pub const PALYRA_CHANNELS_TAIL_FOLLOW: &str = "PALYRA_CHANNELS_TAIL_FOLLOW";
/// What a hook is told; mirrors `palyra hooks test --payload`.
pub const PALYRA_HOOKS_TEST_PAYLOAD: &str = "PALYRA_HOOKS_TEST_PAYLOAD";
/// Any value but a false one writes the file of bindings anew; mirrors `palyra hooks apply --restore`.
pub const PALYRA_HOOKS_APPLY_RESTORE: &str = "PALYRA_HOOKS_APPLY_RESTORE";
/// Most dead letters of a channel that are listed; mirrors `palyra channels dead-letters list --limit`.
pub const PALYRA_CHANNELS_DEAD_LETTERS_LIST_LIMIT: &str = "PALYRA_CHANNELS_DEAD_LETTERS_LIST_LIMIT";
/// Whose dead letters are listed; mirrors `palyra hooks dead-letters list --binding`.
pub const PALYRA_HOOKS_DEAD_LETTERS_LIST_BINDING: &str = "PALYRA_HOOKS_DEAD_LETTERS_LIST_BINDING";
/// Most dead letters that are listed; mirrors `palyra hooks dead-letters list --limit`.
pub const PALYRA_HOOKS_DEAD_LETTERS_LIST_LIMIT: &str = "PALYRA_HOOKS_DEAD_LETTERS_LIST_LIMIT";
/// Why a call is approved; mirrors `palyra approvals approve --reason`.
pub const PALYRA_APPROVALS_APPROVE_REASON: &str = "PALYRA_APPROVALS_APPROVE_REASON";
/// Why a call is denied; mirrors `palyra approvals deny --reason`.
pub const PALYRA_APPROVALS_DENY_REASON: &str = "PALYRA_APPROVALS_DENY_REASON";
/// Skill whose runs are listed; mirrors `palyra runs list --skill`.
pub const PALYRA_RUNS_LIST_SKILL: &str = "PALYRA_RUNS_LIST_SKILL";
/// Tool whose runs are listed; mirrors `palyra runs list --tool`.
pub const PALYRA_RUNS_LIST_TOOL: &str = "PALYRA_RUNS_LIST_TOOL";
/// Status of the runs that are listed; mirrors `palyra runs list --status`.
pub const PALYRA_RUNS_LIST_STATUS: &str = "PALYRA_RUNS_LIST_STATUS";
/// First moment of the runs that are listed; mirrors `palyra runs list --since`.
pub const PALYRA_RUNS_LIST_SINCE: &str = "PALYRA_RUNS_LIST_SINCE";
/// Last moment of the runs that are listed; mirrors `palyra runs list --until`.
pub const PALYRA_RUNS_LIST_UNTIL: &str = "PALYRA_RUNS_LIST_UNTIL";
/// Where a list of runs goes on; mirrors `palyra runs list --before`.
pub const PALYRA_RUNS_LIST_BEFORE: &str = "PALYRA_RUNS_LIST_BEFORE";
/// Most runs that are listed; mirrors `palyra runs list --limit`.
pub const PALYRA_RUNS_LIST_LIMIT: &str = "PALYRA_RUNS_LIST_LIMIT";
/// Any value but a false one: keep showing what a run says; mirrors `palyra runs events --follow`.
pub const PALYRA_RUNS_EVENTS_FOLLOW: &str = "PALYRA_RUNS_EVENTS_FOLLOW";
/// Where a tape is written; mirrors `palyra runs tape --out`.
pub const PALYRA_RUNS_TAPE_OUT: &str = "PALYRA_RUNS_TAPE_OUT";
/// Where a receipt is written; mirrors `palyra runs receipt --out`.
pub const PALYRA_RUNS_RECEIPT_OUT: &str = "PALYRA_RUNS_RECEIPT_OUT";
/// Receipt that is verified; mirrors `palyra runs receipt --verify`.
pub const PALYRA_RUNS_RECEIPT_VERIFY: &str = "PALYRA_RUNS_RECEIPT_VERIFY";
/// Key a receipt must be signed by; mirrors `palyra runs receipt --key`.
pub const PALYRA_RUNS_RECEIPT_KEY: &str = "PALYRA_RUNS_RECEIPT_KEY";
/// Setting that is taken away; mirrors `palyra plugins config set --unset`.
pub const PALYRA_PLUGINS_CONFIG_SET_UNSET: &str = "PALYRA_PLUGINS_CONFIG_SET_UNSET";
/// Input of a new routine; mirrors `palyra routines add --input`.
pub const PALYRA_ROUTINES_ADD_INPUT: &str = "PALYRA_ROUTINES_ADD_INPUT";
/// Cron pattern of a new routine; mirrors `palyra routines add --cron`.
pub const PALYRA_ROUTINES_ADD_CRON: &str = "PALYRA_ROUTINES_ADD_CRON";
/// How often a new routine is due; mirrors `palyra routines add --every`.
pub const PALYRA_ROUTINES_ADD_EVERY: &str = "PALYRA_ROUTINES_ADD_EVERY";
/// When a new routine is due once; mirrors `palyra routines add --at`.
pub const PALYRA_ROUTINES_ADD_AT: &str = "PALYRA_ROUTINES_ADD_AT";
/// Zone of the times of a new routine; mirrors `palyra routines add --time-zone`.
pub const PALYRA_ROUTINES_ADD_TIME_ZONE: &str = "PALYRA_ROUTINES_ADD_TIME_ZONE";
/// Hours in which a new routine is never due; mirrors `palyra routines add --quiet-hours`.
pub const PALYRA_ROUTINES_ADD_QUIET_HOURS: &str = "PALYRA_ROUTINES_ADD_QUIET_HOURS";
/// What happens to times at which no daemon ran; mirrors `palyra routines add --misfire`.
pub const PALYRA_ROUTINES_ADD_MISFIRE: &str = "PALYRA_ROUTINES_ADD_MISFIRE";
/// How many of them are made up for at most; mirrors `palyra routines add --catch-up`.
pub const PALYRA_ROUTINES_ADD_CATCH_UP: &str = "PALYRA_ROUTINES_ADD_CATCH_UP";
/// What happens when a routine is due and still under way; mirrors `palyra routines add --concurrency`.
pub const PALYRA_ROUTINES_ADD_CONCURRENCY: &str = "PALYRA_ROUTINES_ADD_CONCURRENCY";
/// How much later fires of a new routine begin at most; mirrors `palyra routines add --jitter`.
pub const PALYRA_ROUTINES_ADD_JITTER: &str = "PALYRA_ROUTINES_ADD_JITTER";
/// Objective a new routine is charged to; mirrors `palyra routines add --objective`.
pub const PALYRA_ROUTINES_ADD_OBJECTIVE: &str = "PALYRA_ROUTINES_ADD_OBJECTIVE";
/// Seconds a fire waits for a person; mirrors `palyra routines add --wait-approval`.
pub const PALYRA_ROUTINES_ADD_WAIT_APPROVAL: &str = "PALYRA_ROUTINES_ADD_WAIT_APPROVAL";
/// Keep a new routine without firing; mirrors `palyra routines add --disabled`.
pub const PALYRA_ROUTINES_ADD_DISABLED: &str = "PALYRA_ROUTINES_ADD_DISABLED";
/// Most fires that are shown; mirrors `palyra routines show --limit`.
pub const PALYRA_ROUTINES_SHOW_LIMIT: &str = "PALYRA_ROUTINES_SHOW_LIMIT";
/// Where a list of fires goes on; mirrors `palyra routines show --before`.
pub const PALYRA_ROUTINES_SHOW_BEFORE: &str = "PALYRA_ROUTINES_SHOW_BEFORE";
/// What a new objective is for; mirrors `palyra objectives add --goal`.
pub const PALYRA_OBJECTIVES_ADD_GOAL: &str = "PALYRA_OBJECTIVES_ADD_GOAL";
/// Most runs of a new objective; mirrors `palyra objectives add --runs`.
pub const PALYRA_OBJECTIVES_ADD_RUNS: &str = "PALYRA_OBJECTIVES_ADD_RUNS";
/// Most fuel of a new objective; mirrors `palyra objectives add --fuel`.
pub const PALYRA_OBJECTIVES_ADD_FUEL: &str = "PALYRA_OBJECTIVES_ADD_FUEL";
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
    (PALYRA_PROFILE, "how a daemon is deployed"),
    (PALYRA_DOCTOR_BUNDLE, "where a doctor writes a bundle"),
    (PALYRA_LISTEN, "where a daemon listens"),
    (PALYRA_GRPC_LISTEN, "where a daemon listens for gRPC"),
    (PALYRA_TLS_CERT, "certificate of a daemon"),
    (PALYRA_TLS_KEY, "key of the daemon's certificate"),
    (PALYRA_IDLE_EXIT, "after how long without a connection a daemon stops"),
    (PALYRA_LOG, "what a daemon logs"),
    (PALYRA_LOG_JSON, "log JSON"),
    (PALYRA_LOG_FILE, "file a daemon logs to"),
    (PALYRA_OTLP_ENDPOINT, "where spans of requests and calls are sent"),
    (PALYRA_RUN_MODULE, "module of `palyra run`"),
    (PALYRA_RUN_TOOL, "tool of `palyra run`"),
    (PALYRA_RUN_EXPORT, "function of a core module for `palyra run`"),
    (PALYRA_RUN_INPUT, "input of `palyra run`: JSON, @FILE or -"),
    (PALYRA_RUN_CONFIG, "plugin settings for `palyra run`: JSON, @FILE or -"),
    (PALYRA_RUN_RECORD, "where `palyra run` writes the tape"),
    (PALYRA_RUN_REPLAY, "tape that `palyra run` replays"),
    (PALYRA_RUN_TRACE, "list host calls of `palyra run`"),
    (PALYRA_RUN_STORAGE_DIR, "where `palyra run` keeps a guest's storage"),
    (PALYRA_RUN_INLINE, "run a module in the daemon"),
    (PALYRA_RUN_NO_CACHE, "compile anew in `palyra run`"),
    (PALYRA_KEYS_REVOKE_REASON, "why a key is revoked"),
    (PALYRA_KEYS_REVOKE_PUBLISHER, "publisher of a list of revocations"),
    (PALYRA_KEYS_REVOKE_OUT, "where a list of revocations is written"),
    (PALYRA_KEYS_REVOKE_NUMBER, "number of a list of revocations"),
    (PALYRA_KEYS_ROTATE_EPOCH, "epoch that a rotation ends"),
    (PALYRA_KEYS_ROTATE_OUT, "where a rotation is written"),
    (PALYRA_KEYS_EXPORT_PUBLIC, "print the public half of a key"),
    (PALYRA_TRUST_BLOCK_REASON, "why a publisher is blocked"),
    (PALYRA_JOURNAL_VERIFY_AGAINST, "checkpoint the journal must agree with"),
    (PALYRA_JOURNAL_QUERY_SINCE, "first moment of a query of the journal"),
    (PALYRA_JOURNAL_QUERY_UNTIL, "last moment of a query of the journal"),
    (PALYRA_JOURNAL_QUERY_KIND, "kind of event to query"),
    (PALYRA_JOURNAL_QUERY_SKILL, "skill to query the journal for"),
    (PALYRA_JOURNAL_QUERY_RUN, "run to query the journal for"),
    (PALYRA_JOURNAL_QUERY_FROM, "sequence a query of the journal begins at"),
    (PALYRA_JOURNAL_QUERY_LIMIT, "most events of a query"),
    (PALYRA_JOURNAL_QUERY_NEWEST_FIRST, "newest event of a query first"),
    (PALYRA_JOURNAL_QUERY_PROOFS, "a proof with each event"),
    (PALYRA_JOURNAL_TAIL_COUNT, "how many events `palyra journal tail` begins with"),
    (PALYRA_JOURNAL_TAIL_FOLLOW, "keep showing new events"),
    (PALYRA_SKILLS_QUARANTINE_REASON, "why a skill is quarantined"),
    (PALYRA_SKILLS_DISABLE_REASON, "why a skill is switched off"),
    (PALYRA_SKILLS_ROLLBACK_TO, "version to go back to"),
    (PALYRA_SKILLS_REMOVE_KEEP_DATA, "keep what a removed skill stored"),
    (PALYRA_SKILLS_PACKAGE_BUILD_OUT, "where a package is written"),
    (PALYRA_UP_NO_EXAMPLES, "install no examples"),
    (PALYRA_TOOLS_SEARCH_COUNT, "how many tools are found at most"),
    (PALYRA_TOKENS_ADD_EXPIRES, "for how long a new token is worth something"),
    (PALYRA_TOKENS_ADD_OUT, "where the secret of a new token is written"),
    (PALYRA_POLICY_CHECK_ON, "what a question to the policy is about"),
    (PALYRA_POLICY_CHECK_AS, "who asks the question"),
    (PALYRA_POLICY_CHECK_VIA, "how the question comes"),
    (PALYRA_POLICY_CHECK_ASKED_BY, "who asked for the call that is decided"),
    (PALYRA_MCP_SERVE_CLIENT, "what an MCP client is called"),
    (PALYRA_RUN_WAIT_APPROVAL, "seconds `palyra run` waits for an approval"),
    (PALYRA_APPROVALS_LIST_STATUS, "which approvals are listed"),
    (PALYRA_APPROVALS_LIST_LIMIT, "most approvals that are listed"),
    (PALYRA_APPROVALS_LIST_BEFORE, "where a list of approvals goes on"),
    (PALYRA_CHANNELS_TAIL_LIMIT, "most messages that are shown"),
    (PALYRA_CHANNELS_TAIL_FOLLOW, "keep showing messages as they come"),
    (PALYRA_HOOKS_TEST_PAYLOAD, "what a hook is told that is tried out"),
    (PALYRA_HOOKS_APPLY_RESTORE, "write the file of bindings anew"),
    (PALYRA_CHANNELS_DEAD_LETTERS_LIST_LIMIT, "most dead letters of a channel that are listed"),
    (PALYRA_HOOKS_DEAD_LETTERS_LIST_BINDING, "whose dead letters are listed"),
    (PALYRA_HOOKS_DEAD_LETTERS_LIST_LIMIT, "most dead letters that are listed"),
    (PALYRA_APPROVALS_APPROVE_REASON, "why a call is approved"),
    (PALYRA_APPROVALS_DENY_REASON, "why a call is denied"),
    (PALYRA_RUNS_LIST_SKILL, "skill whose runs are listed"),
    (PALYRA_RUNS_LIST_TOOL, "tool whose runs are listed"),
    (PALYRA_RUNS_LIST_STATUS, "status of the runs that are listed"),
    (PALYRA_RUNS_LIST_SINCE, "first moment of the runs that are listed"),
    (PALYRA_RUNS_LIST_UNTIL, "last moment of the runs that are listed"),
    (PALYRA_RUNS_LIST_BEFORE, "where a list of runs goes on"),
    (PALYRA_RUNS_LIST_LIMIT, "most runs that are listed"),
    (PALYRA_RUNS_EVENTS_FOLLOW, "keep showing what a run says"),
    (PALYRA_RUNS_TAPE_OUT, "where a tape is written"),
    (PALYRA_RUNS_RECEIPT_OUT, "where a receipt is written"),
    (PALYRA_RUNS_RECEIPT_VERIFY, "receipt that is verified"),
    (PALYRA_RUNS_RECEIPT_KEY, "key a receipt must be signed by"),
    (PALYRA_PLUGINS_CONFIG_SET_UNSET, "setting that is taken away"),
    (PALYRA_ROUTINES_ADD_INPUT, "input of a new routine"),
    (PALYRA_ROUTINES_ADD_CRON, "cron pattern of a new routine"),
    (PALYRA_ROUTINES_ADD_EVERY, "how often a new routine is due"),
    (PALYRA_ROUTINES_ADD_AT, "when a new routine is due once"),
    (PALYRA_ROUTINES_ADD_TIME_ZONE, "zone of the times of a new routine"),
    (PALYRA_ROUTINES_ADD_QUIET_HOURS, "hours in which a new routine is never due"),
    (PALYRA_ROUTINES_ADD_MISFIRE, "what happens to times at which no daemon ran"),
    (PALYRA_ROUTINES_ADD_CATCH_UP, "how many of them are made up for at most"),
    (PALYRA_ROUTINES_ADD_CONCURRENCY, "what happens when a routine is due and still under way"),
    (PALYRA_ROUTINES_ADD_JITTER, "how much later fires of a new routine begin at most"),
    (PALYRA_ROUTINES_ADD_OBJECTIVE, "objective a new routine is charged to"),
    (PALYRA_ROUTINES_ADD_WAIT_APPROVAL, "seconds a fire waits for a person"),
    (PALYRA_ROUTINES_ADD_DISABLED, "keep a new routine without firing"),
    (PALYRA_ROUTINES_SHOW_LIMIT, "most fires that are shown"),
    (PALYRA_ROUTINES_SHOW_BEFORE, "where a list of fires goes on"),
    (PALYRA_OBJECTIVES_ADD_GOAL, "what a new objective is for"),
    (PALYRA_OBJECTIVES_ADD_RUNS, "most runs of a new objective"),
    (PALYRA_OBJECTIVES_ADD_FUEL, "most fuel of a new objective"),
    (PALYRA_GUEST_ROUTE, "guest toolchain route: auto, installed, rustup or debian"),
];
