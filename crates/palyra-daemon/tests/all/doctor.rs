//! Damaged states: each damage is found by the check of its name, and each offered fix works.

use crate::process::{options, start};
use palyra_common::SecretValue;
use palyra_common::deployment_profiles::DeploymentProfile;
use palyra_control_plane::{RE_AUDIT, StateStore};
use palyra_daemon::Endpoint;
use palyra_daemon::access::OwnerToken;
use palyra_daemon::doctor::{Report, Severity, Subject, examine, examine_with, fix};
use palyra_daemon::server::socket_path;
use palyra_journal::{Durability, EventKind, JournalError, JournalTransaction, NewEvent};
use palyra_state::{FireCause, FireEnd, FireKey, FireStatus, NewFire, State, StateOptions, StateRoot};
use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// A state root that the test damages.
struct Patient {
    home: tempfile::TempDir,
    subject: Subject,
    /// Resources that must live during the examination.
    held: Vec<Box<dyn std::any::Any>>,
}

impl Patient {
    /// Creates an intact state with a skill installed.
    fn whole() -> Self {
        let home = tempfile::tempdir().unwrap();
        let root = StateRoot::new(home.path().join("root"));
        let state = root.init(&options(Duration::ZERO)).unwrap();
        crate::guests::install(&state, "bench", "");
        state.close().unwrap();
        let mut subject =
            Subject::new(root, options(Duration::ZERO), DeploymentProfile::find("local").unwrap());
        subject.listen = free_port();
        subject.least_free_bytes = 1;
        subject.proc = home.path().join("proc");
        let patient = Self { home, subject, held: Vec::new() };
        patient.maps(262_144);
        patient
    }

    fn root(&self) -> &Path {
        self.subject.root.path()
    }

    fn maps(&self, most: u64) {
        fs::create_dir_all(self.subject.proc.join("sys/vm")).unwrap();
        fs::write(self.subject.proc.join("sys/vm/max_map_count"), format!("{most}\n")).unwrap();
    }

    fn mode(&self, path: &str, mode: u32) {
        fs::set_permissions(self.root().join(path), fs::Permissions::from_mode(mode)).unwrap();
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.root().join(path);
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    }

    fn open(&self) -> State {
        State::open(&self.subject.root, &self.subject.options).unwrap_or_else(|error| panic!("{error}"))
    }

    /// Edits the database like a program with access to the file.
    fn sql(&self, statement: &'static str) {
        let state = self.open();
        let edit = move |transaction: &mut JournalTransaction<'_>| {
            transaction.sql().execute_batch(statement).map_err(JournalError::sqlite("edit"))
        };
        state.journal().transaction(Durability::Full, edit).wait().unwrap();
        state.close().unwrap();
    }

    /// Flips a bit at the end of an entry, in its sealed value.
    fn damage_entry(&self, drawer: &str) {
        let state = self.open();
        let secret = "global/pin".parse().unwrap();
        state.vault_store().put_secret(&secret, &SecretValue::new(b"a secret".to_vec()), "owner").unwrap();
        state.vault_store().create_key("release", "owner").unwrap();
        state.close().unwrap();
        let entry = fs::read_dir(self.root().join("vault").join(drawer)).unwrap().next().unwrap().unwrap();
        let mut bytes = fs::read(entry.path()).unwrap();
        *bytes.last_mut().unwrap() ^= 1;
        fs::write(entry.path(), bytes).unwrap();
    }

    fn object(&self) -> PathBuf {
        let mut folders = vec![self.subject.root.objects()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
                if entry.path().is_dir() { folders.push(entry.path()) } else { return entry.path() }
            }
        }
        panic!("no object")
    }

    fn endpoint(&self, url: &str, version: &str) {
        let run = self.root().join("run");
        fs::create_dir_all(&run).unwrap();
        fs::set_permissions(&run, fs::Permissions::from_mode(0o700)).unwrap();
        let endpoint = Endpoint {
            pid: 1,
            version: version.into(),
            socket: socket_path(&self.subject.root),
            url: url.into(),
            grpc_url: None,
        };
        self.write("run/endpoint.json", &serde_json::to_string(&endpoint).unwrap());
    }
}

fn free_port() -> std::net::SocketAddr {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap()
}

