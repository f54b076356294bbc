//! `palyra up` in an empty home, in the foreground and in the background.

use crate::environment::TestEnvironment;
use insta::assert_snapshot;
use serde_json::{Value, json};
use std::net::TcpListener;
use std::os::unix::net::UnixListener;
use std::process::Command;

/// A daemon in the background, stopped with the test even if the test fails.
struct Detached<'a> {
    environment: &'a TestEnvironment,
    started: Value,
}

impl<'a> Detached<'a> {
    fn start(environment: &'a TestEnvironment, arguments: &[&str]) -> Self {
        let up = ["up", "-d", "--listen", "127.0.0.1:0", "--state-root", "root", "--json"];
        let ran = environment.palyra(&[&up, arguments].concat());
        assert_eq!(ran.code, 0, "{}", ran.shown());
        Self { environment, started: ran.json() }
    }

    fn palyra(&self, arguments: &[&str]) -> crate::environment::Ran {
        self.environment.palyra(&[arguments, &["--state-root", "root"]].concat())
    }

    /// Runs a command in another shell, as if it was pasted.
    fn paste(&self, command: &str) -> crate::environment::Ran {
        let mut shell = Command::new("sh");
        shell.args(["-c", command]).current_dir("/").env_clear().env("HOME", self.environment.home(""));
        self.environment.ran(shell.output().unwrap())
    }
}

impl Drop for Detached<'_> {
    fn drop(&mut self) {
        self.palyra(&["daemon", "stop"]);
    }
}

#[test]
fn up_detached_offers_tools_whose_calls_have_receipts_and_stops_cleanly() {
    let environment = TestEnvironment::new();
    let daemon = Detached::start(&environment, &[]);
    let tools = daemon.palyra(&["tools", "list", "--json"]).json();
    let tools = tools["tools"].as_array().unwrap().len();
    let everything = palyra_built_in_skills::missing().next().is_none();
    assert!(tools >= if everything { 5 } else { 2 }, "{tools} tools");
    let called = ["run", "palyra.counter_wat.add", "--input", "{\"step\": 5}", "--json"];
    let called = daemon.palyra(&called).json();
    assert_eq!(called["result"], json!({ "count": 5 }));
    let run = called["run_id"].as_str().unwrap();
    environment.write("receipt.json", daemon.palyra(&["runs", "receipt", run, "--json"]).stdout);
    let verified = environment.palyra(&["runs", "receipt", "--verify", "receipt.json"]);
    assert_eq!(verified.code, 0, "{}", verified.shown());
    let pid = daemon.started["pid"].as_u64().unwrap();
    assert!(std::path::Path::new(&format!("/proc/{pid}")).exists());
    let stopped = daemon.palyra(&["daemon", "stop", "--json"]).json();
    assert_eq!(stopped["gone"], true);
    assert!(!environment.path("root/run/palyrad.sock").exists());
    assert!(!environment.path("root/run/endpoint.json").exists());
    assert_eq!(daemon.palyra(&["status"]).code, 9);
}

#[test]
fn up_prints_commands_that_work_as_pasted() {
    let environment = TestEnvironment::new();
    let daemon = Detached::start(&environment, &[]);
    let next = daemon.started["next"].as_array().unwrap().clone();
    assert_eq!(next.len(), 3, "{next:?}");
    for command in next {
        let ran = daemon.paste(command.as_str().unwrap());
        assert_eq!(ran.code, 0, "{command}: {}", ran.shown());
    }
}

