//! A cold start from the verified disk cache compared with a cold start that compiles.

use super::Bench;
use crate::row::Measured;
use crate::sample::median;
use anyhow::{Result, ensure};
use palyra_plugins_runtime::{DiskCacheConfig, ModuleOrigin, RuntimeConfig, WasmRuntime};

/// Measures loads into a new runtime each time, so that memory keeps nothing between two loads.
pub async fn from_disk(bench: &Bench) -> Result<Measured> {
    let directory = tempfile::tempdir()?;
    let cache = DiskCacheConfig { directory: directory.path().join("code"), key: [7; 32], on_event: None };
    let with_cache = RuntimeConfig { disk_cache: Some(cache), ..RuntimeConfig::default() };
    let guest = &bench.ours.guests.javascript;
    load(&with_cache, guest, ModuleOrigin::Compiled).await?;
    let (mut disk, mut compiled) = (Vec::new(), Vec::new());
    for _ in 0..bench.pick(3, 7) {
        compiled.push(load(&RuntimeConfig::default(), guest, ModuleOrigin::Compiled).await?);
        for _ in 0..20 {
            disk.push(load(&with_cache, guest, ModuleOrigin::DiskCache).await?);
        }
    }
    Ok(Measured { ours: median(disk), baseline: Some(median(compiled)), note: None })
}

/// Measures `load` alone, in microseconds.
async fn load(config: &RuntimeConfig, guest: &[u8], origin: ModuleOrigin) -> Result<f64> {
    let runtime = WasmRuntime::new(config.clone())?;
    let started = std::time::Instant::now();
    let module = runtime.load(guest).await?;
    let elapsed = started.elapsed();
    ensure!(module.origin == origin, "the code came from {:?}, not from {origin:?}", module.origin);
    Ok(elapsed.as_secs_f64() * 1e6)
}
