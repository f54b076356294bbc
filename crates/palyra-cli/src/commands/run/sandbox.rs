//! The sandbox of one run: compiler, caches, and the backends of host calls.

use super::key_file::OneShotKey;
use super::secrets::Secrets;
use crate::directories::Directories;
use crate::error::CliError;
use crate::files::read_file;
use crate::output::Warnings;
use palyra_common::limits::{COMPILE_MEMORY_BYTES, COMPILE_TIMEOUT_MS};
use palyra_daemon::{AppConfig, compile_child};
use palyra_egress::{CertificateDer, EgressConfig, EgressGuard};
use palyra_plugins_runtime::{
    CacheEvent, ChildCompiler, DirectoryStorage, DiskCacheConfig, HostServices, MemoryChannels,
    MemorySecrets, MemoryStorage, RuntimeConfig, RuntimeStartError, StorageBackend, WasmRuntime,
};
use rustls_pki_types::pem::PemObject;
use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Maximum size of a file with root certificates, in bytes.
const MAX_PEM_BYTES: u64 = 4 << 20;

/// Settings of the command line for the backends of host calls.
pub(super) struct HostSettings {
    pub(super) secrets: Secrets,
    pub(super) storage: Option<Arc<dyn StorageBackend>>,
    pub(super) extra_roots: Vec<CertificateDer<'static>>,
    /// True if requests are permitted; a replay sends none.
    pub(super) outside: bool,
    /// True to store compiled code between runs.
    pub(super) cache: bool,
    /// True if a tape is written or read.
    pub(super) taped: bool,
    pub(super) compile_timeout_ms: u64,
}

/// A runtime with its channels.
pub(super) struct Sandbox {
    pub(super) runtime: WasmRuntime,
    pub(super) channels: Arc<MemoryChannels>,
}

impl HostSettings {
    /// Returns settings without secrets, permanent storage, egress or tape; compiled code is stored.
    pub(super) fn closed() -> Self {
        Self {
            secrets: Secrets::new(),
            storage: None,
            extra_roots: Vec::new(),
            outside: false,
            cache: true,
            taped: false,
            compile_timeout_ms: COMPILE_TIMEOUT_MS,
        }
    }
}

impl Sandbox {
    /// Starts the runtime; an unusable cache is only a warning.
    pub(super) fn start(settings: HostSettings, warnings: &Warnings) -> Result<Self, CliError> {
        let directories = Directories::from_environment();
        let key = if settings.cache || settings.taped { load_key(&directories, warnings) } else { None };
        let channels = Arc::new(MemoryChannels::default());
        let tape_key = key.as_ref().map(OneShotKey::for_tapes);
        let config = RuntimeConfig {
            max_concurrent_runs: 2,
            compiler: Arc::new(compiler(settings.compile_timeout_ms)?),
            disk_cache: key
                .filter(|_| settings.cache)
                .and_then(|key| disk_cache(&directories, &key, warnings)),
            services: HostServices {
                storage: settings.storage.unwrap_or_else(|| Arc::new(MemoryStorage::default())),
                secrets: Arc::new(MemorySecrets::from_iter(settings.secrets)),
                channels: Arc::<MemoryChannels>::clone(&channels),
                egress: settings.outside.then(|| guard(settings.extra_roots)).transpose()?,
                on_line: None,
            },
            tape_key: tape_key.map_or_else(random_key, Ok)?,
            ..RuntimeConfig::default()
        };
        Ok(Self { runtime: start(config, warnings)?, channels })
    }
}

fn start(config: RuntimeConfig, warnings: &Warnings) -> Result<WasmRuntime, CliError> {
    let without_cache = RuntimeConfig { disk_cache: None, ..config.clone() };
    let runtime = WasmRuntime::new(config).or_else(|error| match error {
        RuntimeStartError::DiskCache { .. } => {
            warnings.add(format!("{error}; recompiling"));
            WasmRuntime::new(without_cache)
        }
        error => Err(error),
    });
    runtime.map_err(|error| CliError::Setup(error.to_string()))
}

