//! Limits of one request, independent of the provider.

/// Maximum size of a request body, in bytes.
pub const MAX_REQUEST_BYTES: usize = 16 << 20;
/// Maximum size of a response on the wire, in bytes.
pub const MAX_RESPONSE_BYTES: u64 = 64 << 20;
/// Maximum size of one frame of an event stream, in bytes.
pub const MAX_FRAME_BYTES: usize = 4 << 20;
/// Maximum size of the text of a response, and of its reasoning, in bytes.
pub const MAX_TEXT_BYTES: usize = 4 << 20;
/// Maximum number of tool calls in a response.
pub const MAX_TOOL_CALLS: usize = 64;
/// Maximum size of the arguments of one tool call, in bytes.
pub const MAX_ARGUMENT_BYTES: usize = 256 << 10;
/// Maximum length of the id and of the name of a tool call, in bytes.
pub const MAX_NAME_BYTES: usize = 256;
/// Maximum size of the opaque state of a provider, in bytes.
pub const MAX_PROVIDER_STATE_BYTES: usize = 512 << 10;
/// Maximum number of bytes that are read from the body of an error.
pub const MAX_ERROR_BODY_BYTES: usize = 64 << 10;
/// Maximum length of a provider's message in an error, in characters.
pub const MAX_MESSAGE_CHARS: usize = 300;
