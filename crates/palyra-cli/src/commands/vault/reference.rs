//! `SCOPE/KEY` in arguments. Invalid text may be a secret, so errors never repeat it.

use crate::error::CliError;
use palyra_common::capabilities::SecretRef;

pub(super) fn read(text: &str) -> Result<SecretRef, CliError> {
    text.parse().map_err(|_| {
        CliError::usage_with_hint(
            "invalid secret reference: expected SCOPE/KEY",
            "the scope is `global`, `principal:NAME`, `channel:NAME` or `skill:ID`, for example `global/github_token`",
        )
    })
}
