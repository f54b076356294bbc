//! Determines which guests can be built on this machine, and what is missing for the others.

use std::path::Path;

use serde::Serialize;

use crate::apt;
use crate::kit::Kit;
use crate::languages::{find_node, find_python};
use crate::process::find_program;
use crate::rust_route::{DebianFiles, Programs, TARGET, has_standard_library};

/// A checked prerequisite.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The name of the prerequisite.
    pub subject: &'static str,
    /// Whether it is met.
    pub works: bool,
    /// The program that was found, or the missing part.
    pub detail: String,
}

/// Checks this machine without changing it. `directory` is where guests would be built.
pub fn diagnose(kit: &Kit, directory: &Path) -> Vec<Finding> {
    let programs = Programs::on_path(directory);
    vec![
        rust_installed(&programs),
        rust_rustup(&programs),
        rust_debian(),
        program("javascript and typescript: node", find_node()),
        program("javascript and typescript: npm", find_program("npm")),
        program("python and c: python3", find_python()),
        packages(),
        finding("cache", Ok(kit.cache().root().display().to_string())),
    ]
}

fn rust_installed(programs: &Programs) -> Finding {
    let result = match &programs.rustc {
        Some(rustc) if has_standard_library(rustc, &programs.directory) => {
            Ok(format!("`{}` has {TARGET}", rustc.display()))
        }
        Some(rustc) => Err(format!("`{}` has no {TARGET}", rustc.display())),
        None => Err("`rustc` is not installed".to_owned()),
    };
    finding("rust: target installed", result)
}

fn rust_rustup(programs: &Programs) -> Finding {
    let result = match &programs.rustup {
        Some(rustup) => Ok(format!("`{}` can add the target, if its server is reachable", rustup.display())),
        None => Err("`rustup` is not installed".to_owned()),
    };
    finding("rust: rustup", result)
}

fn rust_debian() -> Finding {
    let result = match DebianFiles::below(Path::new("/")).compiler() {
        Ok(compiler) => Ok(format!("`{}` with `{}`", compiler.library.display(), compiler.linker.display())),
        Err(missing) => match apt::can_install() {
            Ok(()) => Ok(format!("{missing}, but can be")),
            Err(reason) => Err(format!("{missing}; {reason}")),
        },
    };
    finding("rust: debian packages", result)
}

fn packages() -> Finding {
    finding("installing debian packages", apt::can_install().map(|()| "possible when needed".to_owned()))
}

fn program(subject: &'static str, path: Option<std::path::PathBuf>) -> Finding {
    let result = path.map(|path| format!("`{}`", path.display())).ok_or("not installed".to_owned());
    finding(subject, result)
}

fn finding(subject: &'static str, result: Result<String, String>) -> Finding {
    let works = result.is_ok();
    Finding { subject, works, detail: result.unwrap_or_else(|reason| reason) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rust_route::WantedRoute;

    #[test]
    fn every_subject_is_looked_at_once_and_nothing_is_written() {
        let directory = tempfile::tempdir().unwrap();
        let cache = directory.path().join("cache");
        let kit = Kit::new(cache.clone(), WantedRoute::Auto, |_| {});
        let findings = diagnose(&kit, directory.path());
        let mut subjects: Vec<_> = findings.iter().map(|finding| finding.subject).collect();
        subjects.sort();
        subjects.dedup();
        assert_eq!(subjects.len(), findings.len());
        assert!(findings.iter().all(|finding| !finding.detail.is_empty()));
        assert!(!cache.exists());
    }
}
