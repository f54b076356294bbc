//! I06: a process that dies at any file or database operation leaves the old state or the new one.
//!
//! The test binary starts itself as a child that ends, as `kill -9` would end it, before its Nth operation; the parent
//! then opens the remaining state and continues with it.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use palyra_common::fs::fault::PALYRA_FAULT_AT;
use palyra_journal::{EventKind, Query};
use palyra_skills::RuntimeStatus;
use palyra_state::runs::RunQuery;
use palyra_state::{
    ApprovalDecision, ApprovalFilter, ApprovalScope, ApprovalStatus, ApprovalVerdict, InstallOptions,
    Presence, RestoreAcceptance, State, StateOptions, StateRoot, check_backup, decide_approval,
    verify_receipt,
};
use palyra_testkit::{Home, Release, install, keys, options, permitting, try_install};

use crate::calls::{caller, invocation};

const ACTION: &str = "PALYRA_STATE_TEST_ACTION";
const ROOT: &str = "PALYRA_STATE_TEST_ROOT";

/// Body of the child process; it does nothing when the suite runs it without an action.
#[test]
fn i06_child() {
    let (Ok(action), Ok(root)) = (std::env::var(ACTION), std::env::var(ROOT)) else { return };
    let (root, options) = (StateRoot::new(root), options());
    match action.as_str() {
        "init" => drop(root.init(&options).unwrap()),
        "backup" => back_up(&State::open(&root, &options).unwrap()),
        "restore" => restore(&root, &options),
        "call" => call_twice(State::open(&root, &options).unwrap()),
        "approve" => approve(&Arc::new(State::open(&root, &options).unwrap())),
        action => act(action, &State::open(&root, &options).unwrap()),
    }
}

fn act(action: &str, state: &State) {
    let (one, two) = (Release::number(1).build(), Release::number(2).build());
    match action {
        "install" => drop(install(state, &one)),
        "update" => drop(try_install(state, &two, &InstallOptions::default()).unwrap()),
        "remove" => state.skills().remove("acme.notes", "owner").unwrap(),
        "trust" => drop(state.trust().allow_publisher("globex", keys(2), "owner").unwrap()),
        other => panic!("{other}"),
    }
}

fn call_twice(state: State) {
    let state = Arc::new(state);
    let caller = caller(&state);
    let threads = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    for _ in 0..2 {
        threads.block_on(caller.call(invocation("acme.notes.add", "{}"))).unwrap();
    }
}

/// Returns the path of the backup file: beside the state root.
fn backup_file(root: &StateRoot) -> std::path::PathBuf {
    root.path().with_file_name("copy.tar")
}

fn back_up(state: &State) {
    let mut file = std::fs::File::create(backup_file(state.root())).unwrap();
    state.backup(&mut file, "owner").unwrap();
}

fn restore(root: &StateRoot, options: &StateOptions) {
    let staged = root.stage_restore(options, &backup_file(root)).unwrap();
    staged.finish(&RestoreAcceptance::default()).unwrap();
}

/// Decides the first pending request.
fn approve(state: &Arc<State>) {
    let waiting = ApprovalFilter { status: Some(ApprovalStatus::Pending), ..ApprovalFilter::default() };
    let id = state.approvals().list(&waiting).unwrap().approvals[0].approval_id.clone();
    let decision = ApprovalDecision {
        verdict: ApprovalVerdict::Approve(ApprovalScope::Once),
        decider: crate::calls::holder("somebody"),
        presence: Presence::Unknown,
        reason: None,
        arguments_sha256: None,
    };
    let threads = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    threads.block_on(decide_approval(state, &id, decision)).unwrap();
}

