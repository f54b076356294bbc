//! The install pipeline on a real state root: install, update, remove, and every state in between.

use std::collections::BTreeSet;
use std::fs;

use palyra_journal::{EventKind, Query};
use palyra_skills::audit::AdvisoryList;
use palyra_skills::index::QuarantineCause;
use palyra_skills::trust::RevocationTarget;
use palyra_skills::{RuntimeStatus, TrustState};
use palyra_state::{InstallOptions, SkillError, State, StateError};
use palyra_testkit::{Home, Release, agree, install, keys, permitting, signing_key, try_install, update};

fn status(state: &State) -> RuntimeStatus {
    state.view().index().get("acme.notes").unwrap().runtime_status()
}

fn kinds(state: &State) -> Vec<EventKind> {
    let query = Query { limit: 1_000, ..Query::default() };
    state.journal().query(&query).unwrap().events.iter().map(|event| event.event.kind).collect()
}

#[test]
fn an_installation_survives_the_process() {
    let home = Home::new();
    let built = Release::number(1).build();
    let state = home.open();
    let mut steps = 0;
    let outcome = state
        .skills()
        .install(built.bytes.clone(), &permitting(&built), "owner", &mut |_| steps += 1)
        .unwrap();
    assert_eq!((outcome.status, outcome.trust), (RuntimeStatus::Active, TrustState::Tofu));
    assert!(steps > 10);
    drop(state);
    let state = home.open();
    assert_eq!(status(&state), RuntimeStatus::Active);
    assert_eq!(
        state.skills().verify_installed("acme.notes", "owner").unwrap().skill.payload(),
        built.payload
    );
    assert!(state.view().trust().publisher("acme").is_some());
    assert!(kinds(&state).contains(&EventKind::TrustPinned));
}

#[test]
fn plan_of_an_earlier_generation_is_not_applied() {
    let home = Home::new();
    let state = home.open();
    let built = Release::number(1).build();
    let plan = state.skills().plan(&permitting(&built).request(built.bytes.clone()), &mut |_| {});
    assert!(plan.installation().is_some());
    state.trust().allow_publisher("other", keys(2), "owner").unwrap();
    let (before, events) = (state.view().generation(), kinds(&state).len());
    let refused = state.skills().apply(plan, "owner", &mut |_| {}).unwrap_err();
    assert!(matches!(refused, SkillError::State(StateError::Moved { .. })), "{refused}");
    assert_eq!((state.view().generation(), kinds(&state).len()), (before, events));
    assert!(state.view().index().get("acme.notes").is_none());
    assert_eq!(fs::read_dir(home.root.objects()).unwrap().count(), 0);
}

#[test]
fn a_refusal_leaves_an_event_and_nothing_else() {
    let home = Home::new();
    let state = home.open();
    let before = state.view();
    let mut bytes = Release::number(1).build().bytes.to_vec();
    bytes[40] ^= 1;
    let refused =
        state.skills().install(bytes, &InstallOptions::default(), "owner", &mut |_| {}).unwrap_err();
    assert!(matches!(refused, SkillError::Refused(_)) && refused.hint().is_some(), "{refused}");
    assert_eq!(state.view().generation(), before.generation());
    assert_eq!(kinds(&state).last(), Some(&EventKind::SkillRefused));
    assert_eq!(fs::read_dir(home.root.objects()).unwrap().count(), 0);
}

#[test]
fn t04_first_contact_without_permission_is_kept_and_not_pinned() {
    let home = Home::new();
    let state = home.open();
    let built = Release::number(1).build();
    let outcome = try_install(&state, &built, &InstallOptions::default()).unwrap();
    assert_eq!((outcome.status, outcome.trust), (RuntimeStatus::Quarantined, TrustState::Quarantine));
    assert!(state.view().trust().publisher("acme").is_none());
    // An operator allows the publisher, enables the skill, and consents to it.
    state.trust().allow_publisher("acme", keys(1), "owner").unwrap();
    state.skills().enable("acme.notes", BTreeSet::new(), "owner", &mut |_| {}).unwrap();
    let digest = palyra_skills::capability_digest(&built.manifest);
    let outcome = state.skills().consent("acme.notes", agree(digest), "owner", &mut |_| {}).unwrap();
    assert_eq!((outcome.status, outcome.trust), (RuntimeStatus::Active, TrustState::Trusted));
}

