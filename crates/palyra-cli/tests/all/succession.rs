//! Rotated and multiple keys of a publisher on several machines, with the commands of `docs/state.md`.

use crate::daemon::up;
use crate::environment::{Ran, TestEnvironment};
use crate::skill_bench::{built_guest, counter};
use serde_json::{Value, json};

const GUIDE: &str = include_str!("../../../../docs/state.md");

/// A machine with a state root.
struct Machine(TestEnvironment);

/// Returns the manifest of `acme.notes` with a version.
fn notes(version: &str, release_counter: u32) -> String {
    counter(version, release_counter)
        .replace("palyra.counter_wat", "acme.notes")
        .replace("publisher = \"palyra\"", "publisher = \"acme\"")
}

impl Machine {
    fn new() -> Self {
        Self(TestEnvironment::with_state())
    }

    /// Writes the sources of a release into the directory `notes`.
    fn source(&self, version: &str, release_counter: u32) {
        std::fs::create_dir_all(self.0.path("notes/modules")).unwrap();
        self.0.write("notes/modules/counter-wat.wasm", built_guest("counter-wat"));
        self.0.write("notes/skill.toml", notes(version, release_counter));
    }

    /// Builds the first release with the key `release`.
    fn build_first(&self) {
        self.source("0.1.0", 1);
        self.ok(
            &["skills", "package", "build", "notes", "--out", "notes-1.palyra-skill"],
            &["--signing-key-vault-ref", "release"],
        );
    }

    fn palyra(&self, arguments: &[&str]) -> Ran {
        self.0.palyra(arguments)
    }

    fn ok(&self, arguments: &[&str], more: &[&str]) -> Value {
        let ran = self.palyra(&[arguments, more, &["--json"]].concat());
        // Exit code 12: installed, but consent is required.
        assert!(matches!(ran.code, 0 | 12), "{arguments:?}\n{}", ran.shown());
        serde_json::from_str(&ran.stdout).unwrap()
    }

    /// Runs a command line of the guide, with the names of keys filled in.
    fn guide(&self, line: &str, names: &[(&str, &str)]) -> Value {
        assert!(GUIDE.contains(&format!("$ palyra {line}\n")), "not in docs/state.md: {line}");
        let word = |word: &str| {
            let known = names.iter().find(|(name, _)| *name == word);
            known.map_or_else(|| word.to_owned(), |(_, key)| (*key).to_owned())
        };
        let words: Vec<String> = line.split(' ').map(word).collect();
        self.ok(&words.iter().map(String::as_str).collect::<Vec<_>>(), &[])
    }

    fn take(&self, from: &Self, file: &str) {
        if !std::ptr::eq(self, from) {
            std::fs::copy(from.0.path(file), self.0.path(file)).unwrap();
        }
    }

    /// Installs a package of another machine and consents to its permissions.
    fn install(&self, from: &Self, file: &str) -> Value {
        self.take(from, file);
        let installed = self.ok(&["skills", "install", file, "--allow-tofu"], &[]);
        match installed["consent_digest"].as_str() {
            Some(digest) => self.ok(&["skills", "consent", "acme.notes", "--consent", digest], &[]),
            None => installed,
        }
    }

    fn epoch(&self) -> Value {
        self.ok(&["trust", "show", "acme"], &[])["epoch"].clone()
    }
}

#[test]
fn release_by_the_next_key_is_accepted_where_the_old_key_or_none_is_known() {
    let (author, old, follower, stranger) = (Machine::new(), Machine::new(), Machine::new(), Machine::new());
    author.0.new_key("release");
    author.build_first();
    for machine in [&old, &follower] {
        assert_eq!(machine.install(&author, "notes-1.palyra-skill")["status"], "active");
        assert_eq!(machine.epoch(), 0);
    }

    author.source("0.2.0", 2);
    author.guide("keys new release-2", &[]);
    author.guide("keys rotate acme --from release --to release-2 --out rotation.json", &[]);
    let build = "skills package build notes --out notes-2.palyra-skill --signing-key-vault-ref release-2";
    let built = author.guide(build, &[]);
    assert_eq!(
        (&built["epoch"], &built["rotations"], &built["missing_signatures"]),
        (&json!(1), &json!(1), &json!(0))
    );

    // With the statement in the package, with the statement file, and without any history.
    follower.take(&author, "rotation.json");
    assert_eq!(follower.ok(&["trust", "apply", "rotation.json"], &[])["outcome"], "rotated");
    for machine in [&old, &follower, &stranger] {
        let installed = machine.install(&author, "notes-2.palyra-skill");
        assert_eq!(installed["status"], "active", "{installed}");
        assert_eq!(machine.epoch(), 1);
    }
    // The old key no longer signs, and its releases are rejected.
    let retired = author.palyra(&[
        "skills",
        "package",
        "build",
        "notes",
        "--out",
        "old.palyra-skill",
        "--signing-key-vault-ref",
        "release",
    ]);
    assert_eq!(retired.code, 1, "{}", retired.shown());
    assert!(retired.stderr.contains("is retired"), "{}", retired.stderr);
}

