//! Files written by commit 945e3d1: a state root, a backup, a tape, a package and a receipt.
//!
//! `tests/fixtures/formats/README.md` describes how they were created. Each test uses its own copy and compares it with
//! replies of that commit. Only the test of the token starts a daemon, because a daemon removes old tapes.

use crate::daemon::up;
use crate::environment::{Ran, TestEnvironment};
use serde_json::{Value, json};
use std::fs::File;
use std::os::unix::fs::DirBuilderExt;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fixtures/formats/945e3d1");

/// An environment and the facts of the fixture.
struct Fixture {
    environment: TestEnvironment,
    expected: Value,
}

/// Returns the path of a file of the fixture.
fn file(name: &str) -> String {
    format!("{FOLDER}/{name}")
}

impl Fixture {
    /// Creates an environment without a state root.
    fn new() -> Self {
        let expected = std::fs::read(file("expected.json")).unwrap();
        Self { environment: TestEnvironment::new(), expected: serde_json::from_slice(&expected).unwrap() }
    }

    /// Creates an environment with a copy of the state root in its home.
    fn with_state() -> Self {
        let fixture = Self::new();
        let root = fixture.environment.home(".palyra");
        std::fs::DirBuilder::new().mode(0o700).create(&root).unwrap();
        // Unpacking applies the modes of the archive, which are those the state root requires.
        tar::Archive::new(File::open(file("state-root.tar")).unwrap()).unpack(&root).unwrap();
        fixture
    }

    fn palyra(&self, arguments: &[&str]) -> Ran {
        self.environment.palyra(&[arguments, &["--json"]].concat())
    }

    fn json(&self, arguments: &[&str]) -> Value {
        self.palyra(arguments).json()
    }

    /// Returns the text of a fact at a JSON pointer.
    fn text(&self, pointer: &str) -> &str {
        let value = self.expected.pointer(pointer).and_then(Value::as_str);
        value.unwrap_or_else(|| panic!("no text at `{pointer}`"))
    }

    /// Returns the elements of a fact.
    fn list(&self, name: &str) -> &[Value] {
        self.expected[name].as_array().unwrap()
    }

    /// Checks that the output of a command matches the fact `name`.
    fn check(&self, arguments: &[&str], name: &str) {
        assert_contains(&self.json(arguments), &self.expected[name]);
    }

    /// Checks that the policy is shown as it was set, followed by the default rule about labels, which is newer.
    fn check_policy(&self, root: &[&str]) {
        let shown = self.json(&[&["policy", "show"], root].concat());
        let added = shown["text"].as_str().unwrap().strip_prefix(self.text("/policy/text"));
        assert!(
            added.is_some_and(|added| added.trim_start().starts_with("@id(\"labelled-session-asks\")")),
            "{shown}"
        );
        assert_eq!(shown["default"], false);
    }

    /// Checks that a field of a command's output matches the fact of the same name.
    fn check_field(&self, arguments: &[&str], name: &str) {
        assert_contains(&self.json(arguments)[name], &self.expected[name]);
    }
}

fn assert_contains(actual: &Value, expected: &Value) {
    assert!(contains(actual, expected), "expected\n{expected:#}\nin\n{actual:#}");
}

/// Returns whether everything expected is present. A later version may add fields and elements, so objects may have
/// more fields, and lists of objects more elements in another order; everything else must be equal.
fn contains(actual: &Value, expected: &Value) -> bool {
    match (actual, expected) {
        (Value::Object(actual), Value::Object(expected)) => expected
            .iter()
            .all(|(name, expected)| contains(actual.get(name).unwrap_or(&Value::Null), expected)),
        (Value::Array(actual), Value::Array(expected))
            if !expected.is_empty() && expected.iter().all(Value::is_object) =>
        {
            expected.iter().all(|expected| actual.iter().any(|actual| contains(actual, expected)))
        }
        _ => actual == expected,
    }
}

#[test]
fn state_root_of_945e3d1_opens_and_its_tools_run() {
    let fixture = Fixture::with_state();
    fixture.check_field(&["skills", "list"], "skills");
    fixture.check_field(&["tools", "list"], "tools");
    for skill in fixture.list("skills") {
        fixture.json(&["skills", "verify", skill["record"]["skill_id"].as_str().unwrap()]);
    }
    // The results continue from the values the skills stored.
    for call in fixture.list("calls") {
        let input = call["input"].to_string();
        let answer = fixture.json(&["run", call["tool"].as_str().unwrap(), "--input", &input]);
        assert_eq!(answer["result"], call["result"], "{call}");
    }
    let held = fixture.palyra(&["run", "acme.alerts.send"]);
    assert_eq!(held.error()["code"], "approval_required", "{}", held.shown());
}

