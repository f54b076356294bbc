//! MCP, carried to the daemon and back as over standard input and output.

/// Longest message, over every way MCP comes.
pub const MAX_MESSAGE_BYTES: usize = 8 << 20;

/// The media type of messages that come one a line.
pub const MESSAGES: &str = "application/x-ndjson";