#[test]
fn release_by_a_key_file_carries_the_statements_that_are_named() {
    let (author, old) = (Machine::new(), Machine::new());
    author.0.new_key("release");
    author.build_first();
    old.install(&author, "notes-1.palyra-skill");
    author.source("0.2.0", 2);
    author.0.new_key("release-2");
    author.guide("keys rotate acme --from release --to release-2 --out rotation.json", &[]);
    author.0.write_private("passphrase", "correct horse\n");
    author.ok(
        &["keys", "export", "release-2", "--key-file", "release-2.key"],
        &["--key-passphrase-file", "passphrase"],
    );
    // Packages can be built on a machine without a state root.
    let builder = Machine(TestEnvironment::new());
    builder.source("0.2.0", 2);
    builder.take(&author, "rotation.json");
    for file in ["release-2.key", "passphrase"] {
        builder.0.write_private(file, std::fs::read(author.0.path(file)).unwrap());
    }
    let build = "skills package build notes --out notes-2.palyra-skill --signing-key-file release-2.key \
                 --key-passphrase-file passphrase --succession rotation.json";
    assert_eq!(builder.guide(build, &[])["epoch"], 1);
    assert_eq!(old.install(&builder, "notes-2.palyra-skill")["status"], "active");

    // A statement that names another successor is rejected before anything is written.
    author.0.new_key("other");
    let other = author.palyra(&[
        "skills",
        "package",
        "build",
        "notes",
        "--out",
        "x.palyra-skill",
        "--signing-key-vault-ref",
        "other",
        "--succession",
        "rotation.json",
    ]);
    assert_eq!(other.code, 2, "{}", other.shown());
    assert!(!author.0.path("x.palyra-skill").exists());
}

#[test]
fn wrong_epoch_is_explained_before_anything_is_signed() {
    let author = Machine::new();
    author.0.new_key("release");
    author.0.new_key("release-2");
    author.build_first();
    author.install(&author, "notes-1.palyra-skill");
    let rotate = ["keys", "rotate", "acme", "--from", "release", "--to", "release-2", "--out", "r.json"];
    let wrong = author.palyra(&[&rotate[..], &["--epoch", "1"]].concat());
    assert_eq!(wrong.code, 2, "{}", wrong.shown());
    assert!(wrong.stderr.contains("have epoch 0, so the rotation cannot end epoch 1"), "{}", wrong.stderr);
    assert!(!author.0.path("r.json").exists());
    assert_eq!(author.ok(&["keys", "list"], &[])["keys"][0]["state"], "active");
    assert_eq!(author.ok(&rotate, &[])["from_epoch"], 0);
}

#[test]
fn statement_with_a_wrong_epoch_is_repaired_by_the_same_keys() {
    let (author, old) = (Machine::new(), Machine::new());
    author.0.new_key("release");
    author.build_first();
    old.install(&author, "notes-1.palyra-skill");
    author.0.new_key("release-2");
    // This state root does not know the publisher, so it cannot check the epoch.
    let rotate = ["keys", "rotate", "acme", "--from", "release", "--to", "release-2"];
    author.ok(&rotate, &["--epoch", "1", "--out", "wrong.json"]);
    old.take(&author, "wrong.json");
    let refused = old.palyra(&["trust", "apply", "wrong.json"]);
    assert_eq!(refused.code, 5, "{}", refused.shown());
    assert!(refused.stderr.contains("--epoch 0"), "{}", refused.stderr);

    author.guide("keys rotate acme --from release --to release-2 --epoch 0 --out repaired.json", &[]);
    author.source("0.2.0", 2);
    let build = "skills package build notes --out notes-2.palyra-skill --signing-key-vault-ref release-2";
    assert_eq!(author.guide(build, &[])["epoch"], 1);
    assert_eq!(old.install(&author, "notes-2.palyra-skill")["status"], "active");
    // Another successor is still rejected.
    author.0.new_key("other");
    let other = ["keys", "rotate", "acme", "--from", "release", "--to", "other", "--out", "other.json"];
    assert_ne!(author.palyra(&[&other[..], &["--epoch", "3"]].concat()).code, 0);
}

