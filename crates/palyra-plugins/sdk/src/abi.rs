//! The names of the plugin contract, without dependencies. Host, audit and guests read them only here.

/// The text of the contract.
pub const WIT: &str = include_str!("../wit/palyra-sdk.wit");

/// The name of the WIT package.
pub const PACKAGE: &str = "palyra:plugin";

/// The version of the package and of every interface in it.
pub const VERSION: &str = "1.0.0";

/// The handle of a capability that is not granted, returned by `host-capabilities`.
pub const NOT_GRANTED: i32 = -1;

/// The full names of the component interfaces.
pub mod interfaces {
    /// Types shared by the other interfaces; no functions.
    pub const TYPES: &str = "palyra:plugin/types@1.0.0";
    /// Handles of the granted capabilities.
    pub const HOST_CAPABILITIES: &str = "palyra:plugin/host-capabilities@1.0.0";
    /// HTTP requests through the egress guard.
    pub const HTTP: &str = "palyra:plugin/http@1.0.0";
    /// Values of secrets that the guest may read.
    pub const SECRETS: &str = "palyra:plugin/secrets@1.0.0";
    /// Persistent keys and values, separate for each skill.
    pub const STORAGE: &str = "palyra:plugin/storage@1.0.0";
    /// Messages to channels that the operator defined.
    pub const CHANNELS: &str = "palyra:plugin/channels@1.0.0";
    /// Log lines, attributed to the run.
    pub const LOG: &str = "palyra:plugin/log@1.0.0";
    /// Facts about the current call, and its remaining limits.
    pub const RUN: &str = "palyra:plugin/run@1.0.0";
    /// Exported by a component with tools.
    pub const TOOLS: &str = "palyra:plugin/tools@1.0.0";
    /// Exported by a component that describes itself.
    pub const DESCRIBE: &str = "palyra:plugin/describe@1.0.0";
    /// Exported by a component with hooks.
    pub const HOOKS: &str = "palyra:plugin/hooks@1.0.0";

    /// The interfaces that a component may import from Palyra, in addition to WASI.
    pub const IMPORTS: [&str; 8] = [TYPES, HOST_CAPABILITIES, HTTP, SECRETS, STORAGE, CHANNELS, LOG, RUN];
    /// The interfaces that a component may export to Palyra.
    pub const EXPORTS: [&str; 3] = [TOOLS, DESCRIBE, HOOKS];
}

/// The functions of the exported interfaces.
pub mod exports {
    /// Calls a tool; a function of `tools`.
    pub const INVOKE: &str = "invoke";
    /// Returns the self-description; a function of `describe`.
    pub const DESCRIBE: &str = "describe";
    /// Decides about an event; a function of `hooks`.
    pub const ON_EVENT: &str = "on-event";
}

/// The functions of `host-capabilities`, for components and core modules.
pub mod host_capabilities {
    /// Number of granted HTTP rules.
    pub const HTTP_COUNT: &str = "http-count";
    /// Handle of an HTTP rule by index.
    pub const HTTP_HANDLE: &str = "http-handle";
    /// Number of granted secrets.
    pub const SECRET_COUNT: &str = "secret-count";
    /// Handle of a secret by index.
    pub const SECRET_HANDLE: &str = "secret-handle";
    /// Number of granted storage prefixes.
    pub const STORAGE_COUNT: &str = "storage-count";
    /// Handle of a storage prefix by index.
    pub const STORAGE_HANDLE: &str = "storage-handle";
    /// Number of granted channels.
    pub const CHANNEL_COUNT: &str = "channel-count";
    /// Handle of a channel by index.
    pub const CHANNEL_HANDLE: &str = "channel-handle";
    /// Handle by name. In a core module it is an operation of `host-call`.
    pub const FIND: &str = "find";
    /// Name by handle. In a core module it is an operation of `host-call`.
    pub const NAME: &str = "name";

    /// The functions of type `() -> i32`.
    pub const COUNTS: [&str; 4] = [HTTP_COUNT, SECRET_COUNT, STORAGE_COUNT, CHANNEL_COUNT];
    /// The functions of type `(index: i32) -> i32`.
    pub const HANDLES: [&str; 4] = [HTTP_HANDLE, SECRET_HANDLE, STORAGE_HANDLE, CHANNEL_HANDLE];
}

/// The imports and exports of a core module.
pub mod core_module {
    /// The entry function if the manifest does not name one: `() -> i32`, where 0 is success.
    pub const DEFAULT_EXPORT: &str = "palyra_plugin_main";
    /// The exported memory. Every pointer is an offset into it.
    pub const MEMORY_EXPORT: &str = "memory";

    /// The import module for input and output.
    pub const IO: &str = "palyra:plugin/io@1.0.0";
    /// `() -> i32`: the length of the input JSON, in bytes.
    pub const INPUT_LENGTH: &str = "input-length";
    /// `(pointer, offset, length) -> i32`: copies input into memory, returns the number of bytes.
    pub const INPUT_READ: &str = "input-read";
    /// `(pointer, length) -> i32`: appends bytes to the output JSON.
    pub const OUTPUT_WRITE: &str = "output-write";

    /// The import module for capability handles, with the functions of [`super::host_capabilities`].
    pub const HOST_CAPABILITIES: &str = super::interfaces::HOST_CAPABILITIES;

    /// The import module for every other operation.
    pub const HOST_CALL: &str = "palyra:plugin/host-call@1.0.0";
    /// `(pointer, length) -> i32`: executes a JSON request, returns the length of the JSON response.
    pub const CALL: &str = "call";
    /// `(pointer, offset, length) -> i32`: copies the last response into memory, returns the number of bytes.
    pub const RESPONSE_READ: &str = "response-read";

    /// The modules that a core module may import from.
    pub const IMPORTS: [&str; 3] = [IO, HOST_CAPABILITIES, HOST_CALL];
}

/// The operations of `host-call`: `interface.function`, with the fields of the WIT.
pub mod operations {
    /// Returns the handle of a capability by name.
    pub const FIND: &str = "host-capabilities.find";
    /// Returns the name behind a handle.
    pub const NAME: &str = "host-capabilities.name";
    /// Sends an HTTP request.
    pub const HTTP_SEND: &str = "http.send";
    /// Returns the value of a secret.
    pub const SECRETS_REVEAL: &str = "secrets.reveal";
    /// Returns the value of a storage key.
    pub const STORAGE_GET: &str = "storage.get";
    /// Sets the value of a storage key.
    pub const STORAGE_PUT: &str = "storage.put";
    /// Deletes a storage key.
    pub const STORAGE_DELETE: &str = "storage.delete";
    /// Lists storage keys below a prefix, in pages.
    pub const STORAGE_LIST: &str = "storage.list";
    /// Publishes a message to a channel.
    pub const CHANNELS_PUBLISH: &str = "channels.publish";
    /// Writes a log line.
    pub const LOG_WRITE: &str = "log.write";
    /// Returns the id of the run.
    pub const RUN_RUN_ID: &str = "run.run-id";
    /// Returns the id of the called tool or hook.
    pub const RUN_TOOL_ID: &str = "run.tool-id";
    /// Returns the remaining fuel.
    pub const RUN_REMAINING_FUEL: &str = "run.remaining-fuel";
    /// Returns the milliseconds until the deadline.
    pub const RUN_REMAINING_MILLISECONDS: &str = "run.remaining-milliseconds";
    /// Returns the operator's settings as JSON.
    pub const RUN_OPERATOR_CONFIG: &str = "run.operator-config";

    /// Every operation of `host-call`.
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
