//! `palyra skills new`, `build`, `test` and `dev`, until the skill is installed and called.

use crate::environment::{Ran, TestEnvironment};
use crate::person::{Typing, at_terminal};
use insta::assert_snapshot;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const WAT_PAGE: &str = include_str!("../../../../docs/guest-wat.md");
const C_PAGE: &str = include_str!("../../../../docs/guest-c.md");
const JAVASCRIPT_PAGE: &str = include_str!("../../../../docs/guest-javascript.md");
const PYTHON_PAGE: &str = include_str!("../../../../docs/guest-python.md");
const RUST_PAGE: &str = include_str!("../../../../docs/sdk-rust.md");

/// Creates a skill in WAT, which needs no toolchain.
fn with_skill() -> TestEnvironment {
    let environment = TestEnvironment::new();
    let made = environment.palyra(&["skills", "new", "hello", "--lang", "wat", "--publisher", "acme"]);
    assert_eq!(made.code, 0, "{}", made.shown());
    environment
}

/// Returns the cache of the machine, where `cargo xtask guests` installed the tools of each language.
fn machine_cache() -> PathBuf {
    let absolute = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    absolute("PALYRA_CACHE_DIR")
        .or_else(|| absolute("XDG_CACHE_HOME").map(|path| path.join("palyra")))
        .or_else(|| absolute("HOME").map(|path| path.join(".cache/palyra")))
        .unwrap()
}

/// Creates a home whose cache contains only the tools of the machine.
fn with_tools() -> TestEnvironment {
    let environment = TestEnvironment::new();
    let cache = environment.home(".cache/palyra");
    std::fs::create_dir_all(&cache).unwrap();
    for shared in ["tools", "zig"] {
        std::os::unix::fs::symlink(machine_cache().join(shared), cache.join(shared)).unwrap();
    }
    environment
}

/// Runs a command of a document, with the programs of this machine.
fn type_in(environment: &TestEnvironment, command: &str) -> Ran {
    let program = Path::new(env!("CARGO_BIN_EXE_palyra")).parent().unwrap();
    let path = std::env::var("PATH").unwrap();
    let mut shell = Command::new("sh");
    shell.args(["-c", command]).current_dir(environment.path("")).env_clear().stdin(Stdio::null());
    shell.env("PATH", format!("{}:{path}", program.display())).env("HOME", environment.home(""));
    shell.env("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent/bus").envs(toolchain_variables());
    environment.ran(shell.output().unwrap())
}

/// Returns the directories of cargo and rustup, which they would search below `HOME` otherwise.
fn toolchain_variables() -> impl Iterator<Item = (&'static str, std::ffi::OsString)> {
    let below_home = |directory: &str| {
        std::env::var_os("HOME").map(|home| PathBuf::from(home).join(directory).into_os_string())
    };
    [("CARGO_HOME", Some(".cargo")), ("RUSTUP_HOME", Some(".rustup")), ("RUSTUP_TOOLCHAIN", None)]
        .into_iter()
        .filter_map(move |(name, default)| {
            Some((name, std::env::var_os(name).or_else(|| below_home(default?))?))
        })
}

/// Runs the commands of a page in order, and answers the prompt of `install` with yes.
fn follow(page: &str, environment: &TestEnvironment) -> Vec<(String, String)> {
    let commands: Vec<&str> = page.lines().filter_map(|line| line.strip_prefix("$ ")).collect();
    assert!(commands.len() >= 6, "{commands:?}");
    let mut shown = Vec::new();
    for command in commands {
        let arguments: Vec<&str> = command.split_whitespace().skip(1).collect();
        let (code, text) = if arguments.starts_with(&["skills", "install"]) {
            let seen = at_terminal(environment, &arguments, &[Typing::Shown("[y/N] ", "y")]);
            (seen.code, seen.shown)
        } else {
            let ran = type_in(environment, command);
            (ran.code, ran.shown())
        };
        assert_eq!(code, 0, "{command}\n{text}");
        shown.push((command.to_owned(), text));
    }
    shown
}

fn assert_greeted(shown: &[(String, String)]) {
    let (command, text) = shown.last().unwrap();
    assert!(command.starts_with("palyra run ") && text.contains("\"greeting\": \"Hello, Ada!\""), "{text}");
}

#[test]
fn page_about_wat_leads_from_nothing_to_a_call() {
    let environment = TestEnvironment::new();
    assert_greeted(&follow(WAT_PAGE, &environment));
}

