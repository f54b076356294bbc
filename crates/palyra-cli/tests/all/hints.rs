//! Follows the hint of every refusal of an installed tool, on every transport. `docs/refused.md` has the table; the
//! hints of `palyra run --module` are followed in `grants.rs`.

mod caller;
mod grpc;
mod skill;
mod table;

use crate::daemon::up;
use caller::{Caller, Refused};
use skill::{RELAY_ID, install, install_next, relay_bench};
use table::{CELLS, Change, KINDS, PLACES, Place, TRANSPORTS, Transport};

/// Returns the words of a command line without quotes.
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

/// Returns the command in a hint.
#[track_caller]
fn command(hint: &str) -> Vec<String> {
    words(hint.split('`').nth(1).unwrap_or_else(|| panic!("nothing to paste: {hint}")))
}

/// Follows a hint: runs a command of the operator, or sets a limit of the call.
#[track_caller]
fn follow(caller: &mut Caller<'_>, refused: &Refused) {
    let words = command(&refused.hint);
    let arguments: Vec<&str> = words.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["palyra", arguments @ ..] => drop(caller.bench.ok(arguments)),
        ["--limit", limit] => caller.limits = vec![(*limit).to_owned()],
        other => panic!("neither a command nor a limit: {other:?}"),
    }
}

