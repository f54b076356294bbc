//! The attacked daemon: a separate process with every listener, a few skills and tokens.

use crate::process::{options, start};
use palyra_api::Client;
use palyra_api::client::remote::{Place, Remote};
use palyra_api::runner_policy::{RunnerPolicy, RunnerPolicyChange};
use palyra_common::Scope;
use palyra_daemon::Endpoint;
use palyra_daemon::access::OwnerToken;
use palyra_state::journal::VerifyScope;
use palyra_state::lock::SHORT_COMMAND_WAIT;
use palyra_state::{State, StateRoot};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::Child;
use std::sync::Mutex;
use zeroize::Zeroizing;

pub(super) struct Target {
    pub(super) address: SocketAddr,
    pub(super) grpc: SocketAddr,
    pub(super) socket: PathBuf,
    /// The owner's token, for honest requests and for the setup.
    pub(super) owner: Zeroizing<String>,
    /// Token of an honest agent.
    pub(super) agent: String,
    /// Tokens of attackers, named after their scopes.
    pub(super) reader: String,
    pub(super) caller: String,
    pub(super) approver: String,
    root: StateRoot,
    process: Mutex<Child>,
    _home: tempfile::TempDir,
}

impl Target {
    pub(super) async fn start() -> Self {
        let home = tempfile::tempdir().unwrap();
        let root = StateRoot::new(home.path().join("root"));
        let state = root.init(&options(SHORT_COMMAND_WAIT)).unwrap();
        crate::guests::install(&state, "bench", "");
        let token = |name: &str, scopes: &[Scope]| {
            let scopes = scopes.iter().copied().collect();
            state.tokens().add(name, scopes, None, "owner").unwrap().secret.as_str().to_owned()
        };
        let agent = token("agent", &[Scope::Read, Scope::Invoke]);
        let reader = token("reader", &[Scope::Read]);
        let caller = token("caller", &[Scope::Read, Scope::Invoke]);
        let approver = token("approver", &[Scope::Read, Scope::Invoke, Scope::Approve]);
        state.close().unwrap();
        let process =
            start(&root, &["--grpc-listen", "127.0.0.1:0", "--log", "error,palyra_daemon::serve=info"]);
        let Endpoint { url, grpc_url, socket, .. } = Endpoint::read(&root).unwrap().unwrap();
        let place = |url: &str| url.rsplit('/').next().unwrap().parse().unwrap();
        let target = Self {
            address: place(&url),
            grpc: place(grpc_url.as_deref().unwrap()),
            socket,
            owner: OwnerToken::read(&root).unwrap().unwrap().expose().clone(),
            agent,
            reader,
            caller,
            approver,
            root,
            process: Mutex::new(process),
            _home: home,
        };
        let policy = RunnerPolicy { allow_inline_modules: true, ..RunnerPolicy::default() };
        let change = RunnerPolicyChange { policy, revision: None };
        target.over_socket(&target.owner).set_runner_policy(&change).await.unwrap();
        target
    }

    pub(super) fn over_socket(&self, token: &str) -> Client<Remote> {
        let token = Some(Zeroizing::new(token.to_owned()));
        Client::new(Remote::new(Place::Socket(self.socket.clone()), token))
    }

    pub(super) fn over_tcp(&self, token: &str) -> Client<Remote> {
        let place: Place = format!("http://{}", self.address).parse().unwrap();
        Client::new(Remote::new(place, Some(Zeroizing::new(token.to_owned()))))
    }

    /// Returns the head of a request with a JSON body of this length.
    pub(super) fn head(&self, path: &str, token: &str, length: usize) -> String {
        format!(
            "POST {path} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {token}\r\n\
             Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n",
            self.address
        )
    }

    /// Returns the head of an MCP conversation, whose messages follow in chunks.
    pub(super) fn mcp_head(&self, token: &str) -> String {
        let head = self.head("/mcp/stdio", token, 0);
        let head = head.replace("Content-Length: 0", "Transfer-Encoding: chunked");
        head.replace("application/json", palyra_api::mcp::MESSAGES)
    }

    /// Returns the current memory of the daemon.
    pub(super) fn rss_kib(&self) -> u64 {
        self.field("VmRSS:")
    }

    /// Returns the peak memory since [`Self::reset_peak`].
    pub(super) fn peak_rss_kib(&self) -> u64 {
        self.field("VmHWM:")
    }

    pub(super) fn reset_peak(&self) {
        std::fs::write(format!("/proc/{}/clear_refs", self.pid()), "5").unwrap();
    }

    fn field(&self, name: &str) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.pid())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
        line.split_whitespace().next().unwrap().parse().unwrap()
    }

    fn pid(&self) -> u32 {
        self.process.lock().unwrap().id()
    }

    /// Stops it with a signal, and checks that its state opens and verifies.
    pub(super) fn stop_and_check(&self) {
        let mut process = self.process.lock().unwrap();
        let pid = rustix::process::Pid::from_child(&process);
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
        assert_eq!(process.wait().unwrap().code(), Some(0));
        let state = State::open(&self.root, &options(SHORT_COMMAND_WAIT)).unwrap();
        assert!(state.journal().verify(VerifyScope::Everything, None).unwrap().damage.is_none());
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        if let Ok(process) = self.process.get_mut() {
            let _ = process.kill();
            let _ = process.wait();
        }
    }
}
