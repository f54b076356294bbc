//! Packages: built, verified, shown and compared.

use crate::skill_bench::{SkillBench, built_guest, counter, example};
use serde_json::json;

#[test]
fn a_package_is_built_the_same_twice_and_verified() {
    let bench = SkillBench::new();
    let one = bench.package("one", &example("counter-wat"), "counter-wat");
    let two = bench.package("two", &example("counter-wat"), "counter-wat");
    let bytes = |name: &str| std::fs::read(bench.environment.path(name)).unwrap();
    assert_eq!(bytes(&one), bytes(&two));

    let unknown = bench.palyra(&["skills", "package", "verify", &one]);
    assert_eq!(unknown.code, 5, "{}", unknown.shown());
    assert!(unknown.stderr.contains("publisher `palyra` is unknown"), "{}", unknown.stderr);
    let verified = bench.json(&["skills", "package", "verify", &one, "--allow-tofu"]);
    assert_eq!(verified["schema"], "palyra.skills.package.verify/v1");
    assert_eq!(verified["trust"]["state"], "tofu_offer");
    let steps: Vec<_> =
        verified["steps"].as_array().unwrap().iter().map(|step| step["name"].clone()).collect();
    assert_eq!(
        (steps.first(), steps.last(), steps.len()),
        (Some(&json!("size")), Some(&json!("sidecars")), 10)
    );
}

