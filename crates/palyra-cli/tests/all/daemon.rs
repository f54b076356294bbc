//! Commands with a daemon and without one.

use crate::environment::TestEnvironment;
use crate::skill_bench::{SkillBench, example};
use insta::assert_snapshot;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::process::{Child, Command};

/// A daemon in the background, stopped with the test.
pub(crate) struct Background {
    child: Child,
    told: String,
}

impl Background {
    /// Starts a command that serves, and waits until it prints its address.
    fn start(mut command: Command) -> Self {
        let mut child = command.spawn().unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut told = String::new();
        while !told.contains("token file") {
            assert_ne!(stdout.read_line(&mut told).unwrap(), 0, "it ended before it listened: {told}");
        }
        Self { child, told }
    }

    pub(crate) fn url(&self) -> &str {
        self.told.split_whitespace().find(|word| word.starts_with("http")).unwrap()
    }

    /// Waits until the process ends; returns its exit code.
    fn ended(mut self) -> Option<i32> {
        self.child.wait().unwrap().code()
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub(crate) fn up(environment: &TestEnvironment, arguments: &[&str]) -> Background {
    let all = [&["up", "--no-examples", "--listen", "127.0.0.1:0", "--log", "warn"], arguments].concat();
    Background::start(environment.command(&all))
}

#[test]
fn second_daemon_is_refused_after_the_lock_file_was_deleted() {
    let environment = TestEnvironment::with_state();
    let daemon = up(&environment, &[]);
    std::fs::remove_file(environment.home(".palyra/owner.lock")).unwrap();
    let second =
        environment.palyra(&["daemon", "run", "--listen", "127.0.0.1:0", "--lock-wait", "0", "--json"]);
    assert_eq!((second.code, &second.error()["code"]), (8, &json!("state_busy")), "{}", second.shown());
    environment.new_key("release");
    assert_eq!(environment.palyra(&["daemon", "stop"]).code, 0);
    drop(daemon);
    let verified = environment.palyra(&["journal", "verify"]);
    assert_eq!(verified.code, 0, "{}", verified.shown());
    assert_eq!(environment.palyra(&["keys", "list", "--json"]).json()["keys"].as_array().unwrap().len(), 1);
}

#[test]
fn from_nothing_to_a_daemon_and_back() {
    let environment = TestEnvironment::new();
    let none = environment.palyra(&["daemon", "status"]);
    assert_snapshot!(none.shown(), @"
    exit 9
    --- stderr
    error: no daemon is running for `[ROOT]/home/.palyra`
    hint: start one with `palyra up`
    ");
    let daemon = up(&environment, &["--grpc-listen", "127.0.0.1:0"]);
    let status = environment.palyra(&["daemon", "status", "--json"]).json();
    assert_eq!((&status["status"], &status["url"]), (&json!("ok"), &json!(daemon.url())));
    let grpc = status["grpc_url"].as_str().unwrap();
    assert!(
        grpc.starts_with("http://127.0.0.1:") && grpc != daemon.url() && daemon.told.contains(grpc),
        "{status}"
    );
    assert!(environment.palyra(&["daemon", "status"]).stdout.contains(grpc));
    assert_eq!(environment.palyra(&["skills", "list", "--json"]).json()["skills"], json!([]));
    let twice = environment.palyra(&["up", "--listen", "127.0.0.1:0"]);
    assert_eq!(twice.code, 8, "{}", twice.shown());
    let stopped = environment.palyra(&["daemon", "stop", "--json"]).json();
    assert_eq!(stopped["gone"], true);
    assert_eq!(daemon.ended(), Some(0));
    assert_eq!(environment.palyra(&["skills", "list", "--json"]).json()["skills"], json!([]));
}

#[test]
fn commands_that_own_the_state_say_at_once_who_has_it() {
    let environment = TestEnvironment::with_state();
    let _daemon = up(&environment, &[]);
    let busy = environment.palyra(&["trust", "repair", "--json"]);
    assert_eq!(busy.code, 8);
    assert_eq!(busy.error()["code"], "state_busy");
    assert!(busy.error()["details"]["holder"]["command"].as_str().unwrap().contains("palyra up"));
}

/// Removes the fields that differ between runs.
fn comparable(mut answer: Value) -> Value {
    for field in ["run_id", "receipt"] {
        answer[field] = Value::Null;
    }
    answer["usage"]["elapsed_us"] = Value::Null;
    answer
}

#[test]
fn a_call_is_the_same_with_a_daemon_and_without() {
    let bench = SkillBench::new();
    bench.install(&bench.package("counter", &example("counter-wat"), "counter-wat"), &[]);
    let count = ["run", "palyra.counter_wat.add", "--input", "{\"step\": 5}"];
    let wrong = ["run", "palyra.counter_wat.add", "--input", "{\"step\": \"x\"}", "--json"];
    let missing = ["run", "palyra.counter_wat.ad", "--json"];
    let own = (comparable(bench.json(&count)), bench.palyra(&wrong), bench.palyra(&missing));
    let listed = bench.ok(&["tools", "list"]).stdout;
    let daemon = up(&bench.environment, &[]);
    assert_eq!(bench.ok(&["tools", "list"]).stdout, listed);
    let mut remote = comparable(bench.json(&count));
    assert_eq!((&own.0["result"], &remote["result"]), (&json!({ "count": 5 }), &json!({ "count": 10 })));
    remote["result"] = own.0["result"].clone();
    // The second call reads a value that the first one has stored, so the counts differ.
    for field in ["usage", "capabilities"] {
        remote[field] = own.0[field].clone();
    }
    assert_eq!(own.0, remote);
    for (own, remote) in [(own.1, bench.palyra(&wrong)), (own.2, bench.palyra(&missing))] {
        assert_eq!((own.code, own.error()), (remote.code, remote.error()));
    }
    let token = bench.environment.home(".palyra/owner.token").display().to_string();
    let named = ["--url", daemon.url(), "--token-file", &token];
    let named = bench.ok(&[&["tools", "show", "palyra.counter_wat.add"], &named[..]].concat());
    assert!(named.stdout.contains("palyra__counter_wat__add"), "{}", named.stdout);
}

#[test]
fn a_named_token_means_the_same_where_no_daemon_runs() {
    let environment = TestEnvironment::with_state();
    let made = environment.palyra(&["tokens", "add", "editor", "--scope", "read", "--out", "editor.token"]);
    assert_eq!(made.code, 0, "{}", made.shown());
    let under = |token: &str, arguments: &[&str]| {
        environment.palyra(&[arguments, &["--token-file", token, "--json"]].concat())
    };
    assert_eq!(under("editor.token", &["skills", "list"]).code, 0);
    let narrow = under("editor.token", &["tokens", "list"]);
    assert_eq!((narrow.code, &narrow.error()["code"]), (4, &json!("forbidden")), "{}", narrow.shown());
    assert_eq!(environment.palyra(&["tokens", "remove", "editor"]).code, 0);
    let gone = under("editor.token", &["skills", "list"]);
    assert_eq!((gone.code, &gone.error()["code"]), (4, &json!("authentication")), "{}", gone.shown());
    assert_eq!(under("none.token", &["skills", "list"]).code, 2);
    let up = up(&environment, &[]);
    drop(up);
    let owner = environment.home(".palyra/owner.token").display().to_string();
    assert_eq!(under(&owner, &["tokens", "list"]).code, 0);
}

#[test]
fn tokens_are_made_for_programs_and_taken_back() {
    let environment = TestEnvironment::with_state();
    let daemon = up(&environment, &[]);
    let url = daemon.url().to_owned();
    let made = environment.palyra(&["tokens", "add", "editor", "--scope", "read", "--out", "editor.token"]);
    assert_eq!(made.code, 0, "{}", made.shown());
    assert!(!made.stdout.contains("palyra_"), "{}", made.stdout);
    let as_editor = |arguments: &[&str]| {
        environment.palyra(&[arguments, &["--url", &url, "--token-file", "editor.token"]].concat())
    };
    assert_eq!(as_editor(&["skills", "list"]).code, 0);
    let narrow = as_editor(&["tokens", "list", "--json"]);
    assert_eq!((narrow.code, &narrow.error()["code"]), (4, &json!("forbidden")));
    assert_eq!(environment.palyra(&["tokens", "list", "--json"]).json()["tokens"][0]["name"], "editor");
    assert_eq!(environment.palyra(&["tokens", "remove", "editor"]).code, 0);
    assert_eq!(as_editor(&["skills", "list"]).code, 4);
    assert_eq!(environment.palyra(&["tokens", "remove", "editor"]).code, 11);
    let clear = environment.palyra(&["skills", "list", "--url", "http://palyra.example"]);
    assert!(clear.code == 2 && clear.stderr.contains("unencrypted"), "{}", clear.shown());
    let gone = environment.palyra(&["skills", "list", "--url", "http://127.0.0.1:1"]);
    assert_eq!(gone.code, 9, "{}", gone.shown());
}

/// Returns the output of a command without the parts that differ between runs.
fn shown(environment: &TestEnvironment, arguments: &[&str]) -> String {
    environment.palyra(arguments).shown()
}

#[test]
fn secrets_are_kept_with_a_daemon_as_without() {
    let environment = TestEnvironment::with_state();
    let put = |value: &[u8]| environment.palyra_with_input(&["vault", "put", "global/token"], value);
    assert_eq!(put(b"hunter2hunter2\n").code, 0);
    let own = shown(&environment, &["vault", "list"]);
    let _daemon = up(&environment, &[]);
    assert_eq!(shown(&environment, &["vault", "list"]), own);
    let weak = ["vault", "put", "global/token", "--allow-weak"];
    assert_snapshot!(environment.palyra_with_input(&weak, b"abc").shown(), @"
    exit 0
    --- stdout
    secret  global/token
    change  replaced
    --- stderr
    warning: `global/token` is too short to be redacted from output
    ");
    assert_snapshot!(shown(&environment, &["vault", "remove", "global/tokem", "--yes"]), @"
    exit 11
    --- stderr
    error: secret `global/tokem` does not exist
    hint: did you mean `global/token`?
    hint: choose from `global/token`
    ");
    assert_eq!(environment.palyra(&["vault", "remove", "global/token", "--yes"]).code, 0);
    let binary = put(b"\xff\xfe not text");
    assert_eq!(binary.code, 0, "{}", binary.shown());
}

#[test]
fn trust_and_keys_are_the_same_with_a_daemon_and_without() {
    let environment = TestEnvironment::with_state();
    let (key, successor) = (environment.new_key("release"), environment.new_key("release-2"));
    assert_eq!(environment.palyra(&["trust", "allow", "acme", &key]).code, 0);
    let questions: [&[&str]; 9] = [
        &["trust", "list"],
        &["trust", "show", "acme"],
        &["trust", "show", "acne", "--json"],
        &["trust", "allow", "acme", &successor, "--json"],
        &["trust", "unblock", "acme", "--json"],
        &["trust", "allow", "beta", &key, "--threshold", "2", "--json"],
        &["keys", "list"],
        &["keys", "export", "release", "--public"],
        &["keys", "new", "release", "--json"],
    ];
    let own: Vec<String> = questions.iter().map(|arguments| shown(&environment, arguments)).collect();
    let daemon = up(&environment, &[]);
    let remote: Vec<String> = questions.iter().map(|arguments| shown(&environment, arguments)).collect();
    assert_eq!(own, remote);
    environment.write_private("passphrase", "correct horse\n");
    let sealed = ["--key-file", "release.key", "--key-passphrase-file", "passphrase"];
    assert_eq!(environment.palyra(&[&["keys", "export", "release"], &sealed[..]].concat()).code, 0);
    assert_eq!(environment.palyra(&[&["keys", "import", "copy"], &sealed[..]].concat()).code, 0);
    let token = environment.home(".palyra/owner.token").display().to_string();
    let far = ["keys", "export", "release", "--key-file", "far.key", "--key-passphrase-file", "passphrase"];
    let far = environment.palyra(&[&far[..], &["--url", daemon.url(), "--token-file", &token]].concat());
    assert_eq!(far.code, 4, "{}", far.shown());
    assert!(!environment.path("far.key").exists());
    let rotate =
        ["keys", "rotate", "acme", "--from", "release", "--to", "release-2", "--epoch", "1", "--out"];
    assert_eq!(environment.palyra(&[&rotate[..], &["one.json"]].concat()).code, 0);
    assert_eq!(environment.palyra(&[&rotate[..], &["two.json"]].concat()).code, 0);
    assert_eq!(environment.read("one.json"), environment.read("two.json"), "asked again, told again");
    assert_eq!(environment.palyra(&["trust", "apply", "one.json"]).code, 0);
    let revoke = ["keys", "revoke", "copy", "--reason", "lost", "--publisher", "acme", "--yes"];
    let revoked =
        environment.palyra(&[&revoke[..], &["--sign-with", "release-2", "--out", "gone.json"]].concat());
    assert_eq!(revoked.code, 0, "{}", revoked.shown());
    assert!(environment.read("gone.json").contains("signatures"));
}

#[test]
fn the_journal_is_read_and_proved_through_the_daemon() {
    let environment = TestEnvironment::with_state();
    environment.new_key("release");
    let keys = ["journal", "query", "--kind", "keys:created"];
    let own = shown(&environment, &keys);
    let _daemon = up(&environment, &[]);
    assert_eq!(shown(&environment, &keys), own);
    let found =
        environment.palyra(&["journal", "query", "--kind", "keys:created", "--proofs", "--json"]).json();
    assert!(found["events"][0]["proof"]["path"].is_array(), "{found}");
    let checkpoint = environment.palyra(&["journal", "checkpoint"]);
    environment.write("checkpoint.txt", &checkpoint.stdout);
    let verified = environment.palyra(&["journal", "verify", "--against", "checkpoint.txt"]);
    assert_eq!(verified.code, 0, "{}", verified.shown());
    environment.write("noise.txt", "hello");
    assert_eq!(environment.palyra(&["journal", "verify", "--against", "noise.txt"]).code, 5);
}
