//! Help pages of the commands that own the state: each has an example and matches its snapshot.

use crate::environment::TestEnvironment;
use insta::assert_snapshot;

/// Every command with its subcommands.
const COMMANDS: [&[&str]; 91] = [
    &["init"],
    &["keys"],
    &["keys", "new"],
    &["keys", "list"],
    &["keys", "export"],
    &["keys", "import"],
    &["keys", "rotate"],
    &["keys", "sign"],
    &["keys", "revoke"],
    &["trust"],
    &["trust", "list"],
    &["trust", "show"],
    &["trust", "allow"],
    &["trust", "block"],
    &["trust", "unblock"],
    &["trust", "repin"],
    &["trust", "apply"],
    &["trust", "repair"],
    &["audit-policy"],
    &["audit-policy", "show"],
    &["audit-policy", "set"],
    &["audit-policy", "reset"],
    &["audit-policy", "advisories"],
    &["runner-policy"],
    &["runner-policy", "show"],
    &["runner-policy", "set"],
    &["runner-policy", "reset"],
    &["vault"],
    &["vault", "put"],
    &["vault", "list"],
    &["vault", "remove"],
    &["journal"],
    &["journal", "tail"],
    &["journal", "query"],
    &["journal", "verify"],
    &["journal", "checkpoint"],
    &["mcp"],
    &["mcp", "serve"],
    &["mcp", "config"],
    &["up"],
    &["daemon"],
    &["daemon", "run"],
    &["daemon", "status"],
    &["daemon", "stop"],
    &["tools"],
    &["tools", "list"],
    &["tools", "show"],
    &["tools", "search"],
    &["tools", "alias"],
    &["tools", "unalias"],
    &["models"],
    &["models", "list"],
    &["models", "show"],
    &["models", "add"],
    &["models", "test"],
    &["models", "default"],
    &["models", "remove"],
    &["tokens"],
    &["tokens", "list"],
    &["tokens", "add"],
    &["tokens", "remove"],
    &["policy"],
    &["policy", "show"],
    &["policy", "set"],
    &["policy", "reset"],
    &["policy", "check"],
    &["doctor"],
    &["backup"],
    &["restore"],
    &["routines"],
    &["routines", "list"],
    &["routines", "add"],
    &["routines", "show"],
    &["routines", "enable"],
    &["routines", "disable"],
    &["routines", "fire"],
    &["routines", "remove"],
    &["objectives"],
    &["objectives", "list"],
    &["objectives", "add"],
    &["objectives", "show"],
    &["objectives", "pause"],
    &["objectives", "resume"],
    &["objectives", "done"],
    &["objectives", "remove"],
    &["deliveries"],
    &["deliveries", "list"],
    &["deliveries", "dead-letters"],
    &["deliveries", "dead-letters", "list"],
    &["deliveries", "dead-letters", "retry"],
    &["deliveries", "dead-letters", "drop"],
];

fn help(command: &[&str]) -> String {
    let ran = TestEnvironment::new().palyra(&[command, &["--help"]].concat());
    assert_eq!(ran.code, 0, "{}", ran.shown());
    format!("$ palyra {} --help\n{}", command.join(" "), ran.stdout)
}

#[test]
fn every_command_has_an_example_below_its_description() {
    for command in COMMANDS {
        let help = help(command);
        let example = format!("  palyra {}", command.join(" "));
        let mut lines = help.lines().skip(2);
        assert_eq!((lines.next(), lines.next()), (Some(""), Some("Example:")), "{help}");
        assert!(lines.next().unwrap().starts_with(&example) || help.contains(&example), "{help}");
    }
}

#[test]
fn the_help_of_the_commands_that_own_the_state() {
    let all: Vec<String> = COMMANDS.iter().map(|command| help(command)).collect();
    assert_snapshot!(all.join("\n"));
}

#[test]
fn a_noun_without_a_verb_shows_its_help_and_a_wrong_verb_is_guessed() {
    let environment = TestEnvironment::new();
    for noun in [
        "keys",
        "trust",
        "vault",
        "journal",
        "mcp",
        "daemon",
        "tools",
        "tokens",
        "policy",
        "audit-policy",
        "runner-policy",
        "routines",
        "objectives",
    ] {
        let ran = environment.palyra(&[noun]);
        assert_eq!(ran.code, 2);
        assert!(ran.stderr.contains("\n\nExample:\n"), "{}", ran.stderr);
    }
    assert_snapshot!(environment.palyra(&["keys", "lst"]).shown(), @"
    exit 2
    --- stderr
    error: unrecognized subcommand 'lst'

      tip: a similar subcommand exists: 'list'

    Usage: palyra keys [OPTIONS] <COMMAND>

    For more information, try '--help'.
    ");
}
