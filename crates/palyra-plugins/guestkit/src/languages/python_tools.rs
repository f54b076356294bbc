//! Installs tools from the Python package index, each into a private environment.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::apt;
use crate::cache::{InputHasher, write_whole};
use crate::error::GuestkitError;
use crate::kit::Kit;
use crate::process::{find_program, is_executable, run};

const VENV_LIMIT: Duration = Duration::from_secs(120);
const INSTALL_LIMIT: Duration = Duration::from_secs(900);

const VENV_PYTHON: &str = "venv/bin/python";
const SITE: &str = "site";

/// Returns the Python interpreter of this machine.
pub(crate) fn find_python() -> Option<PathBuf> {
    find_program("python3")
}

/// Returns a Python with the pinned `requirements`, installed under `name` if missing.
pub(super) fn ensure(kit: &Kit, name: &str, requirements: &str) -> Result<PythonTool, GuestkitError> {
    let mut hasher = InputHasher::new();
    hasher.add("requirements", requirements.as_bytes());
    let directory = format!("{name}-{}", &hasher.finish()[..16]);
    let installed = kit.cache().install(&directory, kit.tell(), is_usable, |unfinished| {
        kit.say(&format!("installing {name}, once"));
        fill(kit, unfinished, requirements)
    })?;
    PythonTool::in_directory(&installed)
}

/// A Python environment with one tool.
pub(super) struct PythonTool {
    python: PathBuf,
    site: Option<PathBuf>,
}

impl PythonTool {
    fn in_directory(directory: &Path) -> Result<Self, GuestkitError> {
        let python = directory.join(VENV_PYTHON);
        if is_executable(&python) {
            return Ok(Self { python, site: None });
        }
        Ok(Self { python: require_python()?, site: Some(directory.join(SITE)) })
    }

    /// Returns its interpreter as a command that ignores other packages of this machine.
    pub(super) fn command(&self) -> Command {
        let mut command = Command::new(&self.python);
        for name in ["PYTHONHOME", "PYTHONPATH", "VIRTUAL_ENV"] {
            command.env_remove(name);
        }
        if let Some(site) = &self.site {
            command.env("PYTHONPATH", site);
        }
        command.env("PYTHONDONTWRITEBYTECODE", "1");
        command
    }
}

/// Returns whether the environment still works: an upgrade can remove its interpreter.
fn is_usable(directory: &Path) -> bool {
    is_executable(&directory.join(VENV_PYTHON)) || (directory.join(SITE).is_dir() && find_python().is_some())
}

fn require_python() -> Result<PathBuf, GuestkitError> {
    find_python()
        .ok_or(GuestkitError::ProgramMissing { program: "python3", purpose: "build C and Python guests" })
}

/// Fills a virtual environment; without `venv` a plain directory of packages, without `pip` Debian's packages first.
fn fill(kit: &Kit, directory: &Path, requirements: &str) -> Result<(), GuestkitError> {
    let list = directory.join("requirements.txt");
    write_whole(&list, requirements.as_bytes())?;
    let python = match find_python() {
        Some(python) => python,
        None => {
            // If this is not possible, the error below names the packages to install.
            let _ = apt::install_packages(&["python3", "python3-venv"], kit.tell());
            require_python()?
        }
    };
    if make_venv(&python, directory).is_ok() {
        return install_into_venv(directory, &list);
    }
    if has_pip(&python) {
        return install_into_directory(&python, directory, &list);
    }
    apt::install_packages(&["python3-venv"], kit.tell())
        .map_err(|reason| GuestkitError::NoVirtualEnvironment { reason })?;
    make_venv(&python, directory)?;
    install_into_venv(directory, &list)
}

fn make_venv(python: &Path, directory: &Path) -> Result<(), GuestkitError> {
    let venv = directory.join("venv");
    let mut command = Command::new(python);
    command.args(["-m", "venv", "--clear"]).arg(&venv);
    let made = run("python3 -m venv", command, VENV_LIMIT);
    if made.is_err() {
        // Debian's python3 without python3-venv leaves an environment without pip behind.
        let _ = std::fs::remove_dir_all(&venv);
    }
    made.map(drop)
}

fn has_pip(python: &Path) -> bool {
    let mut command = Command::new(python);
    command.args(["-m", "pip", "--version"]);
    run("python3 -m pip", command, VENV_LIMIT).is_ok()
}

fn install_into_venv(directory: &Path, list: &Path) -> Result<(), GuestkitError> {
    install(pip(&directory.join(VENV_PYTHON), list))
}

fn install_into_directory(python: &Path, directory: &Path, list: &Path) -> Result<(), GuestkitError> {
    let mut command = pip(python, list);
    command.arg("--target").arg(directory.join(SITE));
    install(command)
}

fn pip(python: &Path, list: &Path) -> Command {
    let mut command = Command::new(python);
    command
        .env_remove("PYTHONPATH")
        .env_remove("PIP_TARGET")
        .args(["-m", "pip", "install", "--quiet", "--no-input", "--disable-pip-version-check"])
        .args(["--no-deps", "--require-hashes", "--only-binary", ":all:", "--no-compile", "--requirement"])
        .arg(list);
    command
}

fn install(command: Command) -> Result<(), GuestkitError> {
    run("pip install", command, INSTALL_LIMIT).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_is_pinned_to_one_version_and_its_hashes() {
        for requirements in [super::super::c::TOOLS, super::super::python::TOOLS] {
            let pins: Vec<_> = requirements.lines().filter(|line| line.contains("==")).collect();
            assert_eq!(pins.len(), 1, "{requirements}");
            assert!(requirements.matches("--hash=sha256:").count() >= 2, "{requirements}");
        }
    }

    #[test]
    fn a_directory_without_an_interpreter_is_not_usable() {
        let directory = tempfile::tempdir().unwrap();
        assert!(!is_usable(directory.path()));
        std::fs::create_dir_all(directory.path().join("venv/bin")).unwrap();
        std::os::unix::fs::symlink("/nonexistent/python", directory.path().join(VENV_PYTHON)).unwrap();
        assert!(!is_usable(directory.path()));
    }
}
