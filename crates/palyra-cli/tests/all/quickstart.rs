//! Executes `docs/quickstart.md`.

use crate::environment::{Ran, TestEnvironment};
use std::process::{Command, Stdio};

const TEXT: &str = include_str!("../../../../docs/quickstart.md");

/// An empty home in which the commands run.
struct Machine(TestEnvironment);

impl Machine {
    /// Runs a command of the document. The daemon uses a free port, because tests run in parallel.
    fn type_in(&self, command: &str) -> Ran {
        let program = std::path::Path::new(env!("CARGO_BIN_EXE_palyra")).parent().unwrap();
        let mut shell = Command::new("sh");
        shell.args(["-c", command]).current_dir(self.0.path("")).env_clear().stdin(Stdio::null());
        shell.env("PATH", format!("{}:/usr/bin:/bin", program.display()));
        shell.env("HOME", self.0.home("")).env("PALYRA_LISTEN", "127.0.0.1:0");
        shell.env("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent/bus");
        self.0.ran(shell.output().unwrap())
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        self.type_in("palyra daemon stop");
    }
}

#[test]
fn quickstart_leads_from_nothing_to_a_verified_receipt() {
    let commands: Vec<&str> = TEXT.lines().filter_map(|line| line.strip_prefix("$ ")).collect();
    assert!((1..=8).contains(&commands.len()), "{commands:?}");
    let machine = Machine(TestEnvironment::new());
    let ran: Vec<(&str, Ran)> = commands.iter().map(|command| (*command, machine.type_in(command))).collect();
    let code = |at: usize| ran[at].1.code;
    let calls: Vec<usize> = (0..ran.len()).filter(|at| commands[*at].starts_with("palyra run ")).collect();
    let [first, denied, again] = calls[..] else { panic!("{commands:?}") };
    for (at, (command, ran)) in ran.iter().enumerate() {
        assert_eq!(ran.code == 0, at != denied, "{command}: {}", ran.shown());
    }
    assert!(ran[first].1.stdout.contains("\"count\": 5"), "{}", ran[first].1.shown());
    assert_eq!(code(denied), 16, "{}", ran[denied].1.shown());
    let error = &ran[denied].1.stderr;
    assert!(error.contains("storage") && error.contains("palyra runs show run_"), "{error}");
    assert!(ran[again].1.stdout.contains("\"count\": 10"), "{}", ran[again].1.shown());
    let verified = &ran[ran.len() - 1].1;
    assert!(verified.stderr.contains("the receipt is valid"), "{}", verified.shown());
}
