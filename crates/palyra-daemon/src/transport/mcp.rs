//! MCP: the tools of installed skills, for models behind an MCP client.
//!
//! A client sees every enabled tool and nothing else: no tool here installs, grants, approves, trusts or lifts a
//! quarantine. A call goes through the call pipeline with the token of the client.

mod annotations;
mod answer;
mod approval;
mod caller;
mod calls;
mod catalogue;
mod changes;
mod conversation;
mod server;
mod sessions;
mod stdio;

pub(crate) use caller::StdioClient;
pub(crate) use conversation::PARSED_WEIGHT;
pub(crate) use sessions::McpSessions;
pub(crate) use stdio::serve_stdio;