#[test]
fn a_package_needs_no_state_root_to_be_looked_into() {
    let bench = SkillBench::new();
    let file = bench.package("counter", &example("counter-wat"), "counter-wat");
    let elsewhere = bench.environment.path("nowhere").display().to_string();
    let inspected = bench.json(&["skills", "package", "inspect", &file, "--state-root", &elsewhere]);
    assert_eq!(inspected["schema"], "palyra.skills.package.inspect/v1");
    assert_eq!(inspected["manifest"]["skill_id"], "palyra.counter_wat");
    let paths: Vec<_> =
        inspected["entries"].as_array().unwrap().iter().map(|entry| entry["path"].clone()).collect();
    assert_eq!(paths, ["modules/counter-wat.wasm", "provenance.json", "sbom.cyclonedx.json", "skill.toml"]);
    let shown = bench.ok(&["skills", "package", "inspect", &file]).stdout;
    for part in ["Tools\n  palyra.counter_wat.add: ", "Permissions\n", "Files\n  PATH", "signed by"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let verified = bench.palyra(&["skills", "package", "verify", &file, "--state-root", &elsewhere]);
    assert_eq!(verified.code, 5);
    assert!(verified.stderr.contains("no state root"), "{}", verified.stderr);
}

#[test]
fn a_flipped_bit_is_refused_with_step_code_and_remedy() {
    let bench = SkillBench::new();
    let file = bench.package("counter", &example("counter-wat"), "counter-wat");
    let mut bytes = std::fs::read(bench.environment.path(&file)).unwrap();
    let module = built_guest("counter-wat");
    let at = bytes.windows(64).position(|window| window == &module[..64]).unwrap() + 40;
    bytes[at] ^= 1;
    bench.environment.write("flipped.palyra-skill", bytes);
    for verb in [&["package", "verify"][..], &["package", "inspect"], &["install"], &["audit"]] {
        let refused = bench.palyra(&[&["skills"], verb, &["flipped.palyra-skill", "--json"]].concat());
        assert_eq!(refused.code, 5, "{verb:?} {}", refused.shown());
        let error = refused.error();
        assert!(!error["code"].as_str().unwrap().is_empty() && error["hints"][0].is_string(), "{error}");
        assert_eq!(error["details"]["step"], "archive", "{error}");
    }
    assert_eq!(bench.json(&["skills", "list"])["skills"], json!([]));
}

#[test]
fn a_mistake_in_the_manifest_is_shown_with_its_line() {
    let bench = SkillBench::new();
    let wrong = example("counter-wat").replace("description = \"Adds", "descripton = \"Adds");
    bench.source("wrong", &wrong, "counter-wat");
    let arguments = [
        "skills",
        "package",
        "build",
        "wrong",
        "--out",
        "wrong.palyra-skill",
        "--signing-key-vault-ref",
        "release",
    ];
    let refused = bench.palyra(&arguments);
    assert_eq!(refused.code, 1);
    for part in
        ["line 19, column 1", "unknown key `descripton`", "expected one of", "did you mean `description`?"]
    {
        assert!(refused.stderr.contains(part), "{part}: {}", refused.stderr);
    }
    assert!(!bench.environment.path("wrong.palyra-skill").exists());
    let error = bench.palyra(&[&arguments[..], &["--json"]].concat()).error();
    assert_eq!((&error["code"], &error["details"]["line"]), (&json!("bad_manifest"), &json!(16)));
}

#[test]
fn all_mistakes_in_the_manifest_are_shown_at_once() {
    let bench = SkillBench::new();
    let wrong = example("counter-wat")
        .replace("description = \"Adds", "descripton = \"Adds")
        .replace("release_counter = 1", "release_counter = \"1\"");
    bench.source("wrong", &wrong, "counter-wat");
    let arguments = ["skills", "package", "build", "wrong", "--out", "w.palyra-skill"];
    let arguments = [&arguments[..], &["--signing-key-vault-ref", "release"]].concat();
    let refused = bench.palyra(&arguments);
    assert_eq!(refused.code, 1);
    for part in
        ["skill.toml has 3 problems", "line 6, column 19, `release_counter`", "did you mean `description`?"]
    {
        assert!(refused.stderr.contains(part), "{part}: {}", refused.stderr);
    }
    let error = bench.palyra(&[&arguments[..], &["--json"]].concat()).error();
    assert_eq!(error["details"]["problems"].as_array().unwrap().len(), 3, "{error}");
}

#[test]
fn a_package_without_its_export_is_built_with_an_exit_code() {
    let bench = SkillBench::new();
    let wrong = example("counter-wat").replace("export = \"palyra_plugin_main\"", "export = \"add\"");
    bench.source("wrong", &wrong, "counter-wat");
    let arguments = ["skills", "package", "build", "wrong", "--out", "w.palyra-skill"];
    let built = bench.palyra(&[&arguments[..], &["--signing-key-vault-ref", "release"]].concat());
    assert_eq!(built.code, 6, "{}", built.shown());
    assert!(built.stderr.contains("did you mean `palyra_plugin_main`?"), "{}", built.stderr);
}

#[test]
fn a_package_is_signed_by_exactly_one_source_of_keys() {
    let bench = SkillBench::new();
    bench.source("counter", &example("counter-wat"), "counter-wat");
    let build = ["skills", "package", "build", "counter", "--out", "c.palyra-skill"];
    assert_eq!(bench.palyra(&build).code, 2);
    let both = ["--signing-key-vault-ref", "release", "--signing-key-stdin"];
    assert_eq!(bench.palyra(&[&build[..], &both].concat()).code, 2);
    let unknown = bench.palyra(&[&build[..], &["--signing-key-vault-ref", "relase"]].concat());
    assert_eq!(unknown.code, 11, "{}", unknown.shown());

    // Not every 32 bytes are a key, from any source.
    let passphrase = bench.environment.path("passphrase");
    std::fs::write(&passphrase, "correct horse").unwrap();
    std::fs::set_permissions(&passphrase, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    let from_stdin = [&build[..], &["--signing-key-stdin", "--key-passphrase-file", "passphrase"]].concat();
    let raw = bench.environment.palyra_with_input(&from_stdin, &[7; 32]);
    assert_eq!(raw.code, 1, "{}", raw.shown());
    assert!(!bench.environment.path("c.palyra-skill").exists());
}

#[test]
fn two_releases_are_compared_in_two_columns() {
    let bench = SkillBench::new();
    let old = bench.package("old", &example("counter-wat"), "counter-wat");
    let grown = counter("0.2.0", 2)
        .replace("storage_prefixes = [\"counter/\"]", "storage_prefixes = [\"counter/\", \"history/\"]")
        .replace("Adds a step to", "Adds some steps to");
    let new = bench.package("new", &grown, "counter-wat");
    let compared = bench.json(&["skills", "package", "diff", &old, &new]);
    assert_eq!(
        (&compared["schema"], &compared["needs_consent"]),
        (&json!("palyra.skills.package.diff/v1"), &json!(true))
    );
    let shown = bench.ok(&["skills", "package", "diff", &old, &new]);
    for part in [
        "+ storage: history/",
        "~ text: ",
        "  release: version\n    0.1.0  ",
        "Adds a step to",
        "Adds some steps to",
        "(none)",
    ] {
        assert!(shown.stdout.contains(part), "{part}: {}", shown.stdout);
    }
    assert!(shown.stdout.lines().all(|line| line.chars().count() <= 100), "{}", shown.stdout);
    assert!(shown.stderr.contains("needs consent"), "{}", shown.stderr);
    let same = bench.ok(&["skills", "package", "diff", &old, &old]);
    assert_eq!(same.stdout, "nothing differs\n");
}

#[test]
fn a_key_file_signs_like_the_key_it_came_from() {
    let bench = SkillBench::new();
    let by_vault = bench.package("counter", &example("counter-wat"), "counter-wat");
    bench.environment.write_private("passphrase", "a long passphrase of a test");
    let sealed = ["--key-passphrase-file", "passphrase"];
    bench.ok(&[&["keys", "export", "release", "--key-file", "release.key"], &sealed[..]].concat());
    let build = |out: &str, flags: &[&str]| {
        let build = ["skills", "package", "build", "counter", "--out", out];
        bench.palyra(&[&build, flags, &sealed].concat())
    };
    let built = build("by-file.palyra-skill", &["--signing-key-file", "release.key"]);
    assert_eq!(built.code, 0, "{}", built.shown());
    let bytes = |name: &str| std::fs::read(bench.environment.path(name)).unwrap();
    assert_eq!(bytes("by-file.palyra-skill"), bytes(&by_vault), "signatures are deterministic");

    bench.environment.write_private("other", "another passphrase of a test");
    let wrong = bench.palyra(&[
        "skills",
        "package",
        "build",
        "counter",
        "--out",
        "wrong.palyra-skill",
        "--signing-key-file",
        "release.key",
        "--key-passphrase-file",
        "other",
    ]);
    assert!(wrong.code != 0 && !bench.environment.path("wrong.palyra-skill").exists(), "{}", wrong.shown());
    let open = std::os::unix::fs::PermissionsExt::from_mode(0o644);
    std::fs::set_permissions(bench.environment.path("release.key"), open).unwrap();
    let readable = build("open.palyra-skill", &["--signing-key-file", "release.key"]);
    assert!(readable.code != 0, "{}", readable.shown());
}