#[test]
fn t06_another_key_is_refused_and_the_running_version_untouched() {
    let home = Home::new();
    let state = home.open();
    install(&state, &Release::number(1).build());
    let stolen = Release { signer: 9, ..Release::number(2) }.build();
    let refused = try_install(&state, &stolen, &permitting(&stolen)).unwrap_err();
    assert!(matches!(refused, SkillError::Refused(_)), "{refused}");
    assert_eq!(status(&state), RuntimeStatus::Active);
    assert_eq!(kinds(&state).last(), Some(&EventKind::SkillRefused));
}

#[test]
fn t10_a_revoked_key_stops_what_it_signed_in_the_same_commit() {
    let home = Home::new();
    let state = home.open();
    install(&state, &Release::number(1).build());
    let generation = state.view().generation();
    assert!(
        state
            .trust()
            .revoke(RevocationTarget::Key(signing_key(1).public().key_id()), "stolen", "owner")
            .unwrap()
    );
    assert_eq!((status(&state), state.view().generation()), (RuntimeStatus::Quarantined, generation + 1));
    assert_eq!(state.view().index().get("acme.notes").unwrap().current.trust, TrustState::Revoked);
    drop(state);
    let state = home.open();
    state.skills().enable("acme.notes", BTreeSet::new(), "owner", &mut |_| {}).unwrap();
    assert_eq!(status(&state), RuntimeStatus::Quarantined);
}

#[test]
fn a_blocked_publisher_stops_what_is_installed_of_it() {
    let home = Home::new();
    let state = home.open();
    install(&state, &Release::number(1).build());
    state.trust().block_publisher("acme", "spam", "owner").unwrap();
    assert_eq!(status(&state), RuntimeStatus::Quarantined);
    state.trust().unblock_publisher("acme", "owner").unwrap();
    assert_eq!(status(&state), RuntimeStatus::Quarantined);
    state.skills().enable("acme.notes", BTreeSet::new(), "owner", &mut |_| {}).unwrap();
    assert_eq!(status(&state), RuntimeStatus::Active);
}

#[test]
fn u01_an_older_version_stays_out_even_after_removal() {
    let home = Home::new();
    let state = home.open();
    let (one, two) = (Release::number(1).build(), Release::number(2).build());
    install(&state, &one);
    assert_eq!(try_install(&state, &two, &InstallOptions::default()).unwrap().status, RuntimeStatus::Active);
    assert!(matches!(try_install(&state, &one, &permitting(&one)), Err(SkillError::Refused(_))));
    state.skills().remove("acme.notes", "owner").unwrap();
    drop(state);
    let state = home.open();
    assert!(state.view().index().get("acme.notes").is_none());
    assert!(matches!(try_install(&state, &one, &permitting(&one)), Err(SkillError::Refused(_))));
    install(&state, &two);
}

#[test]
fn u03_growth_waits_for_consent_and_the_old_version_runs_on() {
    let home = Home::new();
    let state = home.open();
    install(&state, &Release::number(1).build());
    let grown = Release { tables: "[capabilities]\nchannels = [\"alerts\"]", ..Release::number(2) }.build();
    let outcome = try_install(&state, &grown, &InstallOptions::default()).unwrap();
    assert_eq!(outcome.status, RuntimeStatus::AwaitingConsent);
    let record = state.view().index().get("acme.notes").unwrap().clone();
    assert_eq!((record.current.manifest.version.minor, record.runtime_status()), (1, RuntimeStatus::Active));
    let wrong = state.skills().consent(
        "acme.notes",
        agree(palyra_skills::Sha256Digest::of(b"other")),
        "owner",
        &mut |_| {},
    );
    assert!(matches!(wrong, Err(SkillError::Refused(_))));
    let digest = outcome.consent_request.unwrap().digest();
    let outcome = state.skills().consent("acme.notes", agree(digest), "owner", &mut |_| {}).unwrap();
    assert_eq!(outcome.record.current.manifest.version.minor, 2);
    // Rolls back again, and keeps the high-water mark.
    let request = state.skills().rollback_request("acme.notes", None).unwrap();
    let outcome = state.skills().install_skill_artifact(&request, "owner", &mut |_| {}).unwrap();
    assert_eq!((outcome.record.current.manifest.version.minor, outcome.status), (1, RuntimeStatus::Active));
    assert_eq!(kinds(&state).last(), Some(&EventKind::SkillRolledBack));
    assert!(matches!(
        state.skills().rollback_request("acme.notes", Some("9.9.9")),
        Err(SkillError::NoEarlierRelease { .. })
    ));
}

