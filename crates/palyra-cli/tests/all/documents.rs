//! Compares `docs/run.md`, `docs/state.md` and `docs/daemon.md` with the program.

use crate::environment::TestEnvironment;
use palyra_api::codes;
use palyra_common::limits::{
    COMPILE_MEMORY_BYTES, COMPILE_TIMEOUT_MS, DEFAULT_STORAGE_BYTES, DEFAULT_STORAGE_KEYS, LimitKind,
    MAX_MODULE_BYTES, MAX_STACK_BYTES, RuntimeLimits,
};
use palyra_common::{OperatorGrants, WasmPluginRunErrorKind, env_vars};
use palyra_plugins_runtime::RuntimeConfig;

const TEXT: &str = include_str!("../../../../docs/run.md");

/// Returns the rows of the table below a heading, without its head, as lists of cells.
fn table(heading: &str) -> Vec<Vec<String>> {
    let section =
        TEXT.split(&format!("## {heading}\n")).nth(1).unwrap_or_else(|| panic!("no heading `{heading}`"));
    let section = section.split("\n## ").next().unwrap();
    let is_row = |line: &&str| line.starts_with('|');
    let rows = section.lines().skip_while(|line| !is_row(line)).take_while(is_row).skip(2);
    rows.map(|row| row.trim_matches('|').split(" | ").map(|cell| cell.trim().to_owned()).collect()).collect()
}

fn in_backticks(cell: &str) -> Vec<&str> {
    cell.split('`').skip(1).step_by(2).collect()
}

#[test]
fn every_grant_in_the_table_can_be_read() {
    let rows = table("Grants");
    assert_eq!(rows.len(), 10);
    for row in rows {
        for grant in in_backticks(&row[0]) {
            OperatorGrants::parse([grant]).unwrap_or_else(|error| panic!("{grant}: {error}"));
        }
    }
}

#[test]
fn the_limits_are_those_of_the_code() {
    let rows = table("Limits");
    let (defaults, ceiling) = (RuntimeLimits::default(), RuntimeConfig::default().ceiling);
    assert_eq!(rows.len(), LimitKind::SETTABLE.len());
    for (row, kind) in rows.iter().zip(LimitKind::SETTABLE) {
        let shown = |limits: &RuntimeLimits| format!("`{}`", kind.format_value(limits.get(kind).unwrap()));
        assert_eq!(row[0], format!("`{kind}`"));
        assert_eq!((&row[2], &row[3]), (&shown(&defaults), &shown(&ceiling)), "{kind}");
        for text in [&row[2], &row[3]] {
            let assignment = format!("{kind}={}", text.trim_matches('`'));
            RuntimeLimits::default().set(&assignment).unwrap_or_else(|error| panic!("{assignment}: {error}"));
        }
    }
}

#[test]
fn the_numbers_in_the_text_are_those_of_the_code() {
    let ways = [
        ("96 MiB", MAX_MODULE_BYTES == 96 << 20),
        ("64 MiB and 1,000,000 keys", (DEFAULT_STORAGE_BYTES, DEFAULT_STORAGE_KEYS) == (64 << 20, 1_000_000)),
        ("The stack has 512 KiB", MAX_STACK_BYTES == 512 << 10),
        ("120 seconds and 8 GiB", (COMPILE_TIMEOUT_MS, COMPILE_MEMORY_BYTES) == (120_000, 8 << 30)),
        ("shorter than 4 bytes", palyra_egress::limits::MIN_SECRET_BYTES == 4),
    ];
    for (words, agree) in ways {
        assert!(agree && TEXT.contains(words), "{words}");
    }
}

#[test]
fn the_exit_codes_are_those_of_the_code() {
    let rows = table("Exit codes");
    for kind in WasmPluginRunErrorKind::ALL {
        let found = rows.iter().any(|row| {
            row[0] == codes::exit_code(kind.into()).to_string()
                && row[1].contains(&format!("`{}`", kind.wire_name()))
        });
        assert!(found, "{kind:?}");
    }
}

