//! MCP, carried to the daemon and back as over standard input and output.

/// The media type of messages that come one a line.
pub const MESSAGES: &str = "application/x-ndjson";
