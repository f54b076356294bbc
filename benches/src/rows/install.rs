//! An installation compared with writing the same bytes durably.

use super::Bench;
use crate::home::{install, new_state};
use crate::row::Measured;
use crate::sample::{Plan, in_turn};
use crate::skill::release;
use anyhow::{Context, Result, ensure};
use palyra_skills::RuntimeStatus;
use palyra_state::InstallOptions;
use std::io::Write;
use std::path::Path;

/// Measures updates: each release is verified, audited and stored, with rows, leaf and anchor.
pub async fn one_megabyte(bench: &Bench) -> Result<Measured> {
    let rounds = bench.pick(8, 40);
    let directory = tempfile::tempdir()?;
    let state = new_state(&directory)?;
    install(&state, &release(1, 1_000_000)?)?;
    let mut releases = Vec::new();
    for number in 2..=rounds as u64 + 2 {
        releases.push(release(number, 1_000_000)?.bytes);
    }
    let (mut ours, mut theirs) = (releases.iter(), releases.iter().enumerate());
    let medians = in_turn(
        Plan::even(rounds, 1),
        async || {
            let bytes = ours.next().context("there is no release left")?;
            let outcome = state.skills().install(bytes.clone(), &InstallOptions::default(), "owner", &mut |_| {})?;
            ensure!(outcome.status == RuntimeStatus::Active, "it is {:?}", outcome.status);
            Ok(())
        },
        async || {
            let (number, bytes) = theirs.next().context("there is no release left")?;
            write_and_sync(directory.path(), &format!("plain-{number}"), bytes)
        },
    );
    let medians = medians.await?;
    let note = "told, without a goal: an installation also verifies, audits and commits twice".to_owned();
    Ok(Measured { ours: medians.ours, baseline: Some(medians.baseline), note: Some(note) })
}

/// Writes a file atomically: temporary file, sync, rename, sync of the directory.
fn write_and_sync(directory: &Path, name: &str, bytes: &[u8]) -> Result<()> {
    let mut file = tempfile::NamedTempFile::new_in(directory)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(directory.join(name))?;
    std::fs::File::open(directory)?.sync_all()?;
    Ok(())
}
