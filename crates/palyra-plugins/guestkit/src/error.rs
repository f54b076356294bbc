//! Errors of guest builds, as facts. Advice is in [`GuestkitError::hint`].

use std::path::{Path, PathBuf};

use crate::rust_route::{Refusal, Route};

/// The reason why a guest was not built.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the message of each variant names its fields")]
pub enum GuestkitError {
    /// A file operation failed.
    #[error("cannot {action} `{}`", path.display())]
    File {
        /// The attempted operation, as a verb.
        action: &'static str,
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
    /// `guest.toml` is not TOML of the expected form.
    #[error("`{}` is not a guest description", path.display())]
    GuestFile {
        /// The path of `guest.toml`.
        path: PathBuf,
        #[source]
        source: Box<toml::de::Error>,
    },
    /// A value in `guest.toml` is not allowed.
    #[error("`{field}` in `{}`: {reason}", path.display())]
    GuestField {
        /// The path of `guest.toml`.
        path: PathBuf,
        field: &'static str,
        /// The violated rule.
        reason: String,
    },
    /// Two guests would be written to the same file.
    #[error("guest name `{name}` is used by `{}` and `{}`", first.display(), second.display())]
    DuplicateName { name: String, first: PathBuf, second: PathBuf },
    /// One output file was given for several guests.
    #[error("cannot write {guests} guests to one output file")]
    OneFileForMany {
        /// The number of guests.
        guests: usize,
    },
    /// No cache directory is set and there is no home directory.
    #[error("no cache directory: neither a cache directory nor a home directory is set")]
    NoCacheDirectory,
    /// Another process held a lock for too long.
    #[error("`{}` stayed locked by another run for {seconds} s", path.display())]
    LockTimeout {
        path: PathBuf,
        /// The time that this process waited.
        seconds: u64,
    },
    /// `PALYRA_GUEST_ROUTE` is not the name of a route.
    #[error("invalid route `{value}`: expected auto, installed, rustup or debian")]
    UnknownRoute { value: String },
    /// No route to a Rust compiler for WebAssembly works on this machine.
    #[error("cannot compile Rust for `{target}` on this machine{}", list_refusals(refusals))]
    NoRustRoute {
        target: &'static str,
        /// The attempted routes, each with the reason of its failure.
        refusals: Vec<Refusal>,
    },
    /// A program that a step requires is not installed.
    #[error("`{program}` is not installed; it is required to {purpose}")]
    ProgramMissing { program: &'static str, purpose: &'static str },
    /// Python has neither `venv` nor `pip`, and they could not be installed.
    #[error("python3 has neither `venv` nor `pip`: {reason}")]
    NoVirtualEnvironment {
        /// The reason why the Debian package could not be installed.
        reason: String,
    },
    /// A program could not be started.
    #[error("cannot start {step}")]
    StepStart {
        /// The purpose of the program.
        step: String,
        #[source]
        source: std::io::Error,
    },
    /// A program failed.
    #[error("{step} failed with {status}{}", after_newline(output))]
    StepFailed {
        /// The purpose of the program.
        step: String,
        status: String,
        /// The end of its output.
        output: String,
    },
    /// A program exceeded its time limit and was stopped.
    #[error("{step} timed out after {seconds} s{}", after_newline(output))]
    StepTimedOut {
        /// The purpose of the program.
        step: String,
        seconds: u64,
        /// The end of its output.
        output: String,
    },
    /// A `Cargo.toml` among the inputs of a guest is not TOML.
    #[error("`{}` is not a manifest", path.display())]
    Manifest {
        /// The path of `Cargo.toml`.
        path: PathBuf,
        #[source]
        source: Box<toml::de::Error>,
    },
    /// A manifest of the SDK cannot be encoded.
    #[error("cannot write the manifest `{path}` of the SDK")]
    Sdk {
        /// The path of the manifest, relative to the directory of the SDK.
        path: String,
        /// The error of the TOML encoder.
        #[source]
        source: Box<toml::ser::Error>,
    },
    /// A Rust guest's build produced no module.
    #[error("the build of `{}` produced no .wasm file", directory.display())]
    NoModule { directory: PathBuf },
    /// The text is not WebAssembly text.
    #[error("cannot assemble WebAssembly text")]
    WasmText(#[source] wat::Error),
    /// The bytes are not WebAssembly.
    #[error("not WebAssembly")]
    NotWasm(#[source] wasmparser::BinaryReaderError),
    /// A core module was expected.
    #[error("already a component: only a core module can be encoded into one")]
    AlreadyComponent,
    /// A core module contains no WIT, so it would become a component without exports.
    #[error("a core module without a component-type section would become a component with no exports")]
    NoComponentType,
    /// A component without exports is not callable.
    #[error("the component has no exports")]
    NoExports,
    /// The encoder rejected the module.
    #[error("cannot encode the module into a component")]
    Encode(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// A WIT text or world is invalid.
    #[error("cannot use world `{world}`")]
    Wit {
        world: String,
        /// The error of the parser or generator.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

impl GuestkitError {
    /// Returns advice for the user, if there is any.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::NoCacheDirectory => Some("set PALYRA_CACHE_DIR to a writable directory".into()),
            Self::LockTimeout { .. } => Some("wait for the other guest build to finish, then try \
                again".into()),
            Self::UnknownRoute { .. } => Some("unset PALYRA_GUEST_ROUTE to try every route in order".into()),
            Self::NoRustRoute { target, refusals } => {
                let no_rustup = |refusal: &Refusal| {
                    refusal.route == Route::Rustup && refusal.reason.contains("not installed")
                };
                let rustup = if refusals.iter().any(no_rustup) { "install Rust from https://rustup.rs and " } else { "" };
                Some(format!(
                    "{rustup}run `rustup target add {target}`, or on Debian install {}",
                    crate::rust_route::DEBIAN_PACKAGES.join(" ")
                ))
            }
            Self::ProgramMissing { program, .. } => Some(install_hint(program)),
            Self::NoVirtualEnvironment { .. } => Some("install it (Debian: apt-get install python3-venv)".into()),
            Self::NoModule { .. } => Some("a guest's Cargo.toml needs crate-type = [\"cdylib\"]".into()),
            Self::StepFailed { output, .. } if output.contains("--locked was passed") => {
                Some("the guest's Cargo.lock is out of date: run `cargo update --workspace` in its directory".into())
            }
            Self::NoComponentType => Some(
                "generate bindings for a world of palyra:plugin (Rust: palyra-plugins-sdk, C: `guestkit c-bindings`), \
                 or ship the module as a core module"
                    .into(),
            ),
            Self::NoExports => Some("implement the exports of the world named in guest.toml".into()),
            Self::AlreadyComponent => Some("use the file as it is".into()),
            Self::DuplicateName { .. } => Some("give one of them another `name` in guest.toml".into()),
            _ => None,
        }
    }

    /// Returns a function that wraps an I/O error with the attempted action and the path.
    pub(crate) fn file(action: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_path_buf();
        move |source| Self::File { action, path, source }
    }
}

fn install_hint(program: &str) -> String {
    match program {
        "node" | "npm" => "install Node.js 18 or newer with npm (Debian: apt-get install nodejs npm)".into(),
        "python3" => "install Python 3.9 or newer (Debian: apt-get install python3 python3-venv)".into(),
        other => format!("install {other} and put it on PATH"),
    }
}

fn list_refusals(refusals: &[Refusal]) -> String {
    refusals.iter().map(|refusal| format!("\n  {}: {}", refusal.route, refusal.reason)).collect()
}

fn after_newline(output: &str) -> String {
    if output.is_empty() { String::new() } else { format!("\n{output}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_route_names_every_attempt_and_what_to_install() {
        let error = GuestkitError::NoRustRoute {
            target: "wasm32-unknown-unknown",
            refusals: vec![Refusal {
                route: crate::Route::Rustup,
                reason: "`rustup` is not installed".to_owned(),
            }],
        };
        assert!(error.to_string().contains("rustup: `rustup` is not installed"), "{error}");
        let hint = error.hint().unwrap();
        assert!(
            hint.contains("rustup target add wasm32-unknown-unknown") && hint.contains("rust-web-src"),
            "{hint}"
        );
    }

    #[test]
    fn an_outdated_lock_file_has_a_hint_and_other_failures_have_none() {
        let failed = |output: &str| GuestkitError::StepFailed {
            step: "cargo build".to_owned(),
            status: "exit status: 101".to_owned(),
            output: output.to_owned(),
        };
        assert!(failed("cannot update the lock file because --locked was passed").hint().is_some());
        assert_eq!(failed("error[E0425]").hint(), None);
    }
}