#[test]
fn an_operator_switches_off_and_on_and_quarantines() {
    let home = Home::new();
    let state = home.open();
    install(&state, &Release::number(1).build());
    state.skills().disable("acme.notes", "not now", "owner").unwrap();
    assert_eq!(status(&state), RuntimeStatus::Disabled);
    state.skills().quarantine("acme.notes", "odd", "owner").unwrap();
    assert_eq!(status(&state), RuntimeStatus::Quarantined);
    assert!(state.skills().re_audit(None, "owner").unwrap().iter().all(|looked| looked.result.is_ok()));
    assert_eq!(status(&state), RuntimeStatus::Quarantined);
    state.skills().enable("acme.notes", BTreeSet::new(), "owner", &mut |_| {}).unwrap();
    assert_eq!(status(&state), RuntimeStatus::Active);
    for result in [
        state.skills().disable("acme.none", "", "owner"),
        state.skills().quarantine("acme.none", "", "owner"),
        state.skills().remove("acme.none", "owner"),
    ] {
        assert!(matches!(result, Err(SkillError::NotInstalled { .. })));
    }
}

#[test]
fn i01_a_swapped_object_is_found_and_quarantines() {
    for look in [verify as fn(&State) -> bool, re_audit] {
        let home = Home::new();
        let state = home.open();
        let built = Release::number(1).build();
        install(&state, &built);
        let path = state.objects().path_of(&built.archive_digest);
        fs::remove_file(&path).unwrap();
        fs::write(&path, Release::number(2).build().bytes).unwrap();
        assert!(look(&state));
        let record = state.view().index().get("acme.notes").unwrap().clone();
        assert_eq!(record.current.quarantine.unwrap().cause, QuarantineCause::Damage);
        assert_eq!(kinds(&state).last(), Some(&EventKind::SkillQuarantined));
        // Installing the same file restores the bytes; the operator enables it.
        install(&state, &built);
        state.skills().enable("acme.notes", BTreeSet::new(), "owner", &mut |_| {}).unwrap();
        assert_eq!(status(&state), RuntimeStatus::Active);
    }
}

fn verify(state: &State) -> bool {
    matches!(state.skills().verify_installed("acme.notes", "owner"), Err(SkillError::Damaged { .. }))
}

fn re_audit(state: &State) -> bool {
    matches!(state.skills().re_audit(None, "owner").unwrap()[0].result, Err(SkillError::Damaged { .. }))
}

#[test]
fn re_audit_records_changes_only_and_reports_damage_until_it_is_repaired() {
    let home = Home::new();
    let state = home.open();
    let (first, second) = (Release::number(1).build(), Release::number(2).build());
    install(&state, &first);
    update(&state, &second);
    let before = kinds(&state).len();
    for _ in 0..2 {
        let looked = state.skills().re_audit(None, "owner").unwrap();
        assert_eq!(looked.len(), 2, "the release that runs and the one kept for rollback");
        assert!(looked.iter().all(|looked| looked.result.is_ok()));
    }
    assert_eq!(kinds(&state).len(), before, "nothing changed, nothing is recorded");
    state.skills().quarantine("acme.notes", "odd", "owner").unwrap();
    let before = kinds(&state).len();
    assert!(state.skills().re_audit(None, "owner").unwrap().iter().all(|looked| looked.result.is_ok()));
    assert_eq!(kinds(&state).len(), before, "a quarantine that stays is no news");
    // Exchanges the bytes of each release in turn.
    for (damaged, other, index) in [(&first, &second, 1), (&second, &first, 0)] {
        let path = state.objects().path_of(&damaged.archive_digest);
        fs::remove_file(&path).unwrap();
        fs::write(&path, &other.bytes).unwrap();
        let before = kinds(&state).len();
        for _ in 0..2 {
            let looked = state.skills().re_audit(Some("acme.notes"), "owner").unwrap();
            assert!(matches!(looked[index].result, Err(SkillError::Damaged { .. })), "{index}");
        }
        assert_eq!(kinds(&state)[before..], [EventKind::SkillQuarantined], "once");
    }
    let record = state.view().index().get("acme.notes").unwrap().clone();
    assert!(record.previous[0].damage.is_some());
    let path = state.objects().path_of(&first.archive_digest);
    fs::remove_file(&path).unwrap();
    fs::write(&path, &first.bytes).unwrap();
    assert!(state.skills().re_audit(None, "owner").unwrap()[1].result.is_ok());
    assert!(state.view().index().get("acme.notes").unwrap().previous[0].damage.is_none());
    assert_eq!(kinds(&state).last(), Some(&EventKind::SkillAudited));
}