/// Returns a compiler that starts this program for each module.
pub(super) fn compiler(timeout_ms: u64) -> Result<ChildCompiler, CliError> {
    let program = std::env::current_exe().map_err(CliError::io("cannot find the path of this program"))?;
    let compiler = ChildCompiler::new(program, vec![compile_child::NAME.into()]);
    Ok(compiler.with_limits(Duration::from_millis(timeout_ms), COMPILE_MEMORY_BYTES))
}

/// Returns the sandbox of a command without sandbox flags.
pub(crate) fn default_sandbox() -> Result<AppConfig, CliError> {
    Ok(AppConfig::new(Arc::new(compiler(COMPILE_TIMEOUT_MS)?)))
}

fn load_key(directories: &Directories, warnings: &Warnings) -> Option<OneShotKey> {
    let Some(directory) = &directories.config else {
        warnings
            .add("compiled code is not cached: neither HOME nor XDG_CONFIG_HOME names a directory".into());
        return None;
    };
    OneShotKey::load_or_create(directory)
        .inspect_err(|error| warnings.add(format!("compiled code is not cached: {error}")))
        .ok()
}

fn disk_cache(directories: &Directories, key: &OneShotKey, warnings: &Warnings) -> Option<DiskCacheConfig> {
    let Some(cache) = &directories.cache else {
        warnings.add(
            "compiled code is not cached: neither HOME, XDG_CACHE_HOME nor PALYRA_CACHE_DIR names \
            a directory"
                .into(),
        );
        return None;
    };
    let warnings = warnings.clone();
    let on_event = move |event: CacheEvent| {
        warnings.add(format!("cached code `{}` is not used: {}", event.file, event.detail));
    };
    Some(DiskCacheConfig {
        directory: cache.join("code"),
        key: key.for_code(),
        on_event: Some(Arc::new(on_event)),
    })
}

/// Returns the egress guard, with these roots in addition to the built-in ones.
pub(super) fn guard(extra_roots: Vec<CertificateDer<'static>>) -> Result<EgressGuard, CliError> {
    EgressGuard::new(EgressConfig { extra_roots, ..EgressConfig::default() }).map_err(|error| {
        let cause = std::error::Error::source(&error).map(|source| format!(": {source}")).unwrap_or_default();
        CliError::usage(format!("`--ca-file`: {error}{cause}"))
    })
}

/// Returns a random key. Without the key file, secrets on tapes are comparable within this process only.
fn random_key() -> Result<[u8; 32], CliError> {
    let mut key = [0; 32];
    getrandom::fill(&mut key)
        .map_err(|error| CliError::Setup(format!("cannot read the system random source: {error}")))?;
    Ok(key)
}

/// Opens storage in a directory, which is created with mode 0700 if it does not exist.
pub(super) fn storage_in(directory: &Path) -> Result<Arc<dyn StorageBackend>, CliError> {
    let made = DirBuilder::new().recursive(true).mode(0o700).create(directory);
    let opened = made.and_then(|()| DirectoryStorage::open(directory));
    match opened {
        Ok(storage) => Ok(Arc::new(storage)),
        Err(error) => Err(CliError::unusable_place("storage directory", directory, &error)),
    }
}

/// Reads the root certificates of a PEM file.
pub(super) fn read_roots(path: &Path) -> Result<Vec<CertificateDer<'static>>, CliError> {
    let bytes = read_file(path, MAX_PEM_BYTES)?;
    let refuse = |reason: String| CliError::usage(format!("`--ca-file {}`: {reason}", path.display()));
    let roots = CertificateDer::pem_slice_iter(&bytes).collect::<Result<Vec<_>, _>>();
    match roots {
        Ok(roots) if roots.is_empty() => Err(refuse("it contains no PEM certificate".into())),
        Ok(roots) => Ok(roots),
        Err(error) => Err(refuse(error.to_string())),
    }
}
