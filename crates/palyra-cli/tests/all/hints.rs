//! The hint of every refusal of an installed tool, carried out: the table is in `docs/refused.md`.

use crate::daemon::up;
use crate::skill_bench::{SkillBench, example};

const COUNTER: &str = "palyra.counter_wat";
const ECHO: &str = "palyra.echo_http";

fn counter() -> SkillBench {
    let bench = SkillBench::new();
    bench.install(&bench.package("counter", &example("counter-wat"), "counter-wat"), &[]);
    bench
}

/// The words of a command line, with its quotes taken off.
fn words(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (index, part) in command.split('\'').enumerate() {
        match index % 2 {
            1 => words.push(part.to_owned()),
            _ => words.extend(part.split_whitespace().map(str::to_owned)),
        }
    }
    words
}

/// The part of a hint that can be pasted.
fn command(hint: &str) -> Option<&str> {
    hint.split('`').nth(1)
}

/// Calls until it succeeds, each time after the first hint was carried out; returns the first hint.
#[track_caller]
fn until_allowed(bench: &SkillBench, call: &[&str]) -> String {
    let mut call: Vec<String> = call.iter().map(|&word| word.to_owned()).collect();
    let mut first = None;
    // A limit that stops a run says what was used so far, so raising it takes several steps.
    for _ in 0..16 {
        let arguments: Vec<&str> = call.iter().map(String::as_str).chain(["--json"]).collect();
        let ran = bench.palyra(&arguments);
        if ran.code == 0 {
            return first.expect("the call was refused at first");
        }
        let hint = ran.error()["hints"][0].as_str().unwrap().to_owned();
        let words = words(command(&hint).unwrap_or_else(|| panic!("nothing to paste: {hint}")));
        match words.first().map(String::as_str) {
            Some("palyra") => drop(bench.ok(&words[1..].iter().map(String::as_str).collect::<Vec<_>>())),
            // A flag of the call itself replaces the one that was given.
            _ => {
                let given = call.iter().position(|word| *word == words[0]).unwrap();
                call.splice(given..given + 2, words);
            }
        }
        first.get_or_insert(hint);
    }
    panic!("still refused: {first:?}");
}

#[test]
fn hints_lift_the_refusal_where_it_is() {
    for (setting, hint) in [
        (
            &["plugins", "profile", "set", COUNTER, "--only", "--grant", "channel:alerts"][..],
            "plugins profile set",
        ),
        (&["plugins", "profile", "set", COUNTER, "--limit", "fuel=300"], "plugins profile set"),
        (&["runner-policy", "set", "allowed_storage_prefixes="], "runner-policy set"),
        (&["runner-policy", "set", "fuel_budget=300"], "runner-policy set"),
    ] {
        let bench = counter();
        bench.ok(setting);
        let first = until_allowed(&bench, &["run", "palyra.counter_wat.add"]);
        assert!(first.contains(hint), "{setting:?}: {first}");
    }
    let bench = counter();
    let _daemon = up(&bench.environment, &[]);
    let first = until_allowed(&bench, &["run", "palyra.counter_wat.add", "--limit", "fuel=300"]);
    assert!(first.contains("--limit fuel="), "{first}");
}

#[test]
fn hint_of_a_withheld_secret_grants_it() {
    let bench = SkillBench::new();
    let put = bench.environment.palyra_with_input(&["vault", "put", "global/token"], b"5f0c1a9be27d4836b1");
    assert_eq!(put.code, 0, "{}", put.shown());
    // A host that no resolver knows.
    let manifest = example("echo-http").replace("api.example.com", "api.invalid");
    bench.install(&bench.package("echo", &manifest, "echo-http"), &[]);
    let input = r#"{"url": "https://api.invalid/items/1", "secret": "global/token"}"#;
    let call = ["run", "palyra.echo_http.fetch", "--input", input, "--json"];
    let denied = bench.palyra(&call).error();
    assert_eq!(denied["code"], "capability_denied", "{denied}");
    let hint = denied["hints"][0].as_str().unwrap();
    let words = words(command(hint).unwrap());
    assert_eq!(words[1..4], ["skills", "consent", ECHO], "{hint}");
    bench.ok(&words[1..].iter().map(String::as_str).collect::<Vec<_>>());
    assert_ne!(bench.palyra(&call).error()["code"], "capability_denied");
}

#[test]
fn what_no_setting_allows_is_said_to_need_a_release() {
    let bench = SkillBench::new();
    bench.install(&bench.package("echo", &example("echo-http"), "echo-http"), &[]);
    let input = r#"{"url": "https://other.invalid/items/1"}"#;
    let denied = bench.palyra(&["run", "palyra.echo_http.fetch", "--input", input, "--json"]).error();
    let hint = denied["hints"][0].as_str().unwrap();
    assert!(hint.contains("install a release") && !hint.contains("--grant"), "{denied}");
}