#[test]
fn built_in_skills_are_shown_as_such_and_stay_removed() {
    let environment = TestEnvironment::new();
    let daemon = Detached::start(&environment, &[]);
    let skills = daemon.palyra(&["skills", "list", "--json"]).json();
    let skills = skills["skills"].as_array().unwrap();
    assert_eq!(skills.len(), palyra_built_in_skills::EMBEDDED.len());
    for skill in skills {
        assert_eq!(skill["record"]["current"]["trust"], "built-in", "{skill}");
        let status = skill["runtime_status"].as_str().unwrap();
        assert!(["active", "awaiting_consent"].contains(&status), "{skill}");
    }
    assert!(daemon.palyra(&["skills", "list"]).stdout.contains("built-in"));
    if palyra_built_in_skills::missing().next().is_none() {
        // Consent covers the secrets of a built-in skill, so no prompt offers to withhold them.
        let echo = daemon.palyra(&["skills", "enable", "palyra.echo_http", "--json"]).judged();
        assert!(echo["status"] == "awaiting_consent" && echo["secrets"].is_null(), "{echo}");
        let note = daemon.started["notes"].to_string();
        assert!(note.contains("palyra.echo_http awaits consent to use api.example.com"), "{note}");
    }
    assert_eq!(
        daemon.palyra(&["trust", "list", "--json"]).json()["publishers"],
        json!([]),
        "nothing is pinned"
    );
    assert_eq!(daemon.palyra(&["skills", "remove", "palyra.counter_wat", "--yes"]).code, 0);
    assert_eq!(daemon.palyra(&["skills", "verify", "palyra.wordcount_c"]).code, 0);
    drop(daemon);
    let again = Detached::start(&environment, &[]);
    assert_eq!(again.started["skills"]["installed"], palyra_built_in_skills::EMBEDDED.len() - 1);
    assert_eq!(again.palyra(&["run", "palyra.counter_wat.add", "--json"]).code, 11);
}