/// Runs the child until it completes; `check` inspects the state after each kill, and each attempt starts from a copy
/// of the prepared root.
fn at_every_operation(action: &str, prepare: impl Fn(&Home), check: impl Fn(&Home) -> bool) {
    let template = Home::empty();
    prepare(&template);
    let (mut saw_old, mut saw_new) = (false, false);
    for n in 1.. {
        let home = copy_of(&template);
        let finished = run_child(action, home.root.path(), n);
        if check(&home) {
            saw_new = true
        } else {
            saw_old = true
        }
        if finished {
            assert!(n > 5, "only {n} operations were seen");
            break;
        }
    }
    assert!(saw_old && saw_new, "{action}: old {saw_old}, new {saw_new}");
}

fn run_child(action: &str, root: &Path, n: u64) -> bool {
    let status = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "kill::i06_child", "--test-threads=1"])
        .env(ACTION, action)
        .env(ROOT, root)
        .env(PALYRA_FAULT_AT, n.to_string())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .unwrap();
    status.success()
}

fn copy_of(template: &Home) -> Home {
    let home = Home::empty();
    if template.root.path().exists() {
        copy_folder(template.root.path(), home.root.path());
    }
    if backup_file(&template.root).exists() {
        std::fs::copy(backup_file(&template.root), backup_file(&home.root)).unwrap();
    }
    home
}

fn copy_folder(from: &Path, to: &Path) {
    std::fs::create_dir(to).unwrap();
    std::fs::set_permissions(to, std::fs::metadata(from).unwrap().permissions()).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_dir() {
            copy_folder(&entry.path(), &to.join(entry.file_name()));
        } else {
            std::fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
        }
    }
}

fn made(home: &Home) {
    home.root.init(&home.options).unwrap().close().unwrap();
}

fn with_one(home: &Home) {
    made(home);
    let state = home.open();
    install(&state, &Release::number(1).build());
    state.close().unwrap();
}

/// Returns the installed minor version, after checking that the state is consistent and the next command works.
fn version(home: &Home) -> Option<u64> {
    let state = home.open();
    let version = state.view().index().get("acme.notes").map(|record| {
        assert_eq!(record.runtime_status(), RuntimeStatus::Active);
        assert!(state.view().consents().get(record.current.payload).is_some());
        state.skills().verify_installed("acme.notes", "owner").unwrap();
        record.current.manifest.version.minor
    });
    let mark = state.view().trust().skill("acme.notes").and_then(|known| known.high_water());
    if version.is_some() {
        assert_eq!(mark.map(|mark| mark.version.minor), version);
    }
    state.close().unwrap();
    version
}

#[test]
fn i06_an_installation_is_whole_or_not_there() {
    at_every_operation("install", made, |home| {
        let version = version(home);
        let state = home.open();
        // The next command works: an update, or the first installation.
        let built = Release::number(1).build();
        assert_eq!(try_install(&state, &built, &permitting(&built)).unwrap().status, RuntimeStatus::Active);
        version.is_some()
    });
}

#[test]
fn i06_an_update_is_whole_or_not_there() {
    at_every_operation("update", with_one, |home| {
        let version = version(home).unwrap();
        act("update", &home.open());
        version == 2
    });
}

#[test]
fn i06_a_removal_is_whole_or_not_there() {
    at_every_operation("remove", with_one, |home| {
        let removed = version(home).is_none();
        let state = home.open();
        install(&state, &Release::number(1).build());
        removed
    });
}

#[test]
fn i06_a_change_of_trust_is_whole_or_not_there() {
    at_every_operation("trust", made, |home| {
        let state = home.open();
        let known = state.view().trust().publisher("globex").is_some();
        act("trust", &state);
        known
    });
}

