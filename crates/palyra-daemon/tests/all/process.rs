//! `palyrad` as a process: found by its files, ended by signals.

use palyra_api::Client;
use palyra_api::client::remote::{Place, Remote};
use palyra_daemon::Endpoint;
use palyra_daemon::access::OwnerToken;
use palyra_daemon::server::socket_path;
use palyra_state::lock::SHORT_COMMAND_WAIT;
use palyra_state::{State, StateError, StateOptions, StateRoot};
use palyra_vault::{CREDENTIALS_DIRECTORY, KeySourceChoice, Passphrase};
use rustix::process::{Pid, Signal, kill_process};
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Command, Stdio};

pub(crate) fn options(wait: std::time::Duration) -> StateOptions {
    StateOptions { wait, key_source: KeySourceChoice::File, ..StateOptions::default() }
}

/// Starts the daemon and reads its log until it listens.
pub(crate) fn start(root: &StateRoot, arguments: &[&str]) -> Child {
    start_with(root, arguments, &[])
}

fn start_with(root: &StateRoot, arguments: &[&str], variables: &[(&str, &std::path::Path)]) -> Child {
    let mut child = Command::new(env!("CARGO_BIN_EXE_palyrad"))
        .args(["--listen", "127.0.0.1:0", "--log-json", "--state-root"])
        .arg(root.path())
        .args(arguments)
        .env_clear()
        .envs(variables.iter().copied())
        .stdin(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut log = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    while !line.contains("\"listening\"") {
        line.clear();
        assert_ne!(log.read_line(&mut line).unwrap(), 0, "it ended before it listened");
        let parsed: serde_json::Value = serde_json::from_str(&line).unwrap_or_else(|_| panic!("{line}"));
        assert!(parsed["level"].is_string());
    }
    // Drains the log, so that the daemon is not blocked by a full pipe.
    std::thread::spawn(move || std::io::copy(&mut log, &mut std::io::sink()));
    child
}

#[tokio::test(flavor = "multi_thread")]
async fn it_owns_the_state_until_a_signal_and_leaves_it_whole() {
    let home = tempfile::tempdir().unwrap();
    let root = StateRoot::new(home.path().join("root"));
    let state = root.init(&options(SHORT_COMMAND_WAIT)).unwrap();
    crate::guests::install(&state, "bench", "");
    state.close().unwrap();
    let mut child = start(&root, &[]);
    let busy = State::open(&root, &options(std::time::Duration::ZERO)).err().unwrap();
    assert!(matches!(&busy, StateError::Busy { holder: Some(holder) } if holder.pid == child.id()), "{busy}");
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&OwnerToken::path(&root)), 0o600);
    assert_eq!(mode(socket_path(&root).parent().unwrap()), 0o700);
    let endpoint = Endpoint::read(&root).unwrap().unwrap();
    assert_eq!(endpoint.pid, child.id());
    let token = OwnerToken::read(&root).unwrap().unwrap().expose().clone();
    let place: Place = endpoint.url.parse().unwrap();
    let client = Client::new(Remote::new(place, Some(token)));
    let answer = client.invoke("acme.bench.echo", &Default::default()).await.unwrap();
    assert_eq!(answer.result.get(), "{}");
    let pid = Pid::from_child(&child);
    kill_process(pid, Signal::TERM).unwrap();
    let status = tokio::task::spawn_blocking(move || child.wait()).await.unwrap().unwrap();
    assert_eq!(status.code(), Some(0));
    assert_eq!(Endpoint::read(&root).unwrap(), None);
    let state = State::open(&root, &options(SHORT_COMMAND_WAIT)).unwrap();
    assert_eq!(
        state.journal().head(),
        state.journal().last_checkpoint().unwrap().head(),
        "signed to its end"
    );
}

/// The unit in `infra/systemd` passes the passphrase this way.
#[test]
fn a_service_gives_the_passphrase_as_a_credential() {
    let home = tempfile::tempdir().unwrap();
    let root = StateRoot::new(home.path().join("root"));
    let passphrase = Passphrase::new(b"correct horse").unwrap();
    let key_source = KeySourceChoice::FileWithPassphrase(passphrase);
    let sealed = StateOptions { key_source, ..options(SHORT_COMMAND_WAIT) };
    root.init(&sealed).unwrap().close().unwrap();
    let credentials = home.path().join("credentials");
    std::fs::create_dir(&credentials).unwrap();
    let credential = credentials.join("palyra.passphrase");
    std::fs::write(&credential, "correct horse\n").unwrap();
    std::fs::set_permissions(&credential, PermissionsExt::from_mode(0o400)).unwrap();
    let mut child = start_with(&root, &[], &[(CREDENTIALS_DIRECTORY, &credentials)]);
    kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

/// A profile is checked against the flags before anything is opened.
#[test]
fn a_profile_that_does_not_fit_does_not_start() {
    for (arguments, words) in [
        (&["--profile", "worker-enabled"][..], "this build has no worker backend"),
        (&["--profile", "single-vm"], "requires TLS, or a proxy"),
        (&["--listen", "0.0.0.0:0"], "listens on loopback addresses only"),
        (&["--profile", "cluster"], "choose from local, single-vm, worker-enabled"),
    ] {
        let ran = Command::new(env!("CARGO_BIN_EXE_palyrad"))
            .args(arguments)
            .env_clear()
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let told = String::from_utf8(ran.stderr).unwrap();
        assert!(ran.status.code() == Some(2) && told.contains(words), "{told}");
    }
}

#[test]
fn without_a_state_root_it_says_how_to_make_one() {
    let home = tempfile::tempdir().unwrap();
    let ran = Command::new(env!("CARGO_BIN_EXE_palyrad"))
        .env_clear()
        .env("HOME", home.path())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let told = String::from_utf8(ran.stderr).unwrap();
    assert!(ran.status.code() == Some(1) && told.contains("palyra up -d"), "{told}");
}

/// Beyond the year 9999 the HTTP library panics with every response.
#[test]
fn daemon_does_not_start_while_its_clock_is_out_of_range() {
    const CLOCK: &str = r#"
        #define _GNU_SOURCE
        #include <sys/syscall.h>
        #include <time.h>
        #include <unistd.h>
        int clock_gettime(clockid_t clock, struct timespec *time) {
            int result = syscall(SYS_clock_gettime, clock, time);
            if (clock == CLOCK_REALTIME) time->tv_sec = 253402300800; /* 10000-01-01 */
            return result;
        }"#;
    let home = tempfile::tempdir().unwrap();
    let root = StateRoot::new(home.path().join("root"));
    root.init(&options(SHORT_COMMAND_WAIT)).unwrap().close().unwrap();
    let (source, library) = (home.path().join("clock.c"), home.path().join("clock.so"));
    std::fs::write(&source, CLOCK).unwrap();
    // The linker driver of the tests is a C compiler.
    let built =
        Command::new("cc").args(["-shared", "-fPIC", "-o"]).args([&library, &source]).status().unwrap();
    assert!(built.success());
    let ran = Command::new(env!("CARGO_BIN_EXE_palyrad"))
        .args(["--listen", "127.0.0.1:0", "--state-root"])
        .arg(root.path())
        .env_clear()
        .env("LD_PRELOAD", &library)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let told = String::from_utf8(ran.stderr).unwrap();
    assert_eq!(ran.status.code(), Some(1), "{told}");
    assert!(told.contains("the clock of this machine is outside the years 1970 to 9998"), "{told}");
    assert_eq!(Endpoint::read(&root).unwrap(), None);
    State::open(&root, &options(SHORT_COMMAND_WAIT)).unwrap().close().unwrap();
}