#[test]
fn runs_of_945e3d1_are_listed_and_replay_identically() {
    let fixture = Fixture::with_state();
    let listed = fixture.json(&["runs", "list"]);
    for run in fixture.list("runs") {
        let run_id = run["run_id"].as_str().unwrap();
        assert_contains(&listed["runs"], &json!([{ "run_id": run_id, "status": run["status"] }]));
        assert_contains(&fixture.json(&["runs", "show", run_id]), run);
        assert_eq!(fixture.palyra(&["runs", "tape", run_id]).code, 0, "{run_id}");
    }
    fixture.check(&["runs", "events", fixture.text("/run_lines/run_id")], "run_lines");
    for replay in fixture.list("replays") {
        let answer = fixture.json(&["runs", "replay", replay["run_id"].as_str().unwrap()]);
        assert_contains(&answer, replay);
        assert_eq!(answer["verdict"]["verdict"], "identical", "{answer}");
    }
}

#[test]
fn receipt_of_945e3d1_verifies_without_a_state_root() {
    let fixture = Fixture::new();
    let key = fixture.text("/receipt/key");
    fixture.check(&["runs", "receipt", "--verify", &file("receipt.json"), "--key", key], "receipt");
    assert!(!fixture.environment.home(".palyra").exists());
}

#[test]
fn receipts_of_old_runs_of_945e3d1_are_made_by_this_version() {
    let fixture = Fixture::with_state();
    for run in fixture.list("runs") {
        let run_id = run["run_id"].as_str().unwrap();
        let name = format!("{run_id}.json");
        fixture.json(&["runs", "receipt", run_id, "--out", &name]);
        let key = fixture.text("/journal/key");
        let verified = fixture.json(&["runs", "receipt", "--verify", &name, "--key", key]);
        let digest = &run["details"]["tape_sha256"];
        assert_contains(&verified, &json!({ "run_id": run_id, "details": { "tape_sha256": digest } }));
    }
}

#[test]
fn tape_of_945e3d1_replays_identically() {
    let fixture = Fixture::new();
    let (module, tape) = (file("module.wasm"), file("run.tape"));
    let answer = fixture.environment.run(&module, &["--replay", &tape, "--json"]).json();
    assert_eq!(answer["replay"]["verdict"], "identical", "{answer}");
    assert_eq!(answer["result"], fixture.expected["tape"]["result"]);
    assert_eq!(answer["module"]["sha256"], fixture.expected["tape"]["module_sha256"]);
}

/// Open approvals expire, because they lack the digest of their circumstances.
#[test]
fn approvals_of_945e3d1_are_listed() {
    let fixture = Fixture::with_state();
    let listed = fixture.json(&["approvals", "list", "--status", "all"]);
    for approval in fixture.list("approvals") {
        let approval_id = approval["approval_id"].as_str().unwrap();
        let facts = json!({
            "approval_id": approval_id,
            "tool_id": approval["tool_id"],
            "principal": approval["principal"],
            "status": match approval["status"].as_str().unwrap() {
                "pending" | "approved" => "expired",
                closed => closed,
            },
        });
        assert_contains(&listed["approvals"], &json!([facts]));
        assert_contains(&fixture.json(&["approvals", "show", approval_id]), &facts);
    }
}

#[test]
fn routines_and_objectives_of_945e3d1_are_kept() {
    let fixture = Fixture::with_state();
    fixture.check_field(&["routines", "list"], "routines");
    fixture.check_field(&["routines", "show", "tick"], "fires");
    fixture.check_field(&["objectives", "list"], "objectives");
    assert_eq!(fixture.json(&["routines", "show", "tick"])["created_by"], "owner");
    let fired = fixture.json(&["routines", "fire", "tick"]);
    assert_eq!(fired["status"], "completed", "{fired}");
}

#[test]
fn policies_of_945e3d1_stay_in_force() {
    let fixture = Fixture::with_state();
    fixture.check_policy(&[]);
    let check = ["policy", "check", "invoke", "--on", "tool:palyra.counter_wat.add", "--as", "token/ci"];
    let denied = fixture.palyra(&[&check[..], &["--scope", "invoke"]].concat());
    assert_eq!(denied.code, 4, "{}", denied.shown());
    let decision: Value = serde_json::from_str(&denied.stdout).unwrap();
    let by_rule = json!({ "allowed": false, "rules": [{ "id": "no-ci-calls" }] });
    assert_contains(&decision, &by_rule);
    fixture.check(&["runner-policy", "show"], "runner_policy");
    fixture.check(&["audit-policy", "show"], "audit_policy");
}

#[test]
fn plugin_settings_of_945e3d1_are_kept() {
    let fixture = Fixture::with_state();
    fixture.check(&["plugins", "profile", "show", fixture.text("/profile/skill_id")], "profile");
    fixture.check(&["plugins", "config", "show", fixture.text("/config/skill_id")], "config");
}