#[test]
fn table_has_every_kind_in_every_place_once() {
    for kind in KINDS {
        for place in PLACES {
            let cells = CELLS.iter().filter(|cell| (cell.kind, cell.place) == (kind, place)).count();
            assert_eq!(cells, 1, "{kind} {place:?}");
        }
    }
    assert_eq!(CELLS.len(), KINDS.len() * PLACES.len());
    for cell in CELLS {
        if let Change::Never(reason) = cell.change {
            assert!(!reason.is_empty(), "{} {:?} has no reason", cell.kind, cell.place);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn hints_lift_the_refusal_where_it_is() {
    let bench = relay_bench();
    install(&bench, &["global/token"]);
    let daemon = up(&bench.environment, &["--grpc-listen", "127.0.0.1:0"]);
    let mut caller = Caller::new(&bench, &daemon).await;
    for cell in CELLS {
        let Change::Settings { set, reset, code, hint } = cell.change else { continue };
        for transport in TRANSPORTS {
            if cell.impossible(transport).is_some() {
                continue;
            }
            let row = format!("{} {:?} {transport:?}", cell.kind, cell.place);
            set.iter().for_each(|command| drop(bench.ok(command)));
            caller.limits = cell.limits();
            let first = caller.call(transport, cell.kind).await.expect_err(&row);
            assert_eq!(first.code, code, "{row}: {first:?}");
            assert!(first.hint.contains(hint), "{row}: {first:?}");
            let mut refused = Some(first);
            // A limit that stops a run reports the use so far, so raising it takes several steps.
            for _ in 0..16 {
                let Some(last) = refused.take() else { break };
                follow(&mut caller, &last);
                refused = caller.call(transport, cell.kind).await.err();
            }
            assert_eq!(refused, None, "{row}: still refused");
            reset.iter().for_each(|command| drop(bench.ok(command)));
        }
    }
    caller.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn hint_of_a_withheld_secret_grants_it() {
    let bench = relay_bench();
    install(&bench, &[]);
    let daemon = up(&bench.environment, &["--grpc-listen", "127.0.0.1:0"]);
    let mut caller = Caller::new(&bench, &daemon).await;
    let mut hints = Vec::new();
    for transport in TRANSPORTS {
        let refused = caller.call(transport, "secret").await.expect_err("the secret was withheld");
        assert_eq!(refused.code, "capability_denied", "{transport:?}: {refused:?}");
        hints.push(command(&refused.hint));
    }
    hints.dedup();
    let [hint] = hints.as_slice() else { panic!("the transports differ: {hints:?}") };
    assert_eq!(hint[..4], ["palyra", "skills", "consent", RELAY_ID], "{hint:?}");
    bench.ok(&hint[1..].iter().map(String::as_str).collect::<Vec<_>>());
    for transport in TRANSPORTS {
        caller.call(transport, "secret").await.unwrap_or_else(|refused| panic!("{transport:?}: {refused:?}"));
    }
    caller.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn hint_of_permissions_that_were_not_approved_leads_to_them() {
    let bench = relay_bench();
    bench.palyra(&["skills", "install", &skill::package(&bench, "1.0.0", 1, true), "--allow-tofu"]);
    let daemon = up(&bench.environment, &["--grpc-listen", "127.0.0.1:0"]);
    let mut caller = Caller::new(&bench, &daemon).await;
    for transport in [Transport::Cli, Transport::Http, Transport::Grpc] {
        let refused = caller.call(transport, "channel").await.expect_err("its permissions were not approved");
        assert_eq!(refused.code, "not_runnable", "{transport:?}: {refused:?}");
        assert!(
            refused.hint.contains(&format!("palyra skills consent {RELAY_ID}")),
            "{transport:?}: {refused:?}"
        );
    }
    // Without a terminal the command cannot ask, and its hint contains the digest.
    let asked = bench.palyra(&["skills", "consent", RELAY_ID, "--json"]).error();
    let agree = command(asked["hints"][1].as_str().unwrap());
    bench.ok(&agree[1..].iter().map(String::as_str).collect::<Vec<_>>());
    for transport in TRANSPORTS {
        caller
            .call(transport, "channel")
            .await
            .unwrap_or_else(|refused| panic!("{transport:?}: {refused:?}"));
    }
    caller.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn denial_by_manifest_hints_at_a_new_release() {
    let bench = relay_bench();
    let first = skill::package(&bench, "1.0.0", 1, false);
    bench.install(&first, &[]);
    let daemon = up(&bench.environment, &["--grpc-listen", "127.0.0.1:0"]);
    let mut caller = Caller::new(&bench, &daemon).await;
    let asked = CELLS.iter().filter(|cell| cell.place == Place::Manifest);
    // Little fuel is enough for all tools but one.
    let tool = |kind| if kind == "fuel" { "long" } else { kind };
    let kinds: Vec<_> = asked.filter_map(|cell| Some((tool(cell.kind), cell.manifest_line()?))).collect();
    for transport in TRANSPORTS {
        for (kind, line) in &kinds {
            let refused = caller.call(transport, kind).await.expect_err(kind);
            let hint = &refused.hint;
            assert!(
                hint.contains("install a release") && !hint.contains("--grant"),
                "{transport:?} {kind}: {hint}"
            );
            assert!(hint.contains(line), "{transport:?} {kind}: {hint}");
        }
    }
    install_next(&bench);
    for transport in TRANSPORTS {
        for (kind, _) in &kinds {
            let called = caller.call(transport, kind).await;
            called.unwrap_or_else(|refused| panic!("{transport:?} {kind}: {refused:?}"));
        }
    }
    caller.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn hint_of_a_required_approval_names_the_request() {
    let bench = relay_bench();
    install(&bench, &[]);
    let daemon = up(&bench.environment, &["--grpc-listen", "127.0.0.1:0"]);
    let mut caller = Caller::new(&bench, &daemon).await;
    for transport in [Transport::Http, Transport::Grpc, Transport::Mcp] {
        let refused = caller.call(transport, "asks").await.expect_err("a person has to approve it");
        assert_eq!(refused.code, "approval_required", "{transport:?}: {refused:?}");
        assert!(refused.message.contains("acme.relay.asks"), "{transport:?}: {refused:?}");
        let hint = refused.hint.trim_start_matches("for the operator: ").trim_matches('`');
        let words = words(hint);
        assert_eq!(words[..3], ["palyra", "approvals", "approve"], "{transport:?}: {hint}");
        bench.ok(&words[1..].iter().map(String::as_str).collect::<Vec<_>>());
        caller.call(transport, "asks").await.unwrap_or_else(|refused| panic!("{transport:?}: {refused:?}"));
    }
    caller.close().await;
}
