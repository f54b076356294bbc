//! Every name of the contract, with no dependency: host, audit and guests read them here only.

/// The contract itself, as WIT text.
pub const WIT: &str = include_str!("../wit/palyra-sdk.wit");

/// The WIT package.
pub const PACKAGE: &str = "palyra:plugin";

/// The version of the package and of every interface below.
pub const VERSION: &str = "1.0.0";

/// The return value of `host-capabilities` for a capability that is not granted.
pub const NOT_GRANTED: i32 = -1;

/// Component interfaces by their full names.
pub mod interfaces {
    /// Shared shapes; no function.
    pub const TYPES: &str = "palyra:plugin/types@1.0.0";
    /// Tier A: handles of what is granted.
    pub const HOST_CAPABILITIES: &str = "palyra:plugin/host-capabilities@1.0.0";
    /// Requests through the egress guard.
    pub const HTTP: &str = "palyra:plugin/http@1.0.0";
    /// Secrets in the clear.
    pub const SECRETS: &str = "palyra:plugin/secrets@1.0.0";
    /// Keys and values.
    pub const STORAGE: &str = "palyra:plugin/storage@1.0.0";
    /// Messages.
    pub const CHANNELS: &str = "palyra:plugin/channels@1.0.0";
    /// Log lines.
    pub const LOG: &str = "palyra:plugin/log@1.0.0";
    /// Facts about the call.
    pub const RUN: &str = "palyra:plugin/run@1.0.0";
    /// Exported: tools.
    pub const TOOLS: &str = "palyra:plugin/tools@1.0.0";
    /// Exported: self-description.
    pub const DESCRIBE: &str = "palyra:plugin/describe@1.0.0";
    /// Exported: hooks.
    pub const HOOKS: &str = "palyra:plugin/hooks@1.0.0";

    /// What a component may import from Palyra.
    pub const IMPORTS: [&str; 8] = [TYPES, HOST_CAPABILITIES, HTTP, SECRETS, STORAGE, CHANNELS, LOG, RUN];
    /// What a component may export to Palyra.
    pub const EXPORTS: [&str; 3] = [TOOLS, DESCRIBE, HOOKS];
}

/// Functions of the exported interfaces.
pub mod exports {
    /// Of `tools`.
    pub const INVOKE: &str = "invoke";
    /// Of `describe`.
    pub const DESCRIBE: &str = "describe";
    /// Of `hooks`.
    pub const ON_EVENT: &str = "on-event";
}

/// Functions of `host-capabilities`, for components and core modules alike.
pub mod host_capabilities {
    /// How many HTTP rules.
    pub const HTTP_COUNT: &str = "http-count";
    /// The handle of an HTTP rule.
    pub const HTTP_HANDLE: &str = "http-handle";
    /// How many secrets.
    pub const SECRET_COUNT: &str = "secret-count";
    /// The handle of a secret.
    pub const SECRET_HANDLE: &str = "secret-handle";
    /// How many storage prefixes.
    pub const STORAGE_COUNT: &str = "storage-count";
    /// The handle of a storage prefix.
    pub const STORAGE_HANDLE: &str = "storage-handle";
    /// How many channels.
    pub const CHANNEL_COUNT: &str = "channel-count";
    /// The handle of a channel.
    pub const CHANNEL_HANDLE: &str = "channel-handle";
    /// The handle by name; in a core module it is an operation of `host-call`.
    pub const FIND: &str = "find";
    /// The name by handle; in a core module it is an operation of `host-call`.
    pub const NAME: &str = "name";

    /// `() -> i32`.
    pub const COUNTS: [&str; 4] = [HTTP_COUNT, SECRET_COUNT, STORAGE_COUNT, CHANNEL_COUNT];
    /// `(index: i32) -> i32`.
    pub const HANDLES: [&str; 4] = [HTTP_HANDLE, SECRET_HANDLE, STORAGE_HANDLE, CHANNEL_HANDLE];
}

/// What a core module imports and exports.
pub mod core_module {
    /// The entry function when the manifest names none: `() -> i32`, 0 is success.
    pub const DEFAULT_EXPORT: &str = "palyra_plugin_main";
    /// The exported memory that every pointer is an offset into.
    pub const MEMORY_EXPORT: &str = "memory";

    /// Import module of input and output.
    pub const IO: &str = "palyra:plugin/io@1.0.0";
    /// `() -> i32`: bytes of input JSON.
    pub const INPUT_LENGTH: &str = "input-length";
    /// `(pointer, offset, length) -> i32`: bytes copied into memory.
    pub const INPUT_READ: &str = "input-read";
    /// `(pointer, length) -> i32`: appends to the output JSON.
    pub const OUTPUT_WRITE: &str = "output-write";

    /// Import module of Tier A; the functions are those of [`super::host_capabilities`].
    pub const HOST_CAPABILITIES: &str = super::interfaces::HOST_CAPABILITIES;

    /// Import module of every other operation.
    pub const HOST_CALL: &str = "palyra:plugin/host-call@1.0.0";
    /// `(pointer, length) -> i32`: takes a JSON request, returns the bytes of the JSON response.
    pub const CALL: &str = "call";
    /// `(pointer, offset, length) -> i32`: bytes of the last response copied into memory.
    pub const RESPONSE_READ: &str = "response-read";

    /// Every module name a core module may import from.
    pub const IMPORTS: [&str; 3] = [IO, HOST_CAPABILITIES, HOST_CALL];
}

/// Operations of `host-call`: `interface.function`, with the fields of the WIT.
pub mod operations {
    /// `host-capabilities.find`.
    pub const FIND: &str = "host-capabilities.find";
    /// `host-capabilities.name`.
    pub const NAME: &str = "host-capabilities.name";
    /// `http.send`.
    pub const HTTP_SEND: &str = "http.send";
    /// `secrets.reveal`.
    pub const SECRETS_REVEAL: &str = "secrets.reveal";
    /// `storage.get`.
    pub const STORAGE_GET: &str = "storage.get";
    /// `storage.put`.
    pub const STORAGE_PUT: &str = "storage.put";
    /// `storage.delete`.
    pub const STORAGE_DELETE: &str = "storage.delete";
    /// `storage.list`.
    pub const STORAGE_LIST: &str = "storage.list";
    /// `channels.publish`.
    pub const CHANNELS_PUBLISH: &str = "channels.publish";
    /// `log.write`.
    pub const LOG_WRITE: &str = "log.write";
    /// `run.run-id`.
    pub const RUN_RUN_ID: &str = "run.run-id";
    /// `run.tool-id`.
    pub const RUN_TOOL_ID: &str = "run.tool-id";
    /// `run.remaining-fuel`.
    pub const RUN_REMAINING_FUEL: &str = "run.remaining-fuel";
    /// `run.remaining-milliseconds`.
    pub const RUN_REMAINING_MILLISECONDS: &str = "run.remaining-milliseconds";
    /// `run.operator-config`.
    pub const RUN_OPERATOR_CONFIG: &str = "run.operator-config";

    /// All of them.
    pub const ALL: [&str; 15] = [
        FIND,
        NAME,
        HTTP_SEND,
        SECRETS_REVEAL,
        STORAGE_GET,
        STORAGE_PUT,
        STORAGE_DELETE,
        STORAGE_LIST,
        CHANNELS_PUBLISH,
        LOG_WRITE,
        RUN_RUN_ID,
        RUN_TOOL_ID,
        RUN_REMAINING_FUEL,
        RUN_REMAINING_MILLISECONDS,
        RUN_OPERATOR_CONFIG,
    ];
}
