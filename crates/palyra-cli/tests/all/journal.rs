//! `palyra journal`.

use crate::environment::TestEnvironment;
use insta::assert_snapshot;
use std::io::{BufRead, BufReader, Read};

fn busy() -> TestEnvironment {
    let environment = TestEnvironment::with_state();
    let key = environment.new_key("release");
    assert_eq!(environment.palyra(&["trust", "allow", "acme", &key]).code, 0);
    assert_eq!(environment.palyra_with_input(&["vault", "put", "global/token"], b"hunter2hunter2").code, 0);
    environment
}

#[test]
fn the_tail_shows_what_every_command_did() {
    let environment = busy();
    assert_snapshot!(environment.palyra(&["journal", "tail"]).shown(), @r#"
    exit 0
    --- stdout
         0  [WHEN]  state:initialised     owner
         1  [WHEN]  keys:created          owner   ed25519:[SHA256]  name=release
         2  [WHEN]  trust:allowed         owner   acme  keys=["ed25519:[SHA256]"]
         3  [WHEN]  vault:put             owner   global/token
    --- stderr
    4 events in all
    "#);
    assert_snapshot!(environment.palyra(&["journal", "tail", "-n", "1"]).shown(), @"
    exit 0
    --- stdout
         3  [WHEN]  vault:put             owner   global/token
    --- stderr
    4 events in all
    ");
    let tail = environment.palyra(&["journal", "tail", "--json"]).json();
    assert_eq!((&tail["schema"], &tail["size"]), (&"palyra.journal.tail/v1".into(), &4.into()));
    assert_eq!(tail["events"][3]["kind"], "vault:put");
    let lines = environment.palyra(&["journal", "tail", "--output", "ndjson"]);
    assert_eq!(lines.stdout.lines().count(), 4);
}

#[test]
fn queries_by_kind_time_and_place() {
    let environment = busy();
    let query = |arguments: &[&str]| environment.palyra(&[&["journal", "query"], arguments].concat());
    let kinds = |arguments: &[&str]| -> Vec<String> {
        let found = query(&[arguments, &["--json"]].concat()).json();
        found["events"]
            .as_array()
            .unwrap()
            .iter()
            .map(|event| event["kind"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(kinds(&["--kind", "trust:allowed", "--kind", "vault:put"]), ["trust:allowed", "vault:put"]);
    assert_eq!(kinds(&["--newest-first", "--limit", "1"]), ["vault:put"]);
    assert_eq!(kinds(&["--since", "1h"]).len(), 4);
    assert_eq!(kinds(&["--until", "2020-01-01"]).len(), 0);
    assert_eq!(kinds(&["--skill", "acme.echo"]).len(), 0);
    assert_eq!(kinds(&["--run", "run_1"]).len(), 0);
    let proven = query(&["--kind", "vault:put", "--proofs", "--json"]).json();
    assert!(proven["events"][0]["proof"].is_object(), "{proven}");
    assert_snapshot!(query(&["--limit", "1"]).shown(), @"
    exit 0
    --- stdout
         0  [WHEN]  state:initialised     owner
    --- stderr
    next: more results: add `--from 1`
    ");
    assert_snapshot!(query(&["--from", "1", "--limit", "1", "--json"]).json()["next_from"].to_string(), @"2");
    assert_snapshot!(query(&["--skill", "acme.echo"]).shown(), @"
    exit 0
    --- stderr
    no events match
    next: see the latest with `palyra journal tail`
    ");
    assert_snapshot!(query(&["--kind", "trust:alowed"]).shown(), @"
    exit 2
    --- stderr
    error: invalid value 'trust:alowed' for '--kind <KIND>': unknown event kind; did you mean `trust:allowed`?

    For more information, try '--help'.
    ");
    assert_snapshot!(query(&["--since", "yesterday"]).shown(), @"
    exit 2
    --- stderr
    error: invalid value 'yesterday' for '--since <TIME>': expected a time such as `[WHEN]` or `2026-01-31`, or an age such as `30m`, `2h` or `7d`

    For more information, try '--help'.
    ");
}

#[test]
fn a_checkpoint_kept_elsewhere_finds_out_an_old_copy_of_everything() {
    let environment = busy();
    assert_snapshot!(environment.palyra(&["journal", "verify"]).shown(), @"
    exit 0
    --- stdout
    journal  intact
    events   4
    root     [SHA256]
    checked  4 events, 5 checkpoints
    records  0 runs, 0 totals and 0 messages match the journal
    --- stderr
    next: store a checkpoint on another machine to verify against later: `palyra journal checkpoint`
    ");
    let copy = environment.path("copy");
    let copied =
        std::process::Command::new("cp").arg("-a").arg(environment.home(".palyra")).arg(&copy).status();
    assert!(copied.unwrap().success());
    environment.new_key("another");
    let checkpoint = environment.palyra(&["journal", "checkpoint"]);
    assert_snapshot!(checkpoint.stderr.lines().count().to_string(), @"2");
    environment.write("checkpoint.txt", &checkpoint.stdout);
    let against = ["journal", "verify", "--against", "checkpoint.txt"];
    assert_snapshot!(environment.palyra(&against).shown(), @"
    exit 0
    --- stdout
    journal  intact
    events   5
    root     [SHA256]
    checked  5 events, 6 checkpoints
    records  0 runs, 0 totals and 0 messages match the journal
    against  the checkpoint at 5 is part of it
    ");
    // A vault in a file cannot detect that the whole root is an old copy; the checkpoint can.
    let old = environment.palyra(&[&against[..], &["--state-root", "copy"]].concat());
    assert_snapshot!(old.shown(), @"
    exit 7
    --- stderr
    error: the journal is damaged: the journal was truncated: it has 4 events, the checkpoint it was compared with has 5
    hint: this journal has two histories; compare it with the machine that created the checkpoint
    ");
    let error = environment.palyra(&[&against[..], &["--state-root", "copy", "--json"]].concat()).error();
    assert_eq!(error["details"]["report"]["damage"]["witness"], "outside");

    environment.write("edited.txt", checkpoint.stdout.replacen('5', "6", 1));
    assert_eq!(environment.palyra(&["journal", "verify", "--against", "edited.txt"]).code, 5);
    environment.write("noise.txt", "hello");
    assert_snapshot!(environment.palyra(&["journal", "verify", "--against", "noise.txt"]).shown(), @"
    exit 5
    --- stderr
    error: invalid signed note: expected a blank line before the signatures
    hint: store the output of `palyra journal checkpoint` unchanged, with its blank line
    ");
}

/// A daemon that a command started, stopped with the test.
struct Started<'e>(&'e TestEnvironment);

impl Drop for Started<'_> {
    fn drop(&mut self) {
        let _ = self.0.palyra(&["daemon", "stop"]);
    }
}

/// A command that follows, killed with the test.
struct Following(std::process::Child);

impl Drop for Following {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn following_shows_events_of_other_commands_and_ends_when_interrupted() {
    let environment = busy();
    let _daemon = Started(&environment);
    let mut child = environment
        .command(&["journal", "tail", "--follow", "-n", "2", "--output", "ndjson"])
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    // The start of the daemon may be recorded before or after the earlier events.
    let mut next = || loop {
        let line = lines.next().unwrap().unwrap();
        match serde_json::from_str::<serde_json::Value>(&line).unwrap() {
            event if event["kind"] == "gateway:startup" => {}
            event => break event,
        }
    };
    while next()["kind"] != "vault:put" {}
    environment.new_key("another");
    assert_eq!(next()["kind"], "keys:created");
    environment.new_key("third");
    assert_eq!(next()["details"]["name"], "third");
    let pid = rustix::process::Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let status = environment.palyra(&["daemon", "status"]);
    assert_eq!(status.code, 0, "the daemon it started outlives it: {}", status.shown());
}

#[test]
fn following_says_why_no_daemon_can_be_started() {
    let environment = TestEnvironment::new();
    assert_snapshot!(environment.palyra(&["journal", "tail", "--follow"]).shown(), @"
    exit 1
    --- stderr
    error: no state root at `[ROOT]/home/.palyra`
    hint: create one with `palyra up -d`, or choose another with `--state-root`
    ");
}

#[test]
fn following_ends_when_the_daemon_does() {
    let environment = busy();
    let _daemon = Started(&environment);
    let child = environment.command(&["journal", "tail", "--follow", "-n", "1"]).spawn().unwrap();
    let mut child = Following(child);
    let mut line = String::new();
    // Kept open until the end, because following ends successfully when its reader is gone.
    let mut told = BufReader::new(child.0.stdout.take().unwrap());
    told.read_line(&mut line).unwrap();
    assert!(line.contains("vault:put") || line.contains("gateway:startup"), "{line}");
    assert_eq!(environment.palyra(&["daemon", "stop"]).code, 0);
    told.read_to_string(&mut line).unwrap();
    assert_eq!(child.0.wait().unwrap().code(), Some(9), "{line}");
}
