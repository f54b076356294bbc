//! Sets of grants and their intersection.

use super::lattice;
use super::{
    Capability, ChannelName, FilesystemAccess, FilesystemGrant, HttpRule, SecretGrant, StorageAccess,
    StorageGrant,
};
use serde::{Deserialize, Serialize, Serializer};

/// The capabilities of a run in normal form: sorted, without elements that another one covers.
///
/// The default set is empty.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Deserialize)]
#[serde(from = "Vec<Capability>")]
pub struct CapabilityGrantSet {
    http: Vec<HttpRule>,
    secrets: Vec<SecretGrant>,
    storage: Vec<StorageGrant>,
    channels: Vec<ChannelName>,
    filesystem: Vec<FilesystemGrant>,
}

impl CapabilityGrantSet {
    /// Returns the grants that both sets allow.
    pub fn intersect(&self, other: &Self) -> Self {
        Self {
            http: lattice::intersect(&self.http, &other.http),
            secrets: lattice::intersect(&self.secrets, &other.secrets),
            storage: lattice::intersect(&self.storage, &other.storage),
            channels: lattice::intersect(&self.channels, &other.channels),
            filesystem: lattice::intersect(&self.filesystem, &other.filesystem),
        }
    }

    /// Returns whether every grant of `self` is allowed by `other`.
    pub fn is_within(&self, other: &Self) -> bool {
        lattice::is_within(&self.http, &other.http)
            && lattice::is_within(&self.secrets, &other.secrets)
            && lattice::is_within(&self.storage, &other.storage)
            && lattice::is_within(&self.channels, &other.channels)
            && lattice::is_within(&self.filesystem, &other.filesystem)
    }

    /// Returns whether the set is empty.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Returns the HTTP rules, in normal order.
    pub fn http(&self) -> &[HttpRule] {
        &self.http
    }

    /// Returns the secrets, in normal order.
    pub fn secrets(&self) -> &[SecretGrant] {
        &self.secrets
    }

    /// Returns the storage prefixes, in normal order.
    pub fn storage(&self) -> &[StorageGrant] {
        &self.storage
    }

    /// Returns the channels, in normal order.
    pub fn channels(&self) -> &[ChannelName] {
        &self.channels
    }

    /// Returns the filesystem roots, in normal order.
    pub fn filesystem(&self) -> &[FilesystemGrant] {
        &self.filesystem
    }

    /// Returns whether a run under these grants can have an effect outside itself: over HTTP, in a channel, in storage
    /// or in files.
    pub fn may_have_effects(&self) -> bool {
        let reaches_out = !self.http().is_empty() || !self.channels().is_empty();
        reaches_out || self.writes_storage() || self.writes_files()
    }

    /// Returns whether a run under these grants can change the skill's storage.
    pub fn writes_storage(&self) -> bool {
        self.storage.iter().any(|grant| grant.access == StorageAccess::ReadWrite)
    }

    /// Returns whether a run under these grants can change files.
    pub fn writes_files(&self) -> bool {
        self.filesystem.iter().any(|grant| grant.access == FilesystemAccess::ReadWrite)
    }

    /// Returns whether a run under these grants can change something outside the state root: files, a channel, or
    /// a server by a request other than `GET`, `HEAD` or `OPTIONS`.
    pub fn writes_outside(&self) -> bool {
        self.writes_files() || !self.channels().is_empty() || !self.http().iter().all(HttpRule::is_read_only)
    }
}

impl FromIterator<Capability> for CapabilityGrantSet {
    fn from_iter<I: IntoIterator<Item = Capability>>(capabilities: I) -> Self {
        let mut set = Self::default();
        for capability in capabilities {
            match capability {
                Capability::Http(rule) => set.http.push(rule),
                Capability::Secret(grant) => set.secrets.push(grant),
                Capability::Storage(grant) => set.storage.push(grant),
                Capability::Channel(name) => set.channels.push(name),
                Capability::Filesystem(grant) => set.filesystem.push(grant),
            }
        }
        Self {
            http: lattice::canonical(set.http),
            secrets: lattice::canonical(set.secrets),
            storage: lattice::canonical(set.storage),
            channels: lattice::canonical(set.channels),
            filesystem: lattice::canonical(set.filesystem),
        }
    }
}

impl From<Vec<Capability>> for CapabilityGrantSet {
    fn from(capabilities: Vec<Capability>) -> Self {
        capabilities.into_iter().collect()
    }
}

/// As the list of its grants.
impl Serialize for CapabilityGrantSet {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // Most runs have no grants, and each run's tape stores the set.
        let list: Vec<Capability> = if self.is_empty() { Vec::new() } else { self.clone().into() };
        list.serialize(serializer)
    }
}

