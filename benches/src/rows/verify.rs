//! The complete verification of an artifact, compared with the minimum: its SHA-256 and one signature.

use super::Bench;
use crate::row::Measured;
use crate::sample::{Plan, in_turn};
use crate::skill::{platform, release, signing_key};
use anyhow::{Result, ensure};
use palyra_skills::{SkillTrustStore, TrustSnapshot, verify_skill_artifact};
use sha2::{Digest, Sha256};
use std::hint::black_box;

pub async fn one_mebibyte(bench: &Bench) -> Result<Measured> {
    verify(1 << 20, Plan::even(bench.pick(40, 200), 5)).await
}

pub async fn sixteen_mebibytes(bench: &Bench) -> Result<Measured> {
    verify(16 << 20, Plan::even(bench.pick(10, 50), 2)).await
}

async fn verify(bytes: usize, plan: Plan) -> Result<Measured> {
    let artifact = release(1, bytes)?.bytes;
    let trust = TrustSnapshot::new(SkillTrustStore::default()).with_tofu(true);
    let platform = platform();
    let key = signing_key();
    let (public, signature) = (key.public(), key.sign(&Sha256::digest(&artifact)));
    let medians = in_turn(
        plan,
        async || {
            let verified = verify_skill_artifact(artifact.clone(), &trust, &platform);
            black_box(verified.map_err(|refusal| anyhow::anyhow!("{refusal}"))?);
            Ok(())
        },
        async || {
            let digest = Sha256::digest(black_box(&artifact));
            ensure!(public.verifies(&digest, &signature), "the signature is not good");
            Ok(())
        },
    );
    let medians = medians.await?;
    Ok(Measured { ours: medians.ours, baseline: Some(medians.baseline), note: None })
}