/// Asserts that no run is left running and each has exactly one leaf, the one its row names.
fn check_runs(state: &State) -> usize {
    let runs = state.runs().list(&RunQuery::default()).unwrap().runs;
    let kinds = vec![EventKind::RunCompleted, EventKind::RunFailed];
    let leaves = state.journal().query(&Query { kinds, ..Query::default() }).unwrap().events;
    assert_eq!(leaves.len(), runs.len());
    for run in &runs {
        assert_ne!(run.status, "started");
        let of_run = leaves.iter().filter(|leaf| leaf.event.run.as_deref() == Some(run.run_id.as_str()));
        let sequences: Vec<u64> = of_run.map(|leaf| leaf.leaf.sequence).collect();
        assert_eq!(sequences, [run.receipt_leaf.unwrap()]);
        if run.status == "completed" {
            state.runs().tape(&run.run_id).unwrap();
        }
        let receipt = serde_json::to_vec(&state.runs().receipt(&run.run_id).unwrap()).unwrap();
        assert_eq!(verify_receipt(&receipt, None).unwrap().completed, run.status == "completed");
    }
    let verified = state.journal().verify(palyra_journal::VerifyScope::Everything, None).unwrap();
    assert!(verified.damage.is_none(), "{verified:?}");
    runs.iter().filter(|run| run.status == "completed").count()
}

#[test]
fn a_killed_call_has_one_leaf_and_is_not_left_running() {
    at_every_operation("call", with_one, |home| {
        let completed = check_runs(&home.open());
        // The next command works, and open runs are closed only once.
        let state = home.open();
        assert_eq!(check_runs(&state), completed);
        call_twice(state);
        assert_eq!(check_runs(&home.open()), completed + 2);
        completed > 0
    });
}

#[test]
fn a_killed_decision_is_whole_or_not_there() {
    let asking = |home: &Home| {
        made(home);
        let state = Arc::new(home.open());
        install(
            &state,
            &Release { risk: "risk = { requires_approval = true }", ..Release::default() }.build(),
        );
        let threads = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        threads.block_on(caller(&state).call(invocation("acme.notes.add", "{}"))).unwrap_err();
    };
    at_every_operation("approve", asking, |home| {
        let state = home.open();
        let decided = state.approvals().list(&ApprovalFilter::default()).unwrap().approvals[0].status;
        let leaves = Query { kinds: vec![EventKind::ApprovalDecided], ..Query::default() };
        let leaves = state.journal().query(&leaves).unwrap().events.len();
        assert_eq!(leaves, usize::from(decided == ApprovalStatus::Approved));
        if decided == ApprovalStatus::Pending {
            approve(&Arc::new(state));
        }
        decided == ApprovalStatus::Approved
    });
}

#[test]
fn killed_backup_leaves_the_state_whole_and_the_next_one_works() {
    at_every_operation("backup", with_one, |home| {
        let complete = check_backup(&backup_file(&home.root)).is_ok();
        assert_eq!(version(home), Some(1));
        let state = home.open();
        back_up(&state);
        state.close().unwrap();
        check_backup(&backup_file(&home.root)).unwrap();
        assert!(!home.root.path().join("cache/backup").exists());
        complete
    });
}

#[test]
fn killed_restore_leaves_the_old_state_or_the_new_one() {
    let changed_since = |home: &Home| {
        with_one(home);
        let state = home.open();
        back_up(&state);
        state.trust().allow_publisher("globex", keys(2), "owner").unwrap();
        state.close().unwrap();
    };
    let is_old = |home: &Home| {
        let state = home.open();
        let verified = state.journal().verify(palyra_journal::VerifyScope::Everything, None).unwrap();
        assert!(verified.damage.is_none(), "{verified:?}");
        state.view().trust().publisher("globex").is_some()
    };
    at_every_operation("restore", changed_since, |home| {
        let restored = !is_old(home);
        assert_eq!(version(home), Some(1));
        // The next restore succeeds in spite of leftovers beside the state root.
        restore(&home.root, &home.options);
        assert!(!is_old(home));
        restored
    });
}

#[test]
fn i06_a_root_is_made_whole_or_can_be_made_again() {
    at_every_operation(
        "init",
        |_| {},
        |home| {
            let options: &StateOptions = &home.options;
            match State::open(&home.root, options) {
                Ok(_) => true,
                Err(_) => {
                    match home.root.init(options) {
                        Ok(state) => drop(state),
                        Err(error) => assert_eq!(error.code().as_str(), "already_initialised"),
                    }
                    home.open();
                    false
                }
            }
        },
    );
}
