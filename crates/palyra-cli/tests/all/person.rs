//! A user at a terminal: its output, and the input typed at its prompts.
//!
//! The terminal is the pseudo-terminal that `script` of util-linux creates; `tty` prints its name first.

use crate::environment::TestEnvironment;
use rustix::fs::{Mode, OFlags};
use rustix::termios::{LocalModes, tcgetattr};
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// Input to type when the terminal shows a text.
pub(crate) enum Typing<'a> {
    /// Echoed while it is typed.
    Shown(&'a str, &'a str),
    /// Typed only after the terminal has stopped to echo its input.
    Hidden(&'a str, &'a str),
}

/// Output of the terminal, and the exit code of the program.
pub(crate) struct Seen {
    pub(crate) code: i32,
    pub(crate) shown: String,
}

/// Runs `palyra` on its own terminal; every prompt must appear, in this order.
pub(crate) fn at_terminal(environment: &TestEnvironment, arguments: &[&str], typing: &[Typing<'_>]) -> Seen {
    let mut child = spawn(environment, arguments);
    let mut screen = Screen {
        keyboard: child.stdin.take().unwrap(),
        output: child.stdout.take().unwrap(),
        shown: String::new(),
        read_to: 0,
    };
    let terminal = screen.terminal();
    for typed in typing {
        let (question, answer) = match typed {
            Typing::Shown(question, answer) | Typing::Hidden(question, answer) => (question, answer),
        };
        screen.wait_for(question);
        if matches!(typed, Typing::Hidden(..)) {
            wait_until_hidden(&terminal);
        }
        writeln!(screen.keyboard, "{answer}").unwrap();
    }
    // The output ends with the program.
    drop(terminal);
    while screen.more() {}
    Seen { code: child.wait().unwrap().code().unwrap(), shown: screen.shown.replace('\r', "") }
}

fn spawn(environment: &TestEnvironment, arguments: &[&str]) -> Child {
    let palyra = environment.command(arguments);
    let words = std::iter::once(palyra.get_program()).chain(palyra.get_args());
    let words: Vec<String> = words.map(|word| quoted(word.to_str().unwrap())).collect();
    let mut command = Command::new("/usr/bin/script");
    command.args(["--quiet", "--return", "--flush", "--command"]);
    command.arg(format!("tty; exec {}", words.join(" "))).arg("/dev/null");
    command.current_dir(palyra.get_current_dir().unwrap()).env_clear();
    command.env("TERM", "dumb").env("PATH", "/usr/bin:/bin").env("SHELL", "/bin/sh");
    for (name, value) in palyra.get_envs() {
        command.env(name, value.unwrap());
    }
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap()
}

fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

struct Screen {
    keyboard: ChildStdin,
    output: ChildStdout,
    shown: String,
    read_to: usize,
}

impl Screen {
    /// Opens the terminal by its name, which is in the first line.
    fn terminal(&mut self) -> OwnedFd {
        self.wait_for("\n");
        let name = self.shown[..self.read_to].trim().to_owned();
        rustix::fs::open(&name, OFlags::RDONLY | OFlags::NOCTTY | OFlags::CLOEXEC, Mode::empty())
            .unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// Reads new output; returns false at its end.
    fn more(&mut self) -> bool {
        let mut bytes = [0; 4096];
        let count = self.output.read(&mut bytes).unwrap();
        self.shown.push_str(&String::from_utf8_lossy(&bytes[..count]));
        count > 0
    }

    fn wait_for(&mut self, text: &str) {
        loop {
            if let Some(at) = self.shown[self.read_to..].find(text) {
                self.read_to += at + text.len();
                return;
            }
            assert!(self.more(), "it never showed {text:?}:\n{}", self.shown);
        }
    }
}

fn wait_until_hidden(terminal: &OwnedFd) {
    while tcgetattr(terminal).unwrap().local_modes.contains(LocalModes::ECHO) {
        std::thread::yield_now();
    }
}