#[test]
fn status_and_logs_follow_the_daemon() {
    let environment = TestEnvironment::new();
    assert_snapshot!(environment.palyra(&["status"]).shown(), @"
    exit 9
    --- stdout
    daemon      not running
    state root  [ROOT]/home/.palyra (not created yet)
    --- stderr
    next: [PALYRA] up
    ");
    let none = environment.palyra(&["logs", "--json"]);
    assert_eq!((none.code, &none.error()["code"]), (11, &json!("not_found")));
    let daemon = Detached::start(&environment, &["--no-examples"]);
    let status = daemon.palyra(&["status", "--json"]).json();
    assert_eq!((&status["running"], &status["daemon"]["url"]), (&json!(true), &daemon.started["url"]));
    assert_eq!(status["daemon"]["skills"], json!({ "installed": 0, "active": 0 }));
    assert_eq!(status["log_file"], daemon.started["log_file"]);
    let logs = daemon.palyra(&["logs"]);
    assert!(logs.code == 0 && logs.stdout.contains("listening"), "{}", logs.shown());
    let last = daemon.palyra(&["logs", "-n", "1", "--output", "ndjson"]);
    assert_eq!(last.stdout.lines().count(), 1, "{}", last.shown());
    let twice = daemon.palyra(&["up", "-d"]);
    assert_eq!(twice.code, 8, "{}", twice.shown());
}

#[test]
fn console_link_is_printed_and_no_browser_is_started() {
    let environment = TestEnvironment::new();
    let daemon = Detached::start(&environment, &["--no-examples"]);
    assert_eq!(daemon.started.get("console_url").is_some(), palyra_daemon::console_is_built());
    let link = format!("{}/#code=", daemon.started["url"].as_str().unwrap());
    let opened = daemon.palyra(&["console", "open", "--json"]).json();
    assert!(opened["url"].as_str().unwrap().starts_with(&link), "{opened}");
    assert_eq!(opened["opened"], false);
    let printed = daemon.palyra(&["console", "open"]);
    assert!(printed.code == 0 && printed.stdout.starts_with(&link), "{}", printed.shown());
    assert_eq!(printed.stdout.lines().count(), 1, "{}", printed.shown());
    assert_eq!(daemon.palyra(&["console", "sessions", "list", "--json"]).json()["sessions"], json!([]));
    let unknown = daemon.palyra(&["console", "sessions", "revoke", "cs_0", "--json"]);
    assert_eq!((unknown.code, &unknown.error()["code"]), (11, &json!("not_found")), "{}", unknown.shown());
}

#[test]
fn requests_are_logged_at_debug_only() {
    for (filter, logged) in [("info", false), ("debug", true)] {
        let environment = TestEnvironment::new();
        let daemon = Detached::start(&environment, &["--no-examples", "--log", filter]);
        assert_eq!(daemon.palyra(&["tools", "list"]).code, 0);
        let logs = daemon.palyra(&["logs"]).stdout;
        assert!(logs.contains("listening"), "{logs}");
        assert_eq!(logs.contains("/v1/tools"), logged, "{logs}");
    }
}

#[test]
fn up_with_a_taken_port_creates_nothing() {
    let environment = TestEnvironment::new();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    for detach in [&[][..], &["-d"]] {
        let up = environment.palyra(&[&["up", "--listen", &address, "--json"], detach].concat());
        assert_eq!((up.code, &up.error()["code"]), (1, &json!("cannot_listen")), "{}", up.shown());
        assert!(up.error()["hints"][0].as_str().unwrap().contains("--listen 127.0.0.1:0"), "{}", up.shown());
        assert!(!environment.home(".palyra").exists());
    }
}

#[test]
fn up_with_flags_that_cannot_work_creates_nothing() {
    let environment = TestEnvironment::new();
    let bad: [&[&str]; 4] = [
        &["--log", "palyra=loud"],
        &["--listen", "0.0.0.0:0"],
        &["--tls-cert", "none.pem", "--tls-key", "none.pem"],
        &["--profile", "worker-enabled"],
    ];
    for flags in bad {
        let up = environment.palyra(&[&["up", "--listen", "127.0.0.1:0"], flags].concat());
        assert!(up.code == 1 || up.code == 2, "{flags:?}: {}", up.shown());
        assert!(!environment.home(".palyra").exists(), "{flags:?}");
    }
}

#[test]
fn up_finishes_a_state_root_that_was_half_made() {
    let environment = TestEnvironment::new();
    let root = environment.path("root");
    std::fs::create_dir(&root).unwrap();
    std::fs::set_permissions(&root, std::os::unix::fs::PermissionsExt::from_mode(0o700)).unwrap();
    std::fs::write(root.join("initialising"), "").unwrap();
    std::fs::create_dir(root.join("objects")).unwrap();
    let daemon = Detached::start(&environment, &["--no-examples"]);
    assert_eq!(daemon.palyra(&["status"]).code, 0);
}

#[test]
fn state_root_that_cannot_be_created_is_one_sentence_and_a_hint() {
    let environment = TestEnvironment::new();
    environment.write("file", "");
    let refused = environment.palyra(&["init", "--state-root", "file/root"]);
    assert_eq!(refused.code, 1, "{}", refused.shown());
    assert!(
        refused.stderr.contains("hint: choose another directory with `--state-root DIR`"),
        "{}",
        refused.shown()
    );
}

#[test]
fn keyring_that_hangs_is_given_up_and_a_private_file_is_used() {
    let environment = TestEnvironment::new();
    // Accepts connections into its backlog and never answers.
    let _bus = UnixListener::bind(environment.path("bus")).unwrap();
    let bus = format!("unix:path={}", environment.path("bus").display());
    let made = environment.palyra_with_variables(&["init", "--json"], &[("DBUS_SESSION_BUS_ADDRESS", &bus)]);
    assert_eq!(made.code, 0, "{}", made.shown());
    assert_eq!(made.json()["device_key"], "a private file");
}

#[test]
fn recorded_keyring_that_does_not_answer_is_an_error_and_not_replaced() {
    let environment = TestEnvironment::with_state();
    // Makes the header claim that the device key is in the keyring.
    let header = environment.home(".palyra/vault/header");
    let mut bytes = std::fs::read(&header).unwrap();
    let place = bytes.iter().position(|byte| *byte == 2).unwrap();
    bytes[place] = 1;
    std::fs::write(&header, bytes).unwrap();
    let refused = environment.palyra(&["skills", "list", "--json"]);
    assert_eq!((refused.code, &refused.error()["code"]), (1, &json!("device_key")), "{}", refused.shown());
}