#[test]
fn two_of_three_keys_on_three_machines_make_a_release() {
    let [one, two, three] = [Machine::new(), Machine::new(), Machine::new()];
    let keys = [one.0.new_key("one"), two.0.new_key("two"), three.0.new_key("three")];
    let names = [("KEY-TWO", keys[1].as_str()), ("KEY-THREE", keys[2].as_str())];
    one.source("0.1.0", 1);
    let build = "skills package build notes --out notes.palyra-skill --signing-key-vault-ref one --publisher-key \
                 KEY-TWO --publisher-key KEY-THREE --threshold 2";
    assert_eq!(one.guide(build, &names)["missing_signatures"], 1);

    let user = Machine::new();
    let allow = [&["trust", "allow", "acme"][..], &keys.each_ref().map(String::as_str)[..]].concat();
    user.ok(&allow, &["--threshold", "2"]);
    user.take(&one, "notes.palyra-skill");
    let early = user.palyra(&["skills", "install", "notes.palyra-skill"]);
    assert_eq!(early.code, 5, "{}", early.shown());
    assert!(early.stderr.contains("1 distinct keys signed"), "{}", early.stderr);

    two.take(&one, "notes.palyra-skill");
    let signed = two.guide("skills package sign notes.palyra-skill --signing-key-vault-ref two", &[]);
    assert_eq!((&signed["missing_signatures"], signed["key_ids"].as_array().unwrap().len()), (&json!(0), 2));
    assert_eq!(user.install(&two, "notes.palyra-skill")["status"], "active");
    // A third signature is accepted; a second one by the same key and one by an unrelated key are rejected.
    three.take(&two, "notes.palyra-skill");
    let sign = ["skills", "package", "sign", "notes.palyra-skill", "--signing-key-vault-ref"];
    assert_eq!(three.ok(&sign, &["three"])["key_ids"].as_array().unwrap().len(), 3);
    let again = three.palyra(&[&sign[..], &["three"]].concat());
    assert_eq!(again.code, 2, "{}", again.shown());
    three.0.new_key("stranger");
    let stranger = three.palyra(&[&sign[..], &["stranger"]].concat());
    assert_eq!(stranger.code, 2, "{}", stranger.shown());
    assert!(stranger.stderr.contains("is not one of the keys that the package lists"), "{}", stranger.stderr);
}

