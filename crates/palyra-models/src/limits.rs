//! The ceilings of one request, whatever a provider sends.

/// Maximum bytes of a request body.
pub const MAX_REQUEST_BYTES: usize = 16 << 20;
/// Maximum bytes of a response on the wire.
pub const MAX_RESPONSE_BYTES: u64 = 64 << 20;
/// Maximum bytes of one frame of an event stream.
pub const MAX_FRAME_BYTES: usize = 4 << 20;
/// Maximum bytes of the text of an answer, and of its reasoning.
pub const MAX_TEXT_BYTES: usize = 4 << 20;
/// Most tool calls of an answer.
pub const MAX_TOOL_CALLS: usize = 64;
/// Maximum bytes of the arguments of one tool call.
pub const MAX_ARGUMENT_BYTES: usize = 256 << 10;
/// Maximum bytes of the id or the name of a tool call.
pub const MAX_NAME_BYTES: usize = 256;
/// Maximum bytes of the record a provider wants back.
pub const MAX_PROVIDER_STATE_BYTES: usize = 512 << 10;
/// Most bytes that are read of the body of an error.
pub const MAX_ERROR_BODY_BYTES: usize = 64 << 10;
/// Most characters of a provider's own words in an error.
pub const MAX_MESSAGE_CHARS: usize = 300;