#[test]
fn channels_and_hooks_of_945e3d1_are_kept() {
    let fixture = Fixture::with_state();
    fixture.check_field(&["channels", "list"], "channels");
    fixture.check_field(&["channels", "tail", "alerts"], "messages");
    let hooks = fixture.json(&["hooks", "list"]);
    assert_contains(&hooks["bindings"], &fixture.expected["hooks"]);
    assert_eq!(hooks["file"]["state"], "applied", "{hooks}");
    let letters = fixture.list("dead_letters").iter().map(|letter| {
        json!({ "letter": letter["letter"], "kind": "hook", "lane": letter["binding"], "item": letter["sequence"],
            "event": letter["event"], "attempts": letter["attempts"] })
    });
    let listed = fixture.json(&["deliveries", "dead-letters", "list"]);
    assert_contains(&listed["dead_letters"], &letters.collect());
    let lanes = fixture.json(&["deliveries", "list"]);
    let kept = json!([
        { "kind": "hook", "name": "continue", "cursor": { "next": 258, "delivered": 3 }, "dead_letters": 0 },
        { "kind": "hook", "name": "trap", "cursor": { "next": 258, "delivered": 0 }, "dead_letters": 1 },
        { "kind": "channel", "name": "operations", "to": "webhook", "cursor": null, "dead_letters": 0 },
    ]);
    assert_contains(&lanes["lanes"], &kept);
}

#[test]
fn vault_and_trust_of_945e3d1_open() {
    let fixture = Fixture::with_state();
    fixture.check_field(&["vault", "list"], "secrets");
    fixture.check_field(&["keys", "list"], "keys");
    fixture.check(&["trust", "list"], "trust");
    // Only a key whose sealed half can be opened can be exported.
    fixture.environment.write_private("passphrase", "of the exported key");
    let out = ["--key-file", "release.key", "--key-passphrase-file", "passphrase"];
    let exported = fixture.palyra(&[&["keys", "export", "release"], &out[..]].concat());
    assert_eq!(exported.code, 0, "{}", exported.shown());
}

#[test]
fn journal_of_945e3d1_verifies_against_its_checkpoint() {
    let fixture = Fixture::with_state();
    fixture.environment.write("checkpoint.txt", fixture.text("/journal/note"));
    let verified = fixture.json(&["journal", "verify", "--against", "checkpoint.txt"]);
    let size = fixture.expected["journal"]["head"]["size"].as_u64().unwrap();
    assert_eq!(verified["against"], size, "{verified}");
    assert!(verified["head"]["size"].as_u64().unwrap() >= size, "{verified}");
    let checkpoint = fixture.json(&["journal", "checkpoint"]);
    assert_eq!(checkpoint["key"], fixture.text("/journal/key"));
}

#[test]
fn tokens_of_945e3d1_are_accepted_by_a_daemon() {
    let fixture = Fixture::with_state();
    fixture.check_field(&["tokens", "list"], "tokens");
    fixture.environment.write_private("agent.token", fixture.text("/token"));
    let daemon = up(&fixture.environment, &[]);
    let remote = ["--url", daemon.url(), "--token-file", "agent.token"];
    let called = fixture.palyra(&[&["run", "palyra.counter_wat.add"], &remote[..]].concat());
    assert_eq!(called.code, 0, "{}", called.shown());
    let run = fixture.json(&["runs", "show", called.json()["run_id"].as_str().unwrap()]);
    assert_eq!(run["principal"], "agent", "{run}");
}

#[test]
fn package_of_945e3d1_verifies_and_its_publisher_is_known() {
    let fixture = Fixture::with_state();
    let package = file("package.palyra-skill");
    fixture.check(&["skills", "package", "verify", &package], "package");
    let elsewhere = Fixture::new();
    elsewhere.check(&["skills", "package", "verify", &package, "--allow-tofu"], "package");
}

#[test]
fn backup_of_945e3d1_restores_into_another_root() {
    let fixture = Fixture::new();
    let root = fixture.environment.home("restored");
    let root = ["--state-root", root.to_str().unwrap()];
    let refused = fixture.palyra(&[&["restore", &file("backup.tar"), "--yes"], &root[..]].concat());
    assert_eq!((refused.code, &refused.error()["code"]), (7, &json!("bad_backup")), "{}", refused.shown());
    let listed = &refused.error()["details"]["plan"]["contents"];
    assert!(listed.as_array().unwrap().contains(&json!("vault/device.key")), "{listed}");
    assert!(!fixture.environment.home("restored").exists());
    let accepted = ["restore", &file("backup.tar"), "--yes", "--accept-unsigned"];
    let restored = fixture.json(&[&accepted[..], &root[..]].concat());
    assert_eq!(restored["missing"], json!([]), "{restored}");
    assert_eq!(restored["altered"], json!([]), "{restored}");
    assert_eq!(restored["backup_head"], fixture.expected["backup"]["head"], "{restored}");
    fixture.check_field(&[&["skills", "list"], &root[..]].concat(), "skills");
    fixture.check_field(&[&["vault", "list"], &root[..]].concat(), "secrets");
    fixture.check_policy(&root);
    fixture.environment.write("checkpoint.txt", fixture.text("/backup/checkpoint"));
    fixture.json(&[&["journal", "verify", "--against", "checkpoint.txt"], &root[..]].concat());
    let call = &fixture.list("calls")[0];
    let input = call["input"].to_string();
    let call_tool = ["run", call["tool"].as_str().unwrap(), "--input", &input];
    assert_eq!(fixture.json(&[&call_tool[..], &root[..]].concat())["result"], call["result"]);
}
