//! `palyra keys revoke`: a key that is known or feared to be in other hands.

use super::view::{KeyView, find, public};
use crate::cli::Globals;
use crate::error::{CliError, FileRefusal};
use crate::files::write_new_file;
use crate::output::{Remark, Reply};
use crate::state;
use crate::terminal::confirm;
use clap::Args;
use palyra_common::env_vars::{
    PALYRA_KEYS_REVOKE_NUMBER, PALYRA_KEYS_REVOKE_OUT, PALYRA_KEYS_REVOKE_PUBLISHER,
    PALYRA_KEYS_REVOKE_REASON,
};
use palyra_skills::manifest::PublisherName;
use palyra_skills::signing::{KeyId, SkillSigningKey};
use palyra_skills::trust::{
    FeedError, FeedIssuer, RevocationList, RevocationTarget, RevokedKey, SignedRevocations, TrustStatement,
    TrustStatementError,
};
use palyra_state::journal::{EventKind, NewEvent};
use palyra_state::{State, StateError, TrustRefused};
use serde::Serialize;
use serde_json::json;
use std::path::PathBuf;

const EXAMPLE: &str = "\
Example:
  palyra keys revoke release --reason 'the laptop was stolen'
  palyra keys revoke release --reason 'the laptop was stolen' --publisher acme --out revoked.json";

const MORE: &str = "\
Nothing un-revokes a key: everything it signed is refused here from now on. With `--publisher`
and `--out` a signed statement is written that says so to everybody who trusts the publisher.";

/// Revoke a signing key for good.
#[derive(Args)]
#[command(before_help = EXAMPLE, after_help = MORE)]
pub(super) struct RevokeArgs {
    /// The key
    name: String,

    /// Why; others read it
    #[arg(long, value_name = "TEXT")]
    #[arg(env = PALYRA_KEYS_REVOKE_REASON, hide_env_values = true)]
    reason: String,

    /// Write a statement in the name of this publisher
    #[arg(long, value_name = "PUBLISHER", requires = "out")]
    #[arg(env = PALYRA_KEYS_REVOKE_PUBLISHER, hide_env_values = true)]
    publisher: Option<PublisherName>,

    /// Where the statement is written; the file must not exist
    #[arg(long, value_name = "FILE", requires = "publisher")]
    #[arg(env = PALYRA_KEYS_REVOKE_OUT, hide_env_values = true)]
    out: Option<PathBuf>,

    /// A key of the publisher's that signs the statement; may be given again [default: the key itself]
    #[arg(long, value_name = "NAME", requires = "publisher")]
    sign_with: Vec<String>,

    /// The number of the statement, above that of the last one [default: the next one known here]
    #[arg(long, value_name = "N", requires = "publisher")]
    #[arg(env = PALYRA_KEYS_REVOKE_NUMBER, hide_env_values = true)]
    number: Option<u64>,
}

#[derive(Serialize)]
pub(super) struct Revoked {
    key: KeyView,
    reason: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    statement: Option<String>,
}

pub(super) fn execute(args: &RevokeArgs, globals: &Globals) -> Result<Revoked, CliError> {
    confirm(globals, &format!("revoke the signing key `{}` for good?", args.name))?;
    let state = state::open(globals, "keys revoke")?;
    let key_id = public(&find(&state, &args.name)?)?.key_id();
    if let (Some(publisher), Some(out)) = (&args.publisher, &args.out) {
        let statement = statement(args, publisher, key_id, &state)?;
        let text = statement.encode();
        let text =
            text.map_err(|error| CliError::Setup(format!("the statement cannot be written: {error}")))?;
        write_new_file(out, &text)?;
        apply_where_known(&state, &statement)?;
    }
    state.revoke(RevocationTarget::Key(key_id), &args.reason)?;
    let info = state.vault().keys().revoke(&args.name, state::now_ms())?;
    let event = NewEvent::new(EventKind::KeysRevoked, state::now_ms()).subject(key_id.to_string());
    state::record(&state, event.details(json!({ "name": args.name, "reason": args.reason })))?;
    state::finish(state)?;
    Ok(Revoked {
        key: KeyView::of(&info)?,
        reason: args.reason.clone(),
        statement: args.out.as_ref().map(|path| path.display().to_string()),
    })
}

fn statement(
    args: &RevokeArgs,
    publisher: &PublisherName,
    key_id: KeyId,
    state: &State,
) -> Result<TrustStatement, CliError> {
    let itself = [args.name.clone()];
    let names = if args.sign_with.is_empty() { &itself[..] } else { &args.sign_with };
    let mut signers = Vec::new();
    for name in names {
        find(state, name)?;
        signers.push(SkillSigningKey::from_seed(&state.vault().keys().seed_for_statement(name)?));
    }
    let view = state.view();
    let last = view.trust().publisher(publisher.as_str()).and_then(|trust| trust.revocations);
    let list = RevocationList {
        issuer: FeedIssuer::Publisher(publisher.as_str().to_owned()),
        number: args.number.unwrap_or_else(|| last.map_or(1, |last| last.number.saturating_add(1))),
        keys: vec![RevokedKey { key_id, reason: args.reason.clone() }],
        releases: Vec::new(),
    };
    let signed = SignedRevocations::sign(list, &signers.iter().collect::<Vec<_>>())
        .map_err(|error| FileRefusal::from(TrustStatementError::from(error)))?;
    Ok(TrustStatement::Revocations(Box::new(signed)))
}

/// A publisher need not trust itself on the machine that keeps its keys.
fn apply_where_known(state: &State, statement: &TrustStatement) -> Result<(), CliError> {
    match state.apply_statement(statement) {
        Ok(_) | Err(StateError::Trust(TrustRefused::Feed(FeedError::UnknownIssuer(_)))) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

impl Reply for Revoked {
    const SCHEMA: &'static str = "palyra.keys.revoke/v1";

    fn data(&self) -> String {
        self.key.facts()
    }

    fn talk(&self) -> Vec<Remark> {
        let next = match &self.statement {
            Some(path) => format!("send it to whoever trusts you: `palyra trust apply {path}`"),
            None => "others still trust it: tell them with a statement, as `palyra keys revoke --help` shows"
                .into(),
        };
        vec![Remark::Next(next)]
    }
}