#[test]
fn the_variables_are_those_of_the_code() {
    let mut told: Vec<String> = table("Variables").into_iter().map(|row| row[0].clone()).collect();
    let of_daemon = include_str!("../../../../docs/daemon.md").lines();
    told.extend(
        of_daemon
            .filter_map(|line| line.strip_prefix("| `PALYRA_")?.split('`').next())
            .map(|name| format!("`PALYRA_{name}`")),
    );
    for (name, _) in env_vars::ALL.iter().filter(|(name, _)| *name != env_vars::PALYRA_GUEST_ROUTE) {
        assert_eq!(told.iter().filter(|row| **row == format!("`{name}`")).count(), 1, "{name}");
    }
    assert_eq!(told.len(), env_vars::ALL.len() - 1);
}

#[test]
fn every_flag_is_explained_and_no_other() {
    let environment = TestEnvironment::new();
    let help =
        environment.palyra(&["run", "--help"]).stdout + &environment.palyra(&["help", "global"]).stdout;
    let words = |text: &str| -> std::collections::BTreeSet<String> {
        let flags = text
            .split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'))
            .filter(|word| word.starts_with("--") && !word.starts_with("---"));
        flags.map(str::to_owned).collect()
    };
    assert_eq!(words(TEXT), words(&help).into_iter().filter(|flag| flag != "--help").collect());
}

/// Asserts that every command in `docs/state.md` and `docs/daemon.md` exists with its flags.
#[test]
fn the_commands_about_the_state_exist() {
    let text = concat!(include_str!("../../../../docs/state.md"), include_str!("../../../../docs/daemon.md"));
    let environment = TestEnvironment::new();
    let mut commands = 0;
    for line in text.lines().filter_map(|line| line.strip_prefix("$ palyra ")) {
        let words: Vec<&str> = line.split(['<', '>']).next().unwrap().split_whitespace().collect();
        let depth = if words.starts_with(&["skills", "package"]) { 3 } else { 2 };
        let verb = words.iter().copied().take(depth).filter(|word| !word.starts_with('-'));
        let verb: Vec<&str> = verb.collect();
        let help = environment.palyra(&[&verb[..], &["--help"]].concat());
        assert_eq!(help.code, 0, "{line}");
        for flag in words.iter().filter(|word| word.starts_with("--")) {
            assert!(help.stdout.contains(flag), "{line}: {flag}");
        }
        commands += 1;
    }
    assert!(commands >= 20);
    for code in ["1", "4", "5", "7", "8", "11"] {
        assert!(text.contains(&format!("\n| {code} | ")), "{code}");
    }
}

/// Runs the example commands of the document, in a directory with the counter.
#[test]
fn the_examples_work() {
    let environment = TestEnvironment::new();
    environment.write("counter.wat", include_str!("../../../../examples/skills/counter-wat/guest.wat"));
    let mut commands = 0;
    for block in TEXT.split("```console\n").skip(1) {
        let mut lines = block.split("```").next().unwrap().lines().peekable();
        while let Some(line) = lines.next() {
            let Some(command) = line.strip_prefix("$ ") else { panic!("not a command: {line}") };
            let mut expected = String::new();
            while let Some(output) = lines.next_if(|line| !line.starts_with("$ ")) {
                expected.push_str(&format!("{output}\n"));
            }
            let mut shell = std::process::Command::new("sh");
            shell.arg("-c").arg(command.replacen("palyra", env!("CARGO_BIN_EXE_palyra"), 1));
            let shell = shell.current_dir(environment.path("")).env("HOME", environment.home(""));
            let ran = environment.ran(shell.stdin(std::process::Stdio::null()).output().unwrap());
            assert_eq!(ran.shown_output(), ran.normalised(&expected), "{command}");
            commands += 1;
        }
    }
    assert!(commands >= 4);
}