#[test]
fn page_about_c_leads_from_nothing_to_a_call() {
    let environment = with_tools();
    assert_greeted(&follow(C_PAGE, &environment));
}

#[test]
fn page_about_javascript_leads_from_nothing_to_a_call() {
    let environment = with_tools();
    assert_greeted(&follow(JAVASCRIPT_PAGE, &environment));
    let throws =
        "export const tools = { invoke() { console.log(\"before\"); throw new Error(\"boom\"); } };\n";
    environment.write("hello/guest.js", throws);
    let failed = type_in(&environment, "palyra skills dev hello --once --input '{\"name\": \"Ada\"}'");
    assert_eq!(failed.code, 19, "{}", failed.shown());
    assert!(
        failed.stderr.contains("[info] before") && failed.stderr.contains("Error: boom"),
        "{}",
        failed.shown()
    );
}

#[test]
fn page_about_javascript_holds_for_typescript() {
    let environment = with_tools();
    let page = JAVASCRIPT_PAGE.replace("--lang js", "--lang ts");
    assert_greeted(&follow(&page, &environment));
    assert!(environment.path("hello/guest.ts").is_file());
}

#[test]
fn page_about_python_leads_from_nothing_to_a_call() {
    let environment = with_tools();
    assert_greeted(&follow(PYTHON_PAGE, &environment));
}

#[test]
fn page_about_rust_leads_from_nothing_to_a_call() {
    let environment = with_tools();
    assert_greeted(&follow(RUST_PAGE, &environment));
}

