//! `palyrad` under cargo: starts the `palyra` next to it under the name `palyrad`, which makes it the daemon.
//!
//! The two commands are one program, so that an installation contains the engine once; `cargo xtask dist` makes
//! `palyrad` a link to `palyra`. Cargo cannot build links, so it builds this launcher.

#![forbid(unsafe_code)]

use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

fn main() -> ExitCode {
    let mut program = std::env::current_exe().unwrap_or_default();
    program.set_file_name("palyra");
    let error = Command::new(&program).arg0("palyrad").args(std::env::args_os().skip(1)).exec();
    tell(&format!(
        "error: cannot start `{}`: {error}\nhint: build it with `cargo build -p palyra-cli`",
        program.display()
    ));
    ExitCode::from(1)
}

#[allow(clippy::print_stderr, reason = "the only output of this program to a terminal")]
fn tell(text: &str) {
    eprintln!("{text}");
}