impl From<CapabilityGrantSet> for Vec<Capability> {
    fn from(set: CapabilityGrantSet) -> Self {
        let http = set.http.into_iter().map(Capability::Http);
        let secrets = set.secrets.into_iter().map(Capability::Secret);
        let storage = set.storage.into_iter().map(Capability::Storage);
        let channels = set.channels.into_iter().map(Capability::Channel);
        let filesystem = set.filesystem.into_iter().map(Capability::Filesystem);
        http.chain(secrets).chain(storage).chain(channels).chain(filesystem).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn capability() -> impl Strategy<Value = Capability> {
        let method = prop_oneof![Just(""), Just("GET "), Just("GET,POST "), Just("POST "), Just("PUT ")];
        let host = prop_oneof![
            Just("a.example.com"),
            Just("b.example.com"),
            Just("*.example.com"),
            Just("127.0.0.1"),
            Just("example.com:8443")
        ];
        let path = prop_oneof![
            Just(""),
            Just("/"),
            Just("/x"),
            Just("/x/*"),
            Just("/x/**"),
            Just("/*/y"),
            Just("/x/y")
        ];
        let cap = prop_oneof![Just(""), Just(" response=1KiB"), Just(" response=2KiB"), Just(" total=5")];
        let http = (method, host, path, cap).prop_map(|(m, h, p, c)| format!("http:{m}https://{h}{p}{c}"));
        let hosts = prop_oneof![
            Just(""),
            Just(" hosts=a.example.com"),
            Just(" hosts=*.example.com"),
            Just(" hosts=a.example.com,b.example.com")
        ];
        let forms =
            prop_oneof![Just(" inject=bearer"), Just(" inject=bearer,header:x"), Just(" inject=basic")];
        let reveal = prop_oneof![Just(""), Just(" reveal")];
        let secret = (prop_oneof![Just("global/a"), Just("global/b")], hosts, forms, reveal)
            .prop_map(|(s, h, i, r)| format!("secret:{s}{h}{i}{r}"))
            .prop_filter("useful", |text| text.parse::<Capability>().is_ok());
        let storage = (
            prop_oneof![Just("a/"), Just("a/b/"), Just("c/")],
            prop_oneof![Just(""), Just(" bytes=1"), Just(" keys=9")],
        )
            .prop_map(|(p, o)| format!("storage:{p}{o}"));
        let rest = prop_oneof![
            Just("storage-read:a/".to_owned()),
            Just("storage-read:a/b/".to_owned()),
            Just("channel:x".to_owned()),
            Just("channel:y".to_owned()),
            Just("fs-read:docs".to_owned()),
            Just("fs-write:docs".to_owned()),
            Just("fs-read:docs=/srv/a".to_owned()),
            Just("fs-write:docs=/srv/b".to_owned()),
        ];
        prop_oneof![4 => http, 3 => secret, 2 => storage, 2 => rest].prop_map(|text| text.parse().unwrap())
    }

    fn grant_set() -> impl Strategy<Value = CapabilityGrantSet> {
        prop::collection::vec(capability(), 0..8).prop_map(|list| list.into_iter().collect())
    }

    #[test]
    fn only_what_reaches_out_has_effects() {
        let may = |grants: &[&str]| {
            let grants: CapabilityGrantSet =
                grants.iter().map(|text| text.parse::<Capability>().unwrap()).collect();
            grants.may_have_effects()
        };
        assert!(!may(&[]) && !may(&["secret:global/token reveal", "fs-read:data", "storage-read:notes/"]));
        for effect in ["http:GET https://example.com/", "storage:notes/", "channel:news", "fs-write:data"] {
            assert!(may(&[effect]), "{effect}");
        }
    }

    proptest! {
        #[test]
        fn intersection_is_commutative(a in grant_set(), b in grant_set()) {
            prop_assert_eq!(a.intersect(&b), b.intersect(&a));
        }

        #[test]
        fn intersection_is_associative(a in grant_set(), b in grant_set(), c in grant_set()) {
            prop_assert_eq!(a.intersect(&b).intersect(&c), a.intersect(&b.intersect(&c)));
        }

        #[test]
        fn intersection_never_grows(a in grant_set(), b in grant_set()) {
            let both = a.intersect(&b);
            prop_assert!(both.is_within(&a) && both.is_within(&b));
        }

        #[test]
        fn intersection_with_itself_changes_nothing(a in grant_set()) {
            prop_assert_eq!(a.intersect(&a), a);
        }

        #[test]
        fn nothing_stays_nothing(a in grant_set()) {
            prop_assert!(a.intersect(&CapabilityGrantSet::default()).is_empty());
        }

        #[test]
        fn text_reads_back(a in grant_set()) {
            let json = serde_json::to_string(&a).unwrap();
            prop_assert_eq!(serde_json::from_str::<CapabilityGrantSet>(&json).unwrap(), a);
        }

        #[test]
        fn any_accepted_text_prints_and_reads_back(text in "(http|secret|storage|storage-read|channel|fs-read):[ -~]{0,40}") {
            if let Ok(capability) = text.parse::<Capability>() {
                prop_assert_eq!(capability.to_string().parse::<Capability>().unwrap(), capability);
            }
        }
    }
}