#[test]
fn new_skill_has_manifest_source_and_tests() {
    let environment = with_skill();
    let made =
        environment.palyra(&["skills", "new", "other/Notes App", "--lang", "wat", "--publisher", "acme"]);
    assert_snapshot!(made.shown(), @"
    exit 0
    --- stdout
    skill      acme.notes_app
    tool       acme.notes_app.greet
    directory  other/Notes App
    files      .gitignore, guest.toml, guest.wat, skill.toml, tests/greet.json
    --- stderr
    next: palyra skills build 'other/Notes App'
    next: palyra skills test 'other/Notes App'
    next: palyra skills dev 'other/Notes App'
    ");
    for lang in ["rust", "js", "ts", "python", "c"] {
        let made =
            environment.palyra(&["skills", "new", lang, "--lang", lang, "--id", "acme.x-y", "--json"]).json();
        assert_eq!(
            (&made["schema"], &made["skill_id"]),
            (&json!("palyra.skills.new/v1"), &json!("acme.x-y"))
        );
        assert_eq!(made["tool"], "acme.x_y.greet");
    }
    assert!(environment.path("rust/palyra-sdk/sdk/src/lib.rs").is_file());
    assert!(environment.read("rust/Cargo.lock").contains("name = \"acme-x-y\""));
}

#[test]
fn new_skill_leaves_content_alone_and_takes_an_empty_directory() {
    let environment = with_skill();
    let before = environment.all_files().len();
    let refused = environment.palyra(&["skills", "new", "hello", "--lang", "js"]);
    assert_snapshot!(refused.shown(), @"
    exit 2
    --- stderr
    error: `hello` is not empty
    hint: name a directory that does not exist yet; nothing was written
    ");
    for id in ["notes", "Acme.notes", "acme.", &format!("acme.{}", "n".repeat(60))] {
        let refused = environment.palyra(&["skills", "new", "next", "--lang", "js", "--id", id]);
        assert_eq!(refused.code, 2, "{}", refused.shown());
    }
    assert_eq!(environment.all_files().len(), before, "nothing half-done stays behind");
    assert!(!environment.path("next").exists());
    std::fs::create_dir(environment.path("empty")).unwrap();
    let made = environment.palyra(&["skills", "init", "empty", "--lang", "js", "--publisher", "acme"]);
    assert_eq!(made.code, 0, "{}", made.shown());
    assert_eq!(environment.path("empty").read_dir().unwrap().count(), 5);
}

#[test]
fn build_puts_the_module_where_the_packager_finds_it() {
    let environment = with_skill();
    assert_snapshot!(environment.palyra(&["skills", "build", "hello"]).shown(), @"
    exit 0
    --- stdout
    MODULE              LANGUAGE  SIZE   BUILT IN
    modules/hello.wasm  wat       600 B  [TIME]
    --- stderr
    building hello (wat)
    next: palyra skills test hello
    ");
    let again = environment.palyra(&["skills", "build", "hello", "--json"]).json();
    assert_eq!((&again["modules"][0]["unchanged"], &again["missing"]), (&json!(true), &json!([])));
    assert!(environment.path("hello/modules/hello.wasm").is_file());
    let manifest = environment.read("hello/skill.toml").replace("modules/hello.wasm", "modules/other.wasm");
    environment.write("hello/skill.toml", manifest);
    let missing = environment.palyra(&["skills", "build", "hello"]);
    assert_eq!(missing.code, 6, "{}", missing.shown());
    assert!(missing.stderr.contains("nothing builds `modules/other.wasm`"), "{}", missing.shown());
}

#[test]
fn build_says_what_is_missing() {
    let environment = TestEnvironment::new();
    environment.palyra(&["skills", "new", "js", "--lang", "js", "--publisher", "acme"]);
    assert_snapshot!(environment.palyra(&["skills", "build", "js"]).shown(), @"
    exit 1
    --- stderr
    building js (js)
    error: `node` is not installed; it is required to build JavaScript and TypeScript guests
    hint: install Node.js 18 or newer with npm (Debian: apt-get install nodejs npm)
    ");
    assert_snapshot!(environment.palyra(&["skills", "build", "nowhere"]).shown(), @"
    exit 2
    --- stderr
    error: no `skill.toml` in `nowhere`
    hint: pass the directory that contains skill.toml
    ");
    environment.palyra(&["skills", "new", "wat", "--lang", "wat", "--publisher", "acme"]);
    std::fs::remove_file(environment.path("wat/guest.toml")).unwrap();
    assert_snapshot!(environment.palyra(&["skills", "build", "wat"]).shown(), @r#"
    exit 2
    --- stderr
    error: there is no `guest.toml` in `wat`
    hint: create it, for example with `lang = "js"` and `name = "hello"`
    hint: create a whole skill with `palyra skills new DIR --lang js`
    "#);
    environment.write("wat/guest.toml", "lang = \"wta\"\nname = \"wat\"\n");
    let refused = environment.palyra(&["skills", "build", "wat", "--json"]);
    assert_eq!((refused.code, refused.error()["code"].clone()), (2, json!("usage")));
}

#[test]
fn errors_of_the_bundler_come_without_its_own_stack() {
    let environment = with_tools();
    environment.palyra(&["skills", "new", "hello", "--lang", "js", "--publisher", "acme"]);
    environment.write("hello/guest.js", "import { x } from \"./missing.js\";\nexport const tools = x;\n");
    let refused = type_in(&environment, "palyra skills build hello");
    assert_eq!(refused.code, 1, "{}", refused.shown());
    assert!(refused.stderr.contains("Could not resolve \"./missing.js\""), "{}", refused.stderr);
    assert!(refused.stderr.contains("guest.js:1:18"), "{}", refused.stderr);
    assert!(!refused.stderr.contains("node:") && refused.stderr.lines().count() < 12, "{}", refused.stderr);
}

#[test]
fn test_shows_every_case_and_judges() {
    let environment = with_skill();
    let passed = environment.palyra(&["skills", "test", "hello"]);
    assert_snapshot!(passed.shown(), @"
    exit 0
    --- stdout
    CASE                                   TOOL              STATUS  TOOK
    greet: greets by name                  acme.hello.greet  ok      [TIME]
    greet: keeps quotes and other scripts  acme.hello.greet  ok      [TIME]
    greet: needs a name                    acme.hello.greet  ok      [TIME]

    3 passed
    --- stderr
    building hello (wat)
    next: palyra skills package build hello --out acme.hello.palyra-skill --signing-key-vault-ref release
    ");
    let cases = json!([
        { "name": "wrong", "input": { "name": "Ada" }, "output": { "greeting": "Hi" } },
        { "name": "wrong code", "input": {}, "error": "tool_failed" },
        { "name": "part", "input": { "name": "Ada" }, "contains": {} },
    ]);
    environment.write("hello/tests/more.json", cases.to_string());
    let failed = environment.palyra(&["skills", "test", "hello", "--only", "more"]);
    assert_snapshot!(failed.shown(), @r#"
    exit 1
    --- stdout
    CASE              TOOL              STATUS  TOOK
    more: wrong       acme.hello.greet  failed  [TIME]
    more: wrong code  acme.hello.greet  failed  [TIME]
    more: part        acme.hello.greet  ok      [TIME]

    more: wrong
      expected  {"greeting":"Hi"}
      got       {"greeting":"Hello, Ada!"}

    more: wrong code
      expected  the error `tool_failed`
      got       the error `invalid_input`: invalid input: "name" is a required property at `/`

    1 passed, 2 failed
    "#);
    let mistyped = environment.palyra(&["skills", "test", "hello", "--only", "mroe"]);
    assert_snapshot!(mistyped.shown(), @"
    exit 2
    --- stderr
    error: no test case has `mroe` in the name of its file or in its own
    hint: run all with `palyra skills test hello`
    ");
    let report = environment.palyra(&["skills", "test", "hello", "--json"]);
    let report: Value = serde_json::from_str(&report.stdout).unwrap();
    assert_eq!((&report["schema"], &report["passed"]), (&json!("palyra.skills.test/v1"), &json!(4)));
    assert_eq!(report["cases"].as_array().unwrap().len(), 6);
}

#[test]
fn cases_run_under_the_permissions_of_the_manifest() {
    let environment = TestEnvironment::new();
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/skills/counter-wat");
    std::fs::create_dir_all(environment.path("counter/tests")).unwrap();
    for file in ["guest.toml", "guest.wat", "skill.toml"] {
        std::fs::copy(example.join(file), environment.path("counter").join(file)).unwrap();
    }
    let cases = json!([
        { "input": { "step": 5 }, "output": { "count": 5 } },
        { "name": "what was stored is there", "input": { "step": 2 }, "output": { "count": 7 } },
        { "name": "nothing granted", "grants": [], "error": "capability_denied" },
        { "name": "granted", "grants": ["storage:counter/"], "input": {}, "output": { "count": 8 } },
    ]);
    environment.write("counter/tests/a.json", cases.to_string());
    environment.write("counter/tests/b.json", json!([{ "input": {}, "output": { "count": 1 } }]).to_string());
    let tested = environment.palyra(&["skills", "test", "counter"]);
    assert_eq!(tested.code, 0, "{}", tested.shown());

    let manifest = environment.read("counter/skill.toml").replace("storage_", "# storage_");
    environment.write("counter/skill.toml", manifest);
    environment.write("counter/tests/a.json", json!([{ "output": { "count": 1 } }]).to_string());
    let denied = environment.palyra(&["skills", "test", "counter", "--only", "a"]);
    assert_eq!(denied.code, 1, "{}", denied.shown());
    assert!(denied.stdout.contains("hint      in skill.toml: "), "{}", denied.shown());

    environment.write("counter/tests/a.json", json!([{ "grants": ["storage:else/"] }]).to_string());
    let refused = environment.palyra(&["skills", "test", "counter"]);
    assert_snapshot!(refused.shown(), @"
    exit 2
    --- stderr
    error: `a.json`, case 1: skill.toml does not request `storage:else/`
    hint: request it below `[capabilities]`
    ");
}

#[test]
fn dev_can_call_one_tool_once() {
    let environment = with_skill();
    let call = ["skills", "dev", "hello", "--once", "--input", "{\"name\": \"Ada\"}"];
    let called = environment.palyra(&call);
    assert_eq!((called.code, called.stdout.as_str()), (0, "{\n  \"greeting\": \"Hello, Ada!\"\n}\n"));
    let tested = environment.palyra(&["skills", "dev", "hello", "--once"]);
    assert!(tested.code == 0 && tested.stdout.contains("3 passed"), "{}", tested.shown());
    let unknown = environment.palyra(&["skills", "dev", "hello", "--once", "--tool", "acme.hello.gret"]);
    assert!(
        unknown.code == 2 && unknown.stderr.contains("there is `acme.hello.greet`"),
        "{}",
        unknown.shown()
    );
}

#[test]
fn dev_tests_again_after_a_change_until_it_is_interrupted() {
    let environment = with_skill();
    let mut child = environment.command(&["skills", "dev", "hello"]).spawn().unwrap();
    let mut talk = BufReader::new(child.stderr.take().unwrap());
    let mut wait_for = |text: &str| {
        let mut line = String::new();
        while !line.contains(text) {
            line.clear();
            assert!(talk.read_line(&mut line).unwrap() > 0, "it never said {text:?}");
        }
    };
    wait_for("watching hello for changes");
    let cases = environment.read("hello/tests/greet.json").replace("Hello, Ada!", "Good morning, Ada!");
    environment.write("hello/tests/greet.json", cases);
    wait_for("changed: tests/greet.json");
    wait_for("watching hello for changes");
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let mut shown = String::new();
    child.stdout.take().unwrap().read_to_string(&mut shown).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert!(shown.contains("3 passed") && shown.contains("2 passed, 1 failed"), "{shown}");
}