#[test]
fn i03_an_edited_index_row_fails_closed() {
    for edit in [
        "UPDATE index_rows SET bytes = CAST(replace(CAST(bytes AS TEXT), '\"tofu\"', '\"trusted\"') AS BLOB)",
        "UPDATE index_rows SET bytes = CAST(replace(CAST(bytes AS TEXT), '\"archive\":\"', '\"archive\":\"0') AS BLOB)",
        "UPDATE index_rows SET mac = zeroblob(32)",
        "DELETE FROM consent_rows",
    ] {
        let home = Home::new();
        let state = home.open();
        install(&state, &Release::number(1).build());
        state.close().unwrap();
        home.sql(edit);
        home.damage();
        let plan = home.root.repair_plan(&home.options).unwrap();
        let state = home.root.repair(&home.options, &plan.accept).unwrap();
        let record = state.view().index().get("acme.notes").cloned();
        assert!(record.is_none_or(|record| record.runtime_status() == RuntimeStatus::Quarantined), "{edit}");
    }
}

#[test]
fn i04_a_row_without_its_leaf_fails_closed() {
    let home = Home::new();
    let state = home.open();
    state.close().unwrap();
    let empty = home.backup();
    let state = home.open();
    install(&state, &Release::number(1).build());
    state.close().unwrap();
    // The rows of an installation with a journal that does not record it.
    let full = home.folder.path().join("full.db");
    fs::copy(home.root.database(), &full).unwrap();
    home.restore(&empty);
    home.sql(&format!(
        "ATTACH '{}' AS full;
         INSERT INTO index_rows SELECT * FROM full.index_rows;
         INSERT INTO consent_rows SELECT * FROM full.consent_rows;
         INSERT INTO trust_rows SELECT * FROM full.trust_rows;
         UPDATE meta SET value = (SELECT value FROM full.meta WHERE name = 'generation') WHERE name = 'generation';",
        full.display()
    ));
    let damage = home.damage();
    assert!(damage.to_string().contains("journal"), "{damage}");
}

#[test]
fn i05_two_installers_race_and_one_pin_is_kept() {
    let home = Home::new();
    let state = home.open();
    let releases: Vec<_> = (1..=4).map(|number| Release::number(number).build()).collect();
    std::thread::scope(|scope| {
        for built in &releases {
            let state = &state;
            scope.spawn(move || {
                let _ = try_install(state, built, &permitting(built));
            });
        }
    });
    let view = state.view();
    let record = view.index().get("acme.notes").unwrap();
    assert!(view.trust().publisher("acme").is_some());
    assert_eq!(record.runtime_status(), RuntimeStatus::Active);
    assert!(view.consents().get(record.current.payload).is_some());
    drop(state);
    assert_eq!(home.open().view().index(), view.index());
}

#[test]
fn i05_an_installer_and_a_re_audit_do_not_undo_each_other() {
    let home = Home::new();
    let state = home.open();
    install(&state, &Release::number(1).build());
    let two = Release::number(2).build();
    std::thread::scope(|scope| {
        let auditor = scope
            .spawn(|| (0..5).map(|_| state.skills().re_audit(None, "owner").unwrap().len()).sum::<usize>());
        // An installer that exceeds its attempts gets an error and has to try again.
        scope.spawn(|| {
            while let Err(error) = try_install(&state, &two, &InstallOptions::default()) {
                assert!(matches!(error, SkillError::State(StateError::Moved { .. })), "{error}");
            }
        });
        assert!(auditor.join().unwrap() >= 5);
    });
    assert_eq!(state.view().index().get("acme.notes").unwrap().current.payload, two.payload);
    assert_eq!(status(&state), RuntimeStatus::Active);
}

