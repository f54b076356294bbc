//! One call through the guard, with every parameter a test changes.

use bytes::Bytes;
use palyra_common::{Denial, SecretValue};
use palyra_egress::testing::{FixedResolver, TestServer};
use palyra_egress::{
    AuthorizedRequest, ByteBudget, EgressConfig, EgressContext, EgressError, EgressGuard, GuardedSecret,
    IncomingResponse, Injection, InjectionForm, IpNet, OutgoingRequest, StreamingResponse,
};
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::time::Duration;

pub(crate) const LOOPBACK: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
pub(crate) const CANARY: &str = "c4n4ry/Secret+Value=42";

/// A guard for which `api.example.com` is this machine.
pub(crate) fn guard() -> EgressGuard {
    guard_with(FixedResolver::new().with("api.example.com", [LOOPBACK]))
}

pub(crate) fn guard_with(resolver: FixedResolver) -> EgressGuard {
    EgressGuard::new(EgressConfig { resolver: Arc::new(resolver), ..EgressConfig::default() }).unwrap()
}

/// The URL of a path on the server, under the name the guard resolves to it.
pub(crate) fn url(server: &TestServer, path: &str) -> String {
    format!("http://api.example.com:{}{path}", server.address().port())
}

/// A request with the state of its run; by default it has all grants it needs.
pub(crate) struct Call {
    pub(crate) request: OutgoingRequest,
    pub(crate) rules: Vec<String>,
    pub(crate) owner: &'static str,
    pub(crate) allow: Vec<IpNet>,
    pub(crate) injections: Vec<Injection>,
    pub(crate) guarded: Vec<GuardedSecret>,
    pub(crate) budget: Arc<ByteBudget>,
}

impl Call {
    pub(crate) fn get(url: impl Into<String>) -> Self {
        let url = url.into();
        let origin = url.split('/').take(3).collect::<Vec<_>>().join("/");
        Self {
            request: OutgoingRequest {
                method: "GET".into(),
                url,
                // Far more than any test needs: a missing check then fails the test instead of blocking it.
                timeout: Some(Duration::from_secs(20)),
                ..OutgoingRequest::default()
            },
            rules: vec![origin],
            owner: "acme.notes",
            allow: vec!["127.0.0.0/8".parse().unwrap()],
            injections: Vec::new(),
            guarded: Vec::new(),
            budget: Arc::new(ByteBudget::new(16 << 20)),
        }
    }

    pub(crate) fn post(url: impl Into<String>, body: impl Into<Bytes>) -> Self {
        let mut call = Self::get(url);
        call.request.method = "POST".into();
        call.request.body = body.into();
        call
    }

    pub(crate) fn rule(mut self, rule: impl Into<String>) -> Self {
        self.rules = vec![rule.into()];
        self
    }

    /// Adds options such as `response=10` to the rule.
    pub(crate) fn caps(mut self, caps: &str) -> Self {
        self.rules.iter_mut().for_each(|rule| *rule = format!("{rule} {caps}"));
        self
    }

    pub(crate) fn owner(mut self, owner: &'static str) -> Self {
        self.owner = owner;
        self
    }

    pub(crate) fn allow(mut self, ranges: &[&str]) -> Self {
        self.allow = ranges.iter().map(|range| range.parse().unwrap()).collect();
        self
    }

    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.request.headers.push((name.into(), value.into()));
        self
    }

    pub(crate) fn timeout(mut self, limit: Duration) -> Self {
        self.request.timeout = Some(limit);
        self
    }

    pub(crate) fn budget(mut self, budget: &Arc<ByteBudget>) -> Self {
        self.budget = Arc::clone(budget);
        self
    }

    pub(crate) fn inject(mut self, grant: &str, form: InjectionForm, value: &str) -> Self {
        self.injections.push(Injection {
            grant: grant.parse().unwrap(),
            form,
            value: SecretValue::new(value),
        });
        self
    }

    pub(crate) fn guard_secret(mut self, reference: &str, value: &str, reveal_to: &[&str]) -> Self {
        let reveal_to = reveal_to.iter().map(|host| host.parse().unwrap()).collect();
        let secret = GuardedSecret {
            reference: reference.parse().unwrap(),
            value: SecretValue::new(value),
            reveal_to,
        };
        self.guarded.push(secret);
        self
    }

    pub(crate) async fn send(&self, guard: &EgressGuard) -> Result<IncomingResponse, EgressError> {
        guard.send(self.authorized(guard)?, &self.context()).await
    }

    pub(crate) async fn open(&self, guard: &EgressGuard) -> Result<StreamingResponse<'_>, EgressError> {
        guard.open(self.authorized(guard)?, &self.context()).await
    }

    fn authorized(&self, guard: &EgressGuard) -> Result<AuthorizedRequest, EgressError> {
        let rules: Vec<_> = self.rules.iter().map(|rule| rule.parse().unwrap()).collect();
        guard.authorize(&rules, self.request.clone())
    }

    fn context(&self) -> EgressContext<'_> {
        EgressContext {
            owner: self.owner,
            allow_addresses: &self.allow,
            injections: &self.injections,
            guarded: &self.guarded,
            budget: &self.budget,
        }
    }

    pub(crate) async fn denial(&self, guard: &EgressGuard) -> Denial {
        match self.send(guard).await {
            Err(EgressError::Denied(denial)) => denial,
            other => panic!("`{}` should be denied, not {other:?}", self.request.url),
        }
    }
}

pub(crate) fn header<'r>(response: &'r IncomingResponse, name: &str) -> Option<&'r str> {
    response.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
}
