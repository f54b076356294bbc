//! Grants: what is accepted prints and reads back equal, and two sets together never allow more than each.
//!
//! The input is text: one grant a line, the two sets separated by an empty line.

use palyra_common::capabilities::{HostPattern, HttpRule, Scheme, SecretForm, SecretGrant, SecretRef};
use palyra_common::{Capability, CapabilityGrantSet, OperatorGrants};

/// Reads two sets of grants and holds them against each other.
pub fn check_grants(text: &str) {
    let (left, right) = text.split_once("\n\n").unwrap_or((text, ""));
    let (left, right) = (read_set(left), read_set(right));
    let both = left.intersect(&right);
    assert_eq!(both, right.intersect(&left), "the order matters");
    assert!(
        both.is_within(&left) && both.is_within(&right),
        "the intersection allows more than one of the two"
    );
    assert_eq!(left.intersect(&left), left, "a set changes when it is intersected with itself");
    assert_eq!(both.intersect(&right), both, "a second intersection changes something");
    assert_reads_back(&both);
    for sample in samples(&left).chain(samples(&right)) {
        let expected = sample.is_allowed_by(&left) && sample.is_allowed_by(&right);
        assert_eq!(sample.is_allowed_by(&both), expected, "{sample:?}");
    }
}

/// The set of those lines that are grants; each alone, and all together, must read back equal.
fn read_set(text: &str) -> CapabilityGrantSet {
    let accepted: Vec<&str> = text.lines().filter(|line| OperatorGrants::parse([line]).is_ok()).collect();
    let capabilities: Vec<Capability> = accepted.iter().filter_map(|line| line.parse().ok()).collect();
    for capability in &capabilities {
        let printed = capability.to_string();
        let read: Capability =
            printed.parse().unwrap_or_else(|error| panic!("`{printed}` is not read back: {error}"));
        assert_eq!(&read, capability, "`{printed}` is read back as something else");
        assert_eq!(read.to_string(), printed, "the printed form is not a normal form");
    }
    let grants = OperatorGrants::parse(&accepted).expect("each line was accepted alone");
    assert_eq!(grants.capabilities, capabilities.into_iter().collect());
    let read = OperatorGrants::parse(printed_grants(&grants)).expect("printed grants are grants");
    assert_eq!(read, grants, "the set reads back as something else");
    assert_reads_back(&grants.capabilities);
    grants.capabilities
}

fn printed_grants(grants: &OperatorGrants) -> Vec<String> {
    let capabilities = Vec::<Capability>::from(grants.capabilities.clone());
    let addresses = grants.allow_addresses.iter().map(|range| format!("address:{range}"));
    capabilities.iter().map(ToString::to_string).chain(addresses).collect()
}

/// A set is stored as JSON, on tapes for one, and must come back the same.
fn assert_reads_back(set: &CapabilityGrantSet) {
    let json = serde_json::to_string(set).expect("a grant is text");
    let read: CapabilityGrantSet =
        serde_json::from_str(&json).unwrap_or_else(|error| panic!("{json} is not read back: {error}"));
    assert_eq!(&read, set, "{json} is read back as something else");
}

/// Something a guest could try.
#[derive(Debug)]
enum Sample {
    Request { scheme: Scheme, host: HostPattern, port: u16, method: String, path: String },
    Injection { secret: SecretRef, host: HostPattern, form: SecretForm },
    Reveal(SecretRef),
    Key(String),
    Channel(String),
}

impl Sample {
    /// The meaning of a grant, said again without intersecting anything.
    fn is_allowed_by(&self, set: &CapabilityGrantSet) -> bool {
        match self {
            Self::Request { scheme, host, port, method, path } => set.http().iter().any(|rule| {
                rule.covers_origin(*scheme, host, *port)
                    && rule.covers_method(method)
                    && rule.path.matches(path)
            }),
            Self::Injection { secret, host, form } => set
                .secrets()
                .iter()
                .any(|grant| grant.secret == *secret && grant.allows_injection(host, form)),
            Self::Reveal(secret) => set.secrets().iter().any(|grant| grant.secret == *secret && grant.reveal),
            Self::Key(key) => set.storage().iter().any(|grant| key.starts_with(grant.prefix.as_str())),
            Self::Channel(name) => set.channels().iter().any(|channel| channel.as_str() == name),
        }
    }
}

/// One use, or a few, for every grant of a set.
fn samples(set: &CapabilityGrantSet) -> impl Iterator<Item = Sample> {
    let requests = set.http().iter().flat_map(requests);
    let secrets = set.secrets().iter().flat_map(secret_uses);
    let keys = set.storage().iter().map(|grant| Sample::Key(format!("{}key", grant.prefix)));
    let channels = set.channels().iter().map(|channel| Sample::Channel(channel.to_string()));
    requests.chain(secrets).chain(keys).chain(channels)
}

fn secret_uses(grant: &SecretGrant) -> Vec<Sample> {
    let mut uses = vec![Sample::Reveal(grant.secret.clone())];
    for host in grant.hosts().iter().filter_map(some_host) {
        let injection = |form: &SecretForm| Sample::Injection {
            secret: grant.secret.clone(),
            host: host.clone(),
            form: form.clone(),
        };
        uses.extend(grant.inject().iter().map(injection));
    }
    uses
}

fn requests(rule: &HttpRule) -> Vec<Sample> {
    let Some(host) = some_host(&rule.host) else { return Vec::new() };
    let methods: Vec<String> = match &rule.methods {
        Some(methods) => methods.iter().cloned().collect(),
        None => vec!["GET".to_owned(), "PATCH".to_owned()],
    };
    let pattern = rule.path.to_string();
    let path = pattern
        .split('/')
        .map(|segment| if segment.starts_with('*') { "x" } else { segment })
        .collect::<Vec<_>>();
    let request = |method| Sample::Request {
        scheme: rule.scheme,
        host: host.clone(),
        port: rule.port,
        method,
        path: path.join("/"),
    };
    methods.into_iter().map(request).collect()
}

/// A host that a pattern names.
fn some_host(pattern: &HostPattern) -> Option<HostPattern> {
    match pattern {
        // With one label more the name can be too long to be one.
        HostPattern::Wildcard(base) => format!("x.{base}").parse().ok(),
        exact => Some(exact.clone()),
    }
}