#[test]
fn a_name_of_a_tool_is_given_and_taken() {
    let home = Home::new();
    let state = home.open();
    install(&state, &Release::number(1).build());
    state.skills().set_alias("note", Some("acme.notes.add"), "owner").unwrap();
    for (alias, tool) in
        [("note2", "acme.none"), ("No te", "acme.notes.add"), ("acme.notes.add", "acme.notes.add")]
    {
        assert!(
            matches!(state.skills().set_alias(alias, Some(tool), "owner"), Err(SkillError::Alias { .. })),
            "{alias}"
        );
    }
    assert_eq!(state.view().aliases().len(), 1);
    state.skills().remove("acme.notes", "owner").unwrap();
    assert!(state.view().aliases().is_empty());
}

/// Returns a module with a dependency list as `cargo auditable` embeds it, except that the list is not compressed.
fn built_with(package: &str, version: &str) -> String {
    let list = format!(
        r#"{{"packages":[{{"name":"{package}","version":"{version}","source":"crates.io"}},{{"name":"notes","version":"0.1.0","source":"local","root":true}}]}}"#
    );
    let length = u16::try_from(list.len()).unwrap();
    let (mut a, mut b) = (1_u32, 0_u32);
    for byte in list.bytes() {
        a = (a + u32::from(byte)) % 65_521;
        b = (b + a) % 65_521;
    }
    let head = [&[0x78, 0x01, 0x01][..], &length.to_le_bytes(), &(!length).to_le_bytes()].concat();
    let packed = [&head[..], list.as_bytes(), &((b << 16) | a).to_be_bytes()].concat();
    let escaped: String = packed.iter().map(|byte| format!("\\{byte:02x}")).collect();
    palyra_testkit::HONEST.replacen("(module", &format!("(module (@custom \".dep-v0\" \"{escaped}\")"), 1)
}

#[test]
fn a_kept_list_of_advisories_holds_for_what_is_installed_and_for_what_comes() {
    let home = Home::new();
    let state = home.open();
    let weak = Release { wat: built_with("leaky", "1.2.0"), ..Release::default() };
    assert_eq!(install(&state, &weak.build()).status, RuntimeStatus::Active);
    let list = r#"{"date":"2026-01-31","advisories":[{"id":"TEST-2026-0001","ecosystem":"cargo","package":"leaky",
        "affected":[">=1.0.0, <1.3.0"],"severity":"high","title":"tells everything"}]}"#;
    let again = state.skills().keep_advisories(&AdvisoryList::from_json(list).unwrap(), "owner").unwrap();
    assert_eq!(again.len(), 1);
    assert_eq!(status(&state), RuntimeStatus::Quarantined);
    state.close().unwrap();

    let state = home.open();
    let view = state.view();
    assert_eq!(view.audit_policy().advisories().map(|list| list.date.as_str()), Some("2026-01-31"));
    let query = Query { kinds: vec![EventKind::PolicyChanged], ..Query::default() };
    let told = &state.journal().query(&query).unwrap().events[0].event;
    assert_eq!((told.subject.as_deref(), &told.details["date"]), (Some("advisories"), &"2026-01-31".into()));
    for (skill, tool, version, status) in [
        ("weak", "acme.weak.add", "1.2.9", RuntimeStatus::Quarantined),
        ("mended", "acme.mended.add", "1.3.0", RuntimeStatus::Active),
    ] {
        let release = Release { skill, tool, wat: built_with("leaky", version), ..Release::default() };
        assert_eq!(install(&state, &release.build()).status, status, "{version}");
    }
}

#[test]
fn what_a_skill_stored_is_forgotten_on_request() {
    let home = Home::new();
    let state = home.open();
    assert_eq!(state.skills().forget_storage("acme.notes").unwrap(), 0);
    assert!(!home.root.storage().exists(), "nothing was stored, so the file does not exist");
    let storage = palyra_state::storage::StorageDatabase::open(&home.root.storage()).unwrap();
    let allowance = palyra_state::storage::Allowance { prefix: "a/", max_bytes: 100, max_keys: 10 };
    for owner in ["acme.notes", "acme.other"] {
        storage.put(owner, "a/1", b"x", &allowance).unwrap();
    }
    assert_eq!(state.skills().forget_storage("acme.notes").unwrap(), 1);
    assert_eq!(storage.get("acme.notes", "a/1").unwrap(), None);
    assert!(storage.get("acme.other", "a/1").unwrap().is_some());
}
