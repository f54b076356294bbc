//! Prompts on a terminal.

use crate::environment::TestEnvironment;
use crate::person::{Typing, at_terminal};
use crate::skill_bench::{SkillBench, example};

const SECRET: &str = "typed-secret-4c1f0a";
const PASSPHRASE: &str = "typed passphrase 9b2e";

#[test]
fn a_secret_is_asked_for_and_not_shown() {
    let environment = TestEnvironment::with_state();
    let put = ["vault", "put", "global/token"];
    let seen = at_terminal(&environment, &put, &[Typing::Hidden("value of global/token: ", SECRET)]);
    assert_eq!(seen.code, 0, "{}", seen.shown);
    assert!(seen.shown.contains("created") && !seen.shown.contains(SECRET), "{}", seen.shown);
    let nothing = at_terminal(&environment, &put, &[Typing::Hidden("value of global/token: ", "")]);
    assert_eq!(nothing.code, 3, "nothing typed is a no: {}", nothing.shown);
    let sure = Typing::Shown("Remove the secret `global/token`? [y/N] ", "n");
    let kept = at_terminal(&environment, &["vault", "remove", "global/token"], &[sure]);
    assert_eq!(kept.code, 3, "{}", kept.shown);
    assert!(environment.palyra(&["vault", "list"]).stdout.contains("global/token"));
}

#[test]
fn a_passphrase_is_chosen_twice_and_asked_for_by_every_command() {
    let environment = TestEnvironment::new();
    let init = ["init", "--device-key", "passphrase"];
    let first = || Typing::Hidden("new passphrase of the device key: ", PASSPHRASE);
    let slip = Typing::Hidden("new passphrase of the device key again: ", "another one");
    let differ = at_terminal(&environment, &init, &[first(), slip]);
    assert_eq!(differ.code, 2, "{}", differ.shown);
    assert!(differ.shown.contains("the two passphrases differ"), "{}", differ.shown);
    let again = Typing::Hidden("new passphrase of the device key again: ", PASSPHRASE);
    let made = at_terminal(&environment, &init, &[first(), again]);
    assert_eq!(made.code, 0, "{}", made.shown);
    let asked = [Typing::Hidden("passphrase of the device key: ", PASSPHRASE)];
    let listed = at_terminal(&environment, &["vault", "list"], &asked);
    assert_eq!(listed.code, 0, "{}", listed.shown);
    let wrong = [Typing::Hidden("passphrase of the device key: ", "not this one")];
    let refused = at_terminal(&environment, &["vault", "list"], &wrong);
    assert_ne!(refused.code, 0, "{}", refused.shown);
    for seen in [differ, made, listed, refused] {
        assert!(!seen.shown.contains(PASSPHRASE), "{}", seen.shown);
    }
    let nobody = environment.palyra(&["vault", "list"]);
    assert!(nobody.code != 0 && nobody.stderr.contains("--passphrase-file"), "{}", nobody.shown());
}

#[test]
fn an_installation_asks_for_consent_after_showing_what_for() {
    let bench = SkillBench::new();
    let file = bench.package("echo", &example("echo-http"), "echo-http");
    let install = ["skills", "install", &file, "--allow-tofu"];
    let question = "Allow palyra.echo_http 0.1.0 by palyra to do this?";
    let prompt = format!("{question} [y/N] ");
    let no = at_terminal(&bench.environment, &install, &[Typing::Shown(&prompt, "n")]);
    assert_eq!(no.code, 3, "{}", no.shown);
    let (asks, question) = (no.shown.find("Permissions").unwrap(), no.shown.find(question).unwrap());
    assert!(asks < question && no.shown.contains("checks passed"), "{}", no.shown);
    assert_eq!(
        bench.json(&["skills", "info", "palyra.echo_http"])["entry"]["runtime_status"],
        "awaiting_consent"
    );

    let secret = "Also give it the secret `global/token`? [y/N] ";
    let answers = [Typing::Shown(&prompt, "y"), Typing::Shown(secret, "n")];
    let yes = at_terminal(&bench.environment, &install, &answers);
    assert_eq!(yes.code, 0, "{}", yes.shown);
    assert_eq!(bench.json(&["skills", "info", "palyra.echo_http"])["entry"]["runtime_status"], "active");
    let later = ["skills", "consent", "palyra.echo_http"];
    let granted = at_terminal(&bench.environment, &later, &[Typing::Shown(secret, "y")]);
    assert_eq!(granted.code, 0, "{}", granted.shown);
    assert_eq!(bench.json(&later)["withheld"], serde_json::json!([]));
}

#[test]
fn a_tool_that_needs_approval_asks_the_owner() {
    let bench = SkillBench::new();
    let export = "export = \"palyra_plugin_main\"\n";
    let risky = format!("{export}risk = {{ default_sensitive = true, requires_approval = true }}\n");
    let manifest = example("counter-wat").replacen(export, &risky, 1);
    let file = bench.package("counter", &manifest, "counter-wat");
    bench.install(&file, &[]);
    let run = ["run", "palyra.counter_wat.add", "--input", "{\"step\": 2}"];
    let alone = bench.palyra(&run);
    assert!(alone.code != 0 && alone.stderr.contains("approv"), "{}", alone.shown());
    let question = "Run `palyra.counter_wat.add` with {\"step\":2}? [y/N] ";
    let no = at_terminal(&bench.environment, &run, &[Typing::Shown(question, "")]);
    assert_eq!(no.code, 3, "{}", no.shown);
    let yes = at_terminal(&bench.environment, &run, &[Typing::Shown(question, "yes")]);
    assert_eq!(yes.code, 0, "{}", yes.shown);
    assert!(yes.shown.contains("receipt"), "{}", yes.shown);
}

#[test]
fn no_input_prevents_prompts() {
    let environment = TestEnvironment::with_state();
    let seen = at_terminal(&environment, &["vault", "put", "global/token", "--no-input"], &[]);
    assert_eq!(seen.code, 2, "{}", seen.shown);
}
