//! `palyra keys rotate`: the old keys name their successors, and both sign.

use super::view::{find, public};
use crate::cli::Globals;
use crate::error::{CliError, FileRefusal};
use crate::files::write_new_file;
use crate::output::{Remark, Reply, facts};
use crate::state;
use clap::Args;
use palyra_common::env_vars::{PALYRA_KEYS_ROTATE_EPOCH, PALYRA_KEYS_ROTATE_OUT};
use palyra_skills::manifest::PublisherName;
use palyra_skills::signing::{KeySet, SkillSigningKey};
use palyra_skills::trust::{SignedRotation, TrustStatement};
use palyra_state::State;
use palyra_state::journal::{EventKind, NewEvent};
use serde::Serialize;
use serde_json::json;
use std::path::PathBuf;

const EXAMPLE: &str = "\
Example:
  palyra keys new release-2
  palyra keys rotate acme --from release --to release-2 --epoch 1 --out rotation.json";

const MORE: &str = "\
The old keys are retired: they sign no more, because two different successors for one epoch
would block the publisher everywhere. Ship the statement with your next release, or send it to
those who trust you.";

/// Hand over to other keys: writes a statement signed by the old keys and the new ones.
#[derive(Args)]
#[command(before_help = EXAMPLE, after_help = MORE)]
pub(super) struct RotateArgs {
    /// The publisher whose keys they are
    publisher: PublisherName,

    /// A key that ends; may be given again
    #[arg(long, required = true, value_name = "NAME")]
    from: Vec<String>,

    /// A key that begins; may be given again
    #[arg(long, required = true, value_name = "NAME")]
    to: Vec<String>,

    /// How many of the old keys must sign
    #[arg(long, default_value_t = 1, value_name = "N")]
    from_threshold: u32,

    /// How many of the new keys must sign from now on
    #[arg(long, default_value_t = 1, value_name = "N")]
    to_threshold: u32,

    /// The epoch that ends; may be left out when the publisher is known here
    #[arg(long, value_name = "N")]
    #[arg(env = PALYRA_KEYS_ROTATE_EPOCH, hide_env_values = true)]
    epoch: Option<u64>,

    /// Where the statement is written; the file must not exist
    #[arg(long, value_name = "FILE")]
    #[arg(env = PALYRA_KEYS_ROTATE_OUT, hide_env_values = true)]
    out: PathBuf,
}

#[derive(Serialize)]
pub(super) struct Rotated {
    publisher: String,
    from_epoch: u64,
    to_epoch: u64,
    retired: Vec<String>,
    new_keys: Vec<String>,
    statement: String,
    statement_sha256: String,
}

pub(super) fn execute(args: &RotateArgs, globals: &Globals) -> Result<Rotated, CliError> {
    let state = state::open(globals, "keys rotate")?;
    let (old_keys, old_signers) = key_set(&state, &args.from, args.from_threshold)?;
    let (new_keys, new_signers) = key_set(&state, &args.to, args.to_threshold)?;
    let from_epoch = epoch(args, &state)?;
    let signers: Vec<&SkillSigningKey> = old_signers.iter().chain(&new_signers).collect();
    let rotation = SignedRotation::sign(args.publisher.as_str(), from_epoch, &old_keys, &new_keys, &signers)
        .map_err(FileRefusal::from)?;
    let reply = Rotated {
        publisher: args.publisher.as_str().to_owned(),
        from_epoch,
        to_epoch: rotation.statement().to_epoch,
        retired: key_ids(&old_keys),
        new_keys: key_ids(&new_keys),
        statement: args.out.display().to_string(),
        statement_sha256: rotation.digest().to_string(),
    };
    let text = TrustStatement::Rotation(Box::new(rotation)).encode();
    let text = text.map_err(|error| CliError::Setup(format!("the statement cannot be written: {error}")))?;
    // First the statement: a stop after it leaves a key too many, a stop before it would lose the successor.
    write_new_file(&args.out, &text)?;
    for name in &args.from {
        state.vault().keys().retire(name, state::now_ms())?;
    }
    let details = json!({ "from": reply.retired, "to": reply.new_keys, "to_epoch": reply.to_epoch });
    let event = NewEvent::new(EventKind::KeysRotated, state::now_ms()).subject(&*reply.publisher);
    state::record(&state, event.details(details))?;
    state::finish(state)?;
    Ok(reply)
}

/// Keys that may sign: a retired one would make a second successor for its epoch.
fn key_set(
    state: &State,
    names: &[String],
    threshold: u32,
) -> Result<(KeySet, Vec<SkillSigningKey>), CliError> {
    let (mut keys, mut signers) = (Vec::new(), Vec::new());
    for name in names {
        keys.push(public(&find(state, name)?)?);
        signers.push(SkillSigningKey::from_seed(&state.vault().keys().seed(name)?));
    }
    Ok((KeySet::new(keys, threshold).map_err(FileRefusal::from)?, signers))
}

fn epoch(args: &RotateArgs, state: &State) -> Result<u64, CliError> {
    let view = state.view();
    let known =
        view.trust().publisher(args.publisher.as_str()).and_then(|trust| trust.anchor.as_ref()?.epoch);
    args.epoch.or(known).ok_or_else(|| {
        CliError::usage_with_hint(
            format!("the epoch of publisher `{}` is not known here", args.publisher.as_str()),
            "name the epoch your releases have now with `--epoch N`; the first is 1",
        )
    })
}

fn key_ids(keys: &KeySet) -> Vec<String> {
    keys.keys().map(|key| key.key_id().to_string()).collect()
}

impl Reply for Rotated {
    const SCHEMA: &'static str = "palyra.keys.rotate/v1";

    fn data(&self) -> String {
        facts(&[
            ("publisher", self.publisher.clone()),
            ("epoch", format!("{} to {}", self.from_epoch, self.to_epoch)),
            ("retired", self.retired.join(", ")),
            ("successor", self.new_keys.join(", ")),
            ("statement", self.statement.clone()),
        ])
    }

    fn talk(&self) -> Vec<Remark> {
        vec![Remark::Next(format!(
            "whoever trusts you follows it with `palyra trust apply {}`",
            self.statement
        ))]
    }
}
