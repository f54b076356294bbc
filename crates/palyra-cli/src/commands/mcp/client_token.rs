//! The token of an MCP client: one per client, stored next to the owner's, with only the scopes to read and to call.

use crate::cli::Globals;
use crate::client;
use crate::error::CliError;
use crate::state;
use palyra_api::tokens::{NewTokenRequest, ScopeName};
use palyra_common::fs::{Directory, FsError};
use std::path::PathBuf;

/// Folder in the state root with the tokens of MCP clients.
const FOLDER: &str = "mcp";

/// Returns the file with the token of a client, which is created on first use.
///
/// A removed token is not created again automatically, because its removal was intended.
pub(super) fn client_token(globals: &Globals, client: &str) -> Result<PathBuf, CliError> {
    let folder = state::root(globals)?.path().join(FOLDER);
    let path = folder.join(format!("{client}.token"));
    if path.exists() {
        return Ok(path);
    }
    let request = NewTokenRequest {
        name: token_name(client),
        scopes: vec![ScopeName::Read, ScopeName::Invoke],
        lifetime_seconds: None,
    };
    let made = client::stay(globals, async |client| client.add_token(&request).await);
    let made = match made {
        // Another process of the same client created it first.
        Err(_) if path.exists() => return Ok(path),
        made => made?,
    };
    let refused = |error: FsError| {
        CliError::usage_with_hint(
            format!("cannot store the token of `{client}`: {error}"),
            format!("it exists: remove it with `palyra tokens remove {}`", token_name(client)),
        )
    };
    let folder = Directory::create_private(&folder).map_err(refused)?;
    folder.write_new(&format!("{client}.token"), format!("{}\n", made.secret).as_bytes()).map_err(refused)?;
    Ok(path)
}

/// Returns the name of a client's token, as receipts show it.
pub(super) fn token_name(client: &str) -> String {
    format!("mcp-{client}")
}

/// Parses a client name that fits into a token name.
pub(super) fn parse_client(text: &str) -> Result<String, String> {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'_');
    if (1..=36).contains(&text.len()) && text.bytes().all(plain) {
        Ok(text.to_owned())
    } else {
        Err("use up to 36 lower-case letters, digits, `-` and `_`".to_owned())
    }
}
