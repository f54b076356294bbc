//! `SCOPE/KEY` on the command line: what is not one may be a secret, so it is never repeated.

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
