//! Texts that are not a policy: each is refused with its position and a suggestion.

use palyra_common::limits::MAX_POLICY_BYTES;
use palyra_policy::{DEFAULT_POLICY, PolicyProblem, PolicySet, PolicyTextError};
use proptest::prelude::*;

fn refusal(text: &str) -> PolicyTextError {
    PolicySet::parse(text).map(|_| ()).unwrap_err()
}

fn rule(head: &str) -> String {
    format!("@id(\"a\")\n@advice(\"b\")\n{head}")
}

#[test]
fn refusals_name_the_place_and_the_fix() {
    let cases = [
        ("not a rule", "permit".to_owned()),
        ("no end", rule("permit (principal, action, resource)")),
        ("a word too many", rule("permit (principal, action, resource) whenever { true };")),
        ("no id", "@advice(\"b\") permit (principal, action, resource);".to_owned()),
        ("bad id", "@id(\"A b\u{202e}\") @advice(\"b\") permit (principal, action, resource);".to_owned()),
        ("no advice", "\n\n  @id(\"a\") permit (principal, action, resource);".to_owned()),
        (
            "hidden advice",
            "@id(\"a\") @advice(\"a\u{200b}b\") permit (principal, action, resource);".to_owned(),
        ),
        (
            "same id",
            format!(
                "{}\n{}",
                rule("permit (principal, action, resource);"),
                rule("forbid (principal, action, resource);")
            ),
        ),
        ("slot", rule("permit (principal == ?principal, action, resource);")),
        ("unknown action", rule("permit (principal, action == Action::\"instal\", resource);")),
        (
            "unknown scope",
            rule(
                "permit (principal, action, resource)\nwhen { principal.scopes.contains(Scope::\"root\") };",
            ),
        ),
        ("unknown attribute", rule("permit (principal, action, resource) when { principal.age > 3 };")),
        ("another type", rule("permit (principal, action, resource) when { principal.kind == \"owner\" };")),
        ("never applies", rule("permit (principal, action == Action::\"vault\", resource is Tool);")),
        (
            "context of another action",
            rule("permit (principal, action == Action::\"read\", resource) when { context.elicited };"),
        ),
        ("too deep", rule(&format!("permit (principal, action, resource) when {{ {} true", "(".repeat(60)))),
        (
            "too long",
            rule(&format!(
                "permit (principal, action, resource) when {{ {} true }};",
                "true && ".repeat(300)
            )),
        ),
    ];
    let mut told = String::new();
    for (name, text) in cases {
        let error = PolicySet::parse(&text).err().unwrap_or_else(|| panic!("{name} is read"));
        told.push_str(&format!("{name}\n  {error}\n  hint: {}\n", error.hint()));
    }
    insta::assert_snapshot!(told);
}

#[test]
fn sizes_are_bounded() {
    let bytes = MAX_POLICY_BYTES + 1;
    assert_eq!(refusal(&"x".repeat(bytes)).problem, PolicyProblem::TooLong { bytes });
    let many: String = (0..300)
        .map(|number| format!("@id(\"r{number}\") @advice(\"a\") permit (principal, action, resource);\n"))
        .collect();
    assert_eq!(refusal(&many).problem, PolicyProblem::TooManyRules);
}

/// A policy of the maximum size is read and used on the stack of an ordinary thread.
#[test]
fn the_largest_rules_fit_an_ordinary_stack() {
    let head = "permit (principal, action, resource) when { ";
    for body in [
        format!("{} true {}", "(".repeat(20), ")".repeat(20)),
        format!("{} true", "true && ".repeat(110)),
        format!("{} true", "false || ".repeat(110)),
        format!("{} true", "if true then true else ".repeat(60)),
        format!("{{\"a\": {} 1 {}}} has a", "{\"a\": ".repeat(15), "}".repeat(15)),
        format!("[1{}].contains(1)", ", 1".repeat(180)),
        format!("1{} > 0", " + 1".repeat(180)),
        "!!!!true".to_owned(),
    ] {
        let text = rule(&format!("{head}{body} }};"));
        let set = PolicySet::parse(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
        let asked = crate::requests::request(
            palyra_policy::PrincipalKind::Token,
            &[],
            palyra_policy::Action::Read,
            palyra_policy::Resource::Daemon,
        );
        assert!(set.evaluate(&asked).allowed, "{text}");
    }
}

#[test]
fn a_revision_is_the_digest_of_the_text() {
    let set = PolicySet::parse(DEFAULT_POLICY).unwrap();
    assert_eq!(set.revision(), PolicySet::parse(DEFAULT_POLICY).unwrap().revision());
    assert_ne!(set.revision(), PolicySet::parse(&format!("{DEFAULT_POLICY} ")).unwrap().revision());
    let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    assert_eq!(PolicySet::parse("").unwrap().revision().to_string(), empty);
    assert_eq!(set.rules().count(), 14);
    assert_eq!(PolicySet::standard().revision(), set.revision());
    assert!(PolicySet::standard().rules().eq(set.rules()));
    assert!(set.rules().all(|rule| DEFAULT_POLICY.contains(&rule.text)));
}

proptest! {
    /// A modified policy is accepted or rejected with a valid position.
    #[test]
    fn a_changed_text_is_read_or_refused(at in any::<prop::sample::Index>(), length in 0_usize..40, with in "\\PC{0,6}") {
        let start = at.index(DEFAULT_POLICY.len());
        let end = (start + length).min(DEFAULT_POLICY.len());
        prop_assume!(DEFAULT_POLICY.is_char_boundary(start) && DEFAULT_POLICY.is_char_boundary(end));
        let text = format!("{}{with}{}", &DEFAULT_POLICY[..start], &DEFAULT_POLICY[end..]);
        if let Err(error) = PolicySet::parse(&text) {
            prop_assert!(error.line <= text.lines().count() + 1 && error.line > 0 && error.column > 0);
            prop_assert!(!error.hint().is_empty());
        }
    }

    #[test]
    fn any_text_is_read_or_refused(text in ".{0,200}") {
        let _ = PolicySet::parse(&text);
    }
}