#[test]
fn two_of_three_keys_on_three_machines_are_replaced_by_others() {
    let [one, two, three] = [Machine::new(), Machine::new(), Machine::new()];
    let old = [one.0.new_key("one"), two.0.new_key("two"), three.0.new_key("three")];
    let new = [one.0.new_key("one-2"), two.0.new_key("two-2"), three.0.new_key("three-2")];
    let names = [
        ("KEY-TWO", old[1].as_str()),
        ("KEY-THREE", old[2].as_str()),
        ("KEY-TWO-2", new[1].as_str()),
        ("KEY-THREE-2", new[2].as_str()),
    ];
    one.source("0.1.0", 1);
    let build = "skills package build notes --out notes.palyra-skill --signing-key-vault-ref one --publisher-key \
                 KEY-TWO --publisher-key KEY-THREE --threshold 2";
    one.guide(build, &names);
    two.take(&one, "notes.palyra-skill");
    two.guide("skills package sign notes.palyra-skill --signing-key-vault-ref two", &[]);
    let (user, stranger) = (Machine::new(), Machine::new());
    assert_eq!(user.install(&two, "notes.palyra-skill")["status"], "active");

    let rotate = "keys rotate acme --from one --from-key KEY-TWO --from-key KEY-THREE --from-threshold 2 --to one-2 \
                  --to-key KEY-TWO-2 --to-key KEY-THREE-2 --to-threshold 2 --out rotation.json";
    let begun = one.guide(rotate, &names);
    assert_eq!(
        (&begun["missing_old_signatures"], begun["missing_new_keys"].as_array().unwrap().len()),
        (&json!(1), 2)
    );
    user.take(&one, "rotation.json");
    let early = user.palyra(&["trust", "apply", "rotation.json"]);
    assert_ne!(early.code, 0, "{}", early.shown());
    assert_eq!(user.epoch(), 0);
    two.take(&one, "rotation.json");
    two.guide("keys sign rotation.json --key two --key two-2", &[]);
    // Signing again changes nothing; another successor for the same epoch is not signed.
    two.guide("keys sign rotation.json --key two --key two-2", &[]);
    two.0.new_key("other");
    let other = [
        "keys",
        "rotate",
        "acme",
        "--from",
        "two",
        "--from-key",
        &old[0],
        "--to",
        "other",
        "--out",
        "x.json",
    ];
    let fork = two.palyra(&other);
    assert_ne!(fork.code, 0, "{}", fork.shown());
    assert!(!two.0.path("x.json").exists());
    three.take(&two, "rotation.json");
    let done = three.guide("keys sign rotation.json --key three-2", &[]);
    assert_eq!((&done["missing_old_signatures"], &done["missing_new_keys"]), (&json!(0), &json!([])));
    let foreign = three.palyra(&["keys", "sign", "rotation.json", "--key", "three", "--key", "unknown"]);
    assert_ne!(foreign.code, 0, "{}", foreign.shown());
    user.take(&three, "rotation.json");
    assert_eq!(user.ok(&["trust", "apply", "rotation.json"], &[])["outcome"], "rotated");

    one.take(&three, "rotation.json");
    one.source("0.2.0", 2);
    let build = "skills package build notes --out notes-2.palyra-skill --signing-key-vault-ref one-2 --publisher-key \
                 KEY-TWO-2 --publisher-key KEY-THREE-2 --threshold 2 --succession rotation.json";
    let built = one.guide(build, &names);
    assert_eq!((&built["epoch"], &built["missing_signatures"]), (&json!(1), &json!(1)), "{built}");
    two.take(&one, "notes-2.palyra-skill");
    two.guide("skills package sign notes-2.palyra-skill --signing-key-vault-ref two-2", &[]);
    for machine in [&user, &stranger] {
        assert_eq!(machine.install(&two, "notes-2.palyra-skill")["status"], "active");
        assert_eq!(machine.epoch(), 1);
    }
    // Both old keys have signed and are retired.
    for (machine, key) in [(&one, "one"), (&two, "two")] {
        let keys = machine.ok(&["keys", "list"], &[]);
        let found = keys["keys"].as_array().unwrap().iter().find(|listed| listed["name"] == key).unwrap();
        assert_eq!(found["state"], "retired");
    }
}

#[test]
fn several_keys_of_one_vault_sign_at_once() {
    let author = Machine::new();
    let keys = [author.0.new_key("one"), author.0.new_key("two")];
    author.source("0.1.0", 1);
    let build = ["skills", "package", "build", "notes", "--out", "notes.palyra-skill"];
    let both = ["--signing-key-vault-ref", "one", "--signing-key-vault-ref", "two"];
    assert_eq!(author.ok(&build, &both)["key_ids"].as_array().unwrap().len(), 2);
    let user = Machine::new();
    user.ok(&["trust", "allow", "acme", &keys[0], &keys[1], "--threshold", "2"], &[]);
    assert_eq!(user.install(&author, "notes.palyra-skill")["status"], "active");
    // The vault that trusts the publisher knows its threshold: one signature is not enough.
    author.ok(&["trust", "allow", "acme", &keys[0], &keys[1], "--threshold", "2"], &[]);
    let alone = author.ok(&build, &["--signing-key-vault-ref", "one"]);
    assert_eq!(alone["missing_signatures"], 1);
}

#[test]
fn package_is_built_and_signed_beside_a_running_daemon() {
    let author = Machine::new();
    author.0.new_key("release");
    author.source("0.1.0", 1);
    let _daemon = up(&author.0, &[]);
    let build = ["skills", "package", "build", "notes", "--out", "notes.palyra-skill"];
    author.ok(&build, &["--signing-key-vault-ref", "release"]);
    let signed = author.ok(&["journal", "query", "--kind", "keys:signed"], &[]);
    assert_eq!(signed["events"][0]["details"]["name"], "release", "{signed}");
    assert_eq!(author.palyra(&["skills", "install", "notes.palyra-skill", "--allow-tofu"]).code, 12);
}