/// A fault, the check that detects it, and whether its fix is automatic.
type Case = (&'static str, fn(&mut Patient), &'static str, bool);

const CASES: &[Case] = &[
    ("no state root", |p| fs::remove_dir_all(p.root()).unwrap(), "root.exists", false),
    ("an interrupted making", |p| p.write("initialising", ""), "root.unfinished", false),
    ("an open folder", |p| p.mode("", 0o755), "root.permissions", true),
    ("no database", |p| fs::remove_file(p.root().join("state.db")).unwrap(), "root.files", false),
    ("no objects", |p| fs::remove_dir_all(p.root().join("objects")).unwrap(), "root.files", false),
    ("no vault", |p| fs::remove_dir_all(p.root().join("vault")).unwrap(), "root.files", false),
    ("a world-readable device key", |p| p.mode("vault/device.key", 0o644), "vault.permissions", true),
    ("an open vault", |p| p.mode("vault", 0o750), "vault.permissions", true),
    (
        "no device key",
        |p| fs::remove_file(p.root().join("vault/device.key")).unwrap(),
        "vault.device_key",
        false,
    ),
    (
        "another device key",
        |p| {
            let other = Patient::whole();
            fs::copy(other.root().join("vault/device.key"), p.root().join("vault/device.key")).unwrap();
        },
        "state.open",
        false,
    ),
    (
        "a world-readable token",
        |p| {
            OwnerToken::read_or_make(&p.subject.root).unwrap();
            p.mode("owner.token", 0o644);
        },
        "token.permissions",
        true,
    ),
    ("a token that is none", |p| p.write("owner.token", "hello"), "token.form", true),
    (
        "open compiled code",
        |p| {
            fs::create_dir_all(p.root().join("cache/code")).unwrap();
            p.mode("cache/code", 0o777);
            p.mode("cache", 0o700);
        },
        "cache.permissions",
        true,
    ),
    (
        "traces of a dead daemon",
        |p| p.endpoint("http://127.0.0.1:1", env!("CARGO_PKG_VERSION")),
        "daemon.endpoint",
        true,
    ),
    (
        "a daemon of another version",
        |p| {
            p.endpoint("http://127.0.0.1:1", "0.0.1");
            let socket = std::os::unix::net::UnixListener::bind(socket_path(&p.subject.root)).unwrap();
            p.held.push(Box::new(socket));
        },
        "daemon.version",
        false,
    ),
    (
        "a locked state",
        |p| {
            let held = p.open();
            p.held.push(Box::new(held));
        },
        "state.lock",
        false,
    ),
    (
        "an edited index",
        |p| p.sql("UPDATE index_rows SET bytes = CAST(replace(bytes, 'tofu', 'trusted') AS BLOB)"),
        "state.open",
        false,
    ),
    ("a removed index row", |p| p.sql("DELETE FROM index_rows"), "state.open", false),
    ("no anchor", |p| fs::remove_file(p.root().join("vault/anchor")).unwrap(), "state.open", false),
    (
        "a cut off journal",
        |p| {
            p.sql("DROP TRIGGER journal_event_stays; DELETE FROM journal_event WHERE seq = (SELECT max(seq) FROM journal_event)")
        },
        "state.open",
        false,
    ),
    ("a database that is none", |p| p.write("state.db", "this is not a database"), "state.open", false),
    (
        "an old event that was edited",
        |p| {
            let state = p.open();
            // Opening verifies only the newest events, those without a full row of hashes.
            for _ in 0..300 {
                let event = NewEvent::new(EventKind::VaultPut, state.now_ms()).subject("global/a");
                drop(state.journal().append(event));
            }
            state.close().unwrap();
            p.sql("DROP TRIGGER journal_event_is_final; UPDATE journal_event SET subject = 'global/b' WHERE seq = (SELECT min(seq) FROM journal_event WHERE kind = 'vault:put')");
        },
        "journal.verify",
        false,
    ),
    (
        "a stale checkpoint",
        |p| {
            // Killed, so that no checkpoint covers its receipts.
            let mut daemon = start(&p.subject.root, &[]);
            let token = OwnerToken::read(&p.subject.root).unwrap().unwrap().expose().clone();
            let place = palyra_api::client::remote::Place::Socket(socket_path(&p.subject.root));
            let client = palyra_api::Client::new(palyra_api::client::remote::Remote::new(place, Some(token)));
            let threads = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            threads.block_on(client.invoke("acme.bench.echo", &Default::default())).unwrap();
            daemon.kill().unwrap();
            daemon.wait().unwrap();
        },
        "journal.checkpoint",
        true,
    ),
    (
        "a clock that was put back",
        |p| {
            let clock: palyra_state::Clock = Arc::new(|| 1_000_000_000_000);
            p.subject.options = StateOptions { clock, ..p.subject.options.clone() };
        },
        "system.clock",
        false,
    ),
    (
        "an edited release",
        |p| {
            let object = p.object();
            fs::set_permissions(&object, fs::Permissions::from_mode(0o600)).unwrap();
            fs::write(&object, "not a skill").unwrap();
        },
        "skills.bytes",
        true,
    ),
    ("a missing release", |p| fs::remove_file(p.object()).unwrap(), "skills.bytes", true),
    ("a damaged secret", |p| p.damage_entry("secrets"), "vault.entries", false),
    ("a damaged signing key", |p| p.damage_entry("keys"), "vault.entries", false),
    (
        "a run that never was",
        |p| {
            p.sql("INSERT INTO runs (run_id, skill_id, tool_id, payload, status, started_at) VALUES ('run_1', 's', 't', 'p', 'completed', 1)");
        },
        "runs.records",
        false,
    ),
    (
        "hooks that are in the file only",
        |p| {
            fs::create_dir_all(p.root().join("hooks")).unwrap();
            p.mode("hooks", 0o700);
            p.write("hooks/bindings.json", r#"{"schema_version":1,"bindings":[]}"#);
        },
        "hooks.bindings",
        false,
    ),
    (
        "storage that cannot be read",
        |p| p.write("storage.db", &"this is not a database ".repeat(1_000)),
        "storage.database",
        true,
    ),
    (
        "no re-audit",
        |p| {
            let state = Arc::new(p.open());
            StateStore::new(Arc::clone(&state)).switch_routine(RE_AUDIT, false, "owner").unwrap();
            state.stop().unwrap();
        },
        "routines.re_audit",
        true,
    ),
    (
        "a re-audit that failed",
        |p| {
            let state = p.open();
            let key = FireKey { routine: RE_AUDIT.into(), due_ms: 1 };
            let fire = NewFire {
                key: key.clone(),
                cause: FireCause::Schedule,
                principal: "routine:re-audit".into(),
                tool_id: None,
                late_ms: 0,
                budget: None,
                most_fuel: None,
            };
            let end = FireEnd {
                status: FireStatus::Failed,
                run_id: None,
                error: Some("state_damaged".into()),
                message: Some("the journal is damaged".into()),
                fuel: None,
            };
            let threads = tokio::runtime::Builder::new_current_thread().build().unwrap();
            threads.block_on(state.control().claim_fire(fire)).unwrap();
            threads.block_on(state.control().finish_fire(key, end)).unwrap();
            state.close().unwrap();
        },
        "routines.re_audit_failed",
        false,
    ),
    ("few mappings", |p| p.maps(1_024), "system.map_count", false),
    ("few open files", |p| p.subject.open_files = Some(256), "system.open_files", false),
    ("a full disk", |p| p.subject.least_free_bytes = u64::MAX, "system.disk_space", false),
    (
        "a port that is taken",
        |p| {
            let other = TcpListener::bind(p.subject.listen).unwrap();
            p.held.push(Box::new(other));
        },
        "system.port",
        false,
    ),
    (
        "a profile this build has not",
        |p| p.subject.profile = DeploymentProfile::find("worker-enabled").unwrap(),
        "profile.build",
        false,
    ),
    (
        "a daemon that leaves its profile",
        |p| p.endpoint("https://10.0.0.1:7437", env!("CARGO_PKG_VERSION")),
        "profile.listen",
        false,
    ),
];

fn found(report: &Report) -> Vec<&str> {
    report.findings().map(|check| &*check.id).collect()
}

#[test]
fn a_whole_state_has_nothing_to_find() {
    let patient = Patient::whole();
    let report = examine(&patient.subject);
    assert_eq!(found(&report), Vec::<&str>::new(), "{report:?}");
    assert!(report.severity <= Severity::Note);
    assert!(report.checks.iter().all(|check| !check.evidence.is_empty()));
    drop(patient.home);
}

#[test]
fn every_state_that_is_broken_on_purpose_is_found_and_each_fix_works() {
    assert!(CASES.len() >= 20);
    for (name, break_it, id, fixable) in CASES {
        let mut patient = Patient::whole();
        break_it(&mut patient);
        let report = examine(&patient.subject);
        let check = report.check(id).unwrap_or_else(|| panic!("{name}: {report:?}"));
        assert!(check.severity >= Severity::Warning && !check.evidence.is_empty(), "{name}: {check:?}");
        let advice = check.fix.as_ref().unwrap_or_else(|| panic!("{name} has no advice: {check:?}"));
        assert_eq!(advice.automatic, *fixable, "{name}");
        if *fixable {
            fix(&patient.subject, id).unwrap_or_else(|error| panic!("{name}: {error}"));
            let after = examine(&patient.subject);
            let still = after.findings().any(|check| check.id == *id);
            assert!(!still, "{name}: {after:?}");
        } else {
            assert!(fix(&patient.subject, id).is_err(), "{name}");
        }
    }
}

/// The table in the documentation lists exactly these checks.
#[test]
fn every_check_is_in_the_document() {
    let text = include_str!("../../../../docs/doctor.md");
    for (name, _, id, fixable) in CASES {
        let row = text.lines().find(|line| line.starts_with(&format!("| `{id}` |")));
        let row = row.unwrap_or_else(|| panic!("{name}: {id} is not in the document"));
        assert_eq!(row.contains("| yes"), *fixable, "{row}");
    }
    for check in examine(&Patient::whole().subject).checks {
        assert!(text.contains(&format!("| `{}` |", check.id)), "{}", check.id);
    }
}

#[test]
fn what_a_profile_requires_may_not_even_warn() {
    let mut patient = Patient::whole();
    patient.subject.open_files = Some(256);
    let lenient = examine(&patient.subject);
    assert_eq!(lenient.check("system.open_files").unwrap().severity, Severity::Warning);
    patient.subject.profile = DeploymentProfile::find("single-vm").unwrap();
    let strict = examine(&patient.subject);
    assert_eq!(strict.check("system.open_files").unwrap().severity, Severity::Error);
}

#[test]
fn checks_that_a_daemon_did_not_answer_are_skipped_and_not_in_order() {
    let mut patient = Patient::whole();
    let owner = patient.open();
    fs::create_dir_all(patient.root().join("run")).unwrap();
    let socket = std::os::unix::net::UnixListener::bind(socket_path(&patient.subject.root)).unwrap();
    let report = examine(&patient.subject);
    assert_eq!(report.check("state.open").unwrap().severity, Severity::Ok);
    assert_eq!(report.check("journal.verify").unwrap().severity, Severity::Skipped);
    assert!(report.skipped >= 10 && report.findings().count() >= report.skipped, "{report:?}");
    // A check that a profile requires and that was skipped is an error.
    patient.subject.profile = DeploymentProfile::find("single-vm").unwrap();
    let strict = examine(&patient.subject);
    assert_eq!(strict.check("routines.re_audit").unwrap().severity, Severity::Error);
    // With the checks of the daemon, none is skipped.
    let state = Arc::new(owner);
    let answer = palyra_api::doctor::StateCheck {
        id: "routines.re_audit".into(),
        severity: "warning".into(),
        evidence: "it is off".into(),
        fix: Some(palyra_api::doctor::StateFix {
            says: "enable it with `palyra routines enable re-audit`".into(),
            automatic: true,
        }),
    };
    let answered = examine_with(&patient.subject, &|| Ok(vec![answer.clone().into()]));
    assert_eq!(answered.skipped, 0);
    let check = answered.check("routines.re_audit").unwrap();
    assert_eq!((check.severity, check.fix.as_ref().unwrap().automatic), (Severity::Error, false));
    drop((socket, state));
}

#[test]
fn the_files_a_profile_names_are_there() {
    for profile in palyra_common::deployment_profiles::PROFILES {
        for file in profile.files {
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(file);
            assert!(path.is_file(), "{file}");
        }
    }
}
