//! `palyra doctor`, `palyra backup` and `palyra restore`.

use crate::environment::TestEnvironment;
use insta::assert_snapshot;
use serde_json::json;
use std::os::unix::fs::PermissionsExt;

#[test]
fn a_backup_is_made_and_put_back() {
    let environment = TestEnvironment::with_state();
    environment.palyra(&["keys", "new", "first"]);
    let made = environment.palyra(&["backup", "copy.tar", "--json"]).json();
    assert_eq!(
        (&made["schema"], &made["device_key"]),
        (&json!("palyra.backup/v1"), &json!("a private file"))
    );
    environment.palyra(&["keys", "new", "second"]);
    let asked = environment.palyra(&["restore", "copy.tar"]);
    assert_ne!(asked.code, 0, "nobody agreed");
    assert!(asked.stderr.contains("in the backup"), "{}", asked.stderr);
    let done = environment.palyra(&["restore", "copy.tar", "--yes", "--json"]).json();
    assert_eq!(done["replaces"], true);
    let keys = environment.palyra(&["keys", "list", "--json"]).json();
    assert_eq!(keys["keys"].as_array().unwrap().len(), 1);
    let told = environment.palyra(&["journal", "query", "--kind", "state:restored", "--json"]).json();
    assert_eq!(told["events"].as_array().unwrap().len(), 1);
    assert_eq!(environment.palyra(&["journal", "verify"]).code, 0);
    let twice = environment.palyra(&["backup", "copy.tar", "--json"]);
    assert_eq!((twice.code, &twice.error()["code"]), (2, &json!("usage")));
    let nowhere = environment.palyra(&["backup", "nowhere/copy.tar", "--json"]);
    assert_eq!((nowhere.code, &nowhere.error()["code"]), (2, &json!("usage")));
    let missing = environment.palyra(&["restore", "missing.tar", "--yes", "--json"]);
    assert_eq!((missing.code, &missing.error()["code"]), (2, &json!("usage")));
    let files: Vec<_> =
        std::fs::read_dir(environment.path("")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(files, ["copy.tar"], "nothing else is left");
    environment.write("noise.tar", "noise");
    let noise = environment.palyra(&["restore", "noise.tar", "--yes", "--json"]);
    assert_eq!((noise.code, &noise.error()["code"]), (7, &json!("bad_backup")));
}

#[test]
fn a_backup_is_made_of_a_daemon_that_runs_and_put_back_elsewhere() {
    let environment = TestEnvironment::with_state();
    environment.palyra(&["keys", "new", "first"]);
    let daemon = crate::daemon::up(&environment, &[]);
    let made = environment.palyra(&["backup", "copy.tar", "--json"]).json();
    assert_eq!(made["schema"], json!("palyra.backup/v1"));
    let mode = std::fs::metadata(environment.path("copy.tar")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    // The daemon still serves, and later changes are not in the backup.
    environment.palyra(&["keys", "new", "second"]);
    assert_eq!(environment.palyra(&["keys", "list", "--json"]).json()["keys"].as_array().unwrap().len(), 2);
    let elsewhere = environment.home("elsewhere");
    let elsewhere = elsewhere.to_str().unwrap();
    let done =
        environment.palyra(&["restore", "copy.tar", "--yes", "--json", "--state-root", elsewhere]).json();
    assert_eq!((&done["replaces"], &done["backup_head"]), (&json!(false), &made["head"]));
    let keys = environment.palyra(&["keys", "list", "--json", "--state-root", elsewhere]).json();
    assert_eq!(keys["keys"].as_array().unwrap().len(), 1);
    assert_eq!(environment.palyra(&["journal", "verify", "--state-root", elsewhere]).code, 0);
    let token = environment.home(".palyra").join("owner.token");
    let remote = ["--url", daemon.url(), "--token-file", token.to_str().unwrap()];
    let refused = environment.palyra(&[&["backup", "other.tar", "--json"], &remote[..]].concat());
    assert_eq!((refused.code, &refused.error()["code"]), (4, &json!("forbidden")), "{}", refused.shown());
    assert!(!environment.path("other.tar").exists());
}

#[test]
fn the_doctor_finds_fixes_and_writes_down() {
    let environment = TestEnvironment::with_state();
    let root = environment.home(".palyra");
    std::fs::set_permissions(&root, PermissionsExt::from_mode(0o755)).unwrap();
    let ill = environment.palyra(&["doctor", "--json"]);
    assert_eq!(ill.code, 1, "{}", ill.shown());
    let report: serde_json::Value = serde_json::from_str(&ill.stdout).unwrap();
    assert_eq!((&report["schema"], &report["severity"]), (&json!("palyra.doctor/v1"), &json!("error")));
    let human = environment.palyra(&["doctor"]);
    assert!(human.stdout.contains("root.permissions") && human.stderr.contains("palyra doctor --fix"));
    let fixed = environment.palyra(&["doctor", "--fix", "--bundle", "bundle.json", "--output", "human"]);
    assert!(fixed.code == 0 && fixed.stderr.contains("fixed `root.permissions`"), "{}", fixed.shown());
    let bundle: serde_json::Value = serde_json::from_str(&environment.read("bundle.json")).unwrap();
    assert_eq!(
        (&bundle["schema"], &bundle["report"]["profile"]),
        (&json!("palyra.doctor.bundle/v1"), &json!("local"))
    );
    let refused = environment.palyra(&["doctor", "--profile", "cluster"]);
    assert_snapshot!(refused.shown(), @r"
    exit 2
    --- stderr
    error: unknown profile `cluster`
    hint: choose from local, single-vm, worker-enabled
    ");
    let worker = environment.palyra(&["doctor", "--profile", "worker-enabled"]);
    assert!(worker.code == 1 && worker.stdout.contains("no worker backend"), "{}", worker.shown());
}

#[test]
fn doctor_beside_a_daemon_makes_the_checks_it_makes_without_one() {
    let environment = TestEnvironment::with_state();
    assert_eq!(environment.palyra(&["routines", "disable", "re-audit"]).code, 0);
    let doctor = ["doctor", "--profile", "single-vm", "--json"];
    let checks = |ran: &crate::environment::Ran| {
        let report: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
        assert_eq!(report["skipped"], json!(0), "{}", ran.shown());
        let of =
            |id: &str| report["checks"].as_array().unwrap().iter().find(|check| check["id"] == id).cloned();
        [of("routines.re_audit"), of("journal.verify"), of("vault.entries")]
            .map(|check| check.unwrap()["severity"].clone())
    };
    let alone = environment.palyra(&doctor);
    let daemon = crate::daemon::up(&environment, &[]);
    let beside = environment.palyra(&doctor);
    assert_eq!((alone.code, beside.code), (1, 1), "{}", beside.shown());
    assert_eq!(checks(&alone), checks(&beside));
    drop(daemon);
}
