//! The environment of a test: a home and a working directory, and no other variables.

use palyra_egress::testing::{TestReply, TestRequest, TestServer};
use regex_lite::Regex;
use serde_json::Value;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

/// Temporary directories of one test.
pub(crate) struct TestEnvironment {
    root: TempDir,
}

/// Result of a command.
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    root: PathBuf,
}

impl TestEnvironment {
    pub(crate) fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        for directory in ["home", "work"] {
            std::fs::create_dir(root.path().join(directory)).unwrap();
        }
        Self { root }
    }

    /// Returns a path in the working directory.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root.path().join("work").join(name)
    }

    /// Returns a path in the home directory.
    pub(crate) fn home(&self, name: &str) -> PathBuf {
        self.root.path().join("home").join(name)
    }

    /// Writes a file in the working directory.
    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), content).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    /// Returns a command for the program in this environment only.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_palyra"));
        command
            .args(arguments)
            .current_dir(self.path(""))
            .env_clear()
            .env("HOME", self.home(""))
            // The keyring of the user must not be used.
            .env("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent/bus")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Runs `palyra` until it exits.
    pub(crate) fn palyra(&self, arguments: &[&str]) -> Ran {
        self.ran(self.command(arguments).output().unwrap())
    }

    /// Runs the program with this standard input.
    pub(crate) fn palyra_with_input(&self, arguments: &[&str], input: &[u8]) -> Ran {
        let mut child = self.command(arguments).stdin(Stdio::piped()).spawn().unwrap();
        // A program that does not read all of its input closes the pipe.
        let _ = child.stdin.take().unwrap().write_all(input);
        self.ran(child.wait_with_output().unwrap())
    }

    /// Runs the program with these variables.
    pub(crate) fn palyra_with_variables(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Ran {
        self.ran(self.command(arguments).envs(variables.iter().copied()).output().unwrap())
    }

    /// Creates an environment with a state root in the home directory, with the device key in a file.
    pub(crate) fn with_state() -> Self {
        let environment = Self::new();
        let made = environment.palyra(&["init", "--device-key", "file"]);
        assert_eq!(made.code, 0, "{}", made.shown());
        environment
    }

    /// Writes a file in the working directory that only its owner can read.
    pub(crate) fn write_private(&self, name: &str, content: impl AsRef<[u8]>) {
        self.write(name, content);
        std::fs::set_permissions(self.path(name), PermissionsExt::from_mode(0o600)).unwrap();
    }

    /// Creates a signing key; returns its public half.
    pub(crate) fn new_key(&self, name: &str) -> String {
        self.palyra(&["keys", "new", name, "--json"]).json()["key"]["public_key"].as_str().unwrap().to_owned()
    }

    /// Runs `palyra run --module NAME` with further arguments.
    pub(crate) fn run(&self, module: &str, arguments: &[&str]) -> Ran {
        self.palyra(&[&["run", "--module", module], arguments].concat())
    }

    pub(crate) fn ran(&self, output: Output) -> Ran {
        Ran {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
            root: self.root.path().to_owned(),
        }
    }

    /// Returns every file below the root with its content.
    pub(crate) fn all_files(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let mut files = Vec::new();
        let mut directories = vec![self.root.path().to_owned()];
        while let Some(directory) = directories.pop() {
            for entry in std::fs::read_dir(directory).unwrap() {
                let entry = entry.unwrap();
                match entry.file_type().unwrap() {
                    kind if kind.is_dir() => directories.push(entry.path()),
                    kind if kind.is_file() => {
                        files.push((entry.path(), std::fs::read(entry.path()).unwrap()))
                    }
                    _ => {}
                }
            }
        }
        files
    }
}

impl Ran {
    /// Returns the object on standard output of a successful command.
    pub(crate) fn json(&self) -> Value {
        assert_eq!((self.code, self.stderr.as_str()), (0, ""), "{}", self.shown());
        assert_eq!(self.stdout.lines().count(), 1);
        serde_json::from_str(&self.stdout).unwrap()
    }

    /// Returns the reply of a command whose exit code judges a skill.
    pub(crate) fn judged(&self) -> Value {
        assert!(matches!(self.code, 0 | 3 | 5 | 6 | 12) && self.stderr.is_empty(), "{}", self.shown());
        assert_eq!(self.stdout.lines().count(), 1);
        serde_json::from_str(&self.stdout).unwrap()
    }

    /// Returns the error object on standard error of a command without other output.
    pub(crate) fn error(&self) -> Value {
        assert!(self.stdout.is_empty(), "{}", self.shown());
        self.error_after_output()
    }

    /// Returns the error object on standard error.
    pub(crate) fn error_after_output(&self) -> Value {
        assert_ne!(self.code, 0, "{}", self.shown());
        assert_eq!(self.stderr.lines().count(), 1, "{}", self.stderr);
        let document: Value = serde_json::from_str(&self.stderr).unwrap();
        document["error"].clone()
    }

    /// Returns both outputs, result first, without the parts that differ between runs.
    pub(crate) fn shown_output(&self) -> String {
        self.normalised(&format!("{}{}", self.stdout, self.stderr))
    }

    /// Replaces the parts of a text that differ between runs.
    pub(crate) fn normalised(&self, text: &str) -> String {
        normalise(text, &self.root)
    }

    /// Returns exit code and both outputs without the parts that differ between runs.
    pub(crate) fn shown(&self) -> String {
        let mut text = format!("exit {}\n", self.code);
        for (name, output) in [("stdout", &self.stdout), ("stderr", &self.stderr)] {
            if !output.is_empty() {
                text.push_str(&format!("--- {name}\n{output}"));
            }
        }
        self.normalised(&text)
    }
}

fn normalise(text: &str, root: &Path) -> String {
    let mut text =
        text.replace(&root.display().to_string(), "[ROOT]").replace(env!("CARGO_BIN_EXE_palyra"), "[PALYRA]");
    for (pattern, replacement) in [
        (r"\brun_[0-9a-f]{20}\b", "[RUN]"),
        (r"\b[0-9a-f]{64}\b", "[SHA256]"),
        (r"\b[0-9.]+ (µs|ms|s)\b", "[TIME]"),
        (r"\bfuel [0-9,]+ of", "fuel [FUEL] of"),
        (r"127\.0\.0\.1:[0-9]+", "127.0.0.1:[PORT]"),
        (r"ed25519-public:[A-Za-z0-9+/]{43}=", "ed25519-public:[KEY]"),
        (r"palyra/[0-9a-f]{16}\+[0-9a-f]{8}\+[A-Za-z0-9+/=]+", "[JOURNAL KEY]"),
        (r"palyra/[0-9a-f]{16}", "palyra/[JOURNAL]"),
        (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", "[WHEN]"),
        (r"process [0-9]+ ", "process [PID] "),
    ] {
        text = Regex::new(pattern).unwrap().replace_all(&text, replacement).into_owned();
    }
    text
}

/// Starts a server on loopback; returns it with its URL without a path.
pub(crate) async fn serve(
    handler: impl Fn(&TestRequest) -> TestReply + Send + Sync + 'static,
) -> (TestServer, String) {
    let server = TestServer::http(handler).await.unwrap();
    let url = format!("http://{}", server.address());
    (server, url)
}
