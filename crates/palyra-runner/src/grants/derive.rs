//! Derives one grant: the verdict of each authority, with its reason.

pub use palyra_common::model::grants::{GrantAuthority, GrantStep, GrantVerdict};

use palyra_common::capabilities::HostPattern;
use palyra_common::{Capability, CapabilityGrantSet, CapabilityKind};
use serde::Serialize;

use super::Authorities;
use crate::usage::host_of;

/// The verdicts of all authorities about one grant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GrantDerivation {
    /// Capability requested by the manifest.
    pub asked: Capability,
    /// Verdicts in the order of the authorities; nothing follows a refusal.
    pub steps: Vec<GrantStep>,
    /// Capabilities that remain; empty if an authority refused.
    pub given: CapabilityGrantSet,
}

impl GrantDerivation {
    /// Returns the first step that refused or narrowed the grant.
    pub fn refusal(&self) -> Option<&GrantStep> {
        self.steps.iter().find(|step| step.verdict != GrantVerdict::Granted)
    }

    /// Returns whether the grant is of this kind.
    pub(super) fn is_of(&self, kind: CapabilityKind) -> bool {
        let own = match &self.asked {
            Capability::Http(_) => CapabilityKind::Http,
            Capability::Secret(_) => CapabilityKind::Secret,
            Capability::Storage(_) => CapabilityKind::Storage,
            Capability::Channel(_) => CapabilityKind::Channel,
            Capability::Filesystem(_) => CapabilityKind::Filesystem,
        };
        own == kind
    }

    /// Returns whether the grant covers the target of a guest's attempt.
    pub(super) fn is_about(&self, kind: CapabilityKind, subject: &str) -> bool {
        match (&self.asked, kind) {
            (Capability::Http(rule), CapabilityKind::Http) => {
                host_of(subject).parse::<HostPattern>().is_ok_and(|host| rule.host.matches(&host))
            }
            (Capability::Secret(grant), CapabilityKind::Secret) => {
                subject == grant.secret.to_string() || subject == grant.secret.key
            }
            (Capability::Storage(grant), CapabilityKind::Storage) => {
                subject.starts_with(grant.prefix.as_str()) || grant.prefix.as_str().starts_with(subject)
            }
            (Capability::Channel(name), CapabilityKind::Channel) => name.as_str() == subject,
            (Capability::Filesystem(grant), CapabilityKind::Filesystem) => {
                subject.trim_start_matches('/').split('/').next() == Some(grant.root.as_str())
            }
            _ => false,
        }
    }
}

/// Passes one grant through manifest, tool, consent, profile with its directories, and policy.
pub(super) fn derive(authorities: &Authorities<'_>, asked: Capability) -> GrantDerivation {
    let id = authorities.skill_id;
    let mut walk = Walk { left: CapabilityGrantSet::from_iter([asked.clone()]), steps: Vec::new() };
    let manifest = "the manifest requests it".to_owned();
    walk.step(GrantAuthority::Manifest, CapabilityGrantSet::clone, [manifest.clone(), manifest], None);
    if let Some(tool) = &authorities.narrowed {
        let id = tool.id;
        let reasons = [format!("the tool `{id}` includes it"), format!("the tool `{id}` leaves it out")];
        let remedy =
            format!("install a release whose `[entrypoints.tools.capabilities]` of `{id}` include `{asked}`");
        walk.step(GrantAuthority::Tool, |left| left.intersect(&tool.grants), reasons, Some(remedy));
    }
    if let Some(consented) = authorities.consented {
        let reasons = ["consent covers it", "consent does not cover it"].map(str::to_owned);
        let remedy = format!("palyra skills consent {id}");
        walk.step(GrantAuthority::Consent, |left| left.intersect(consented), reasons, Some(remedy));
    }
    let reasons =
        ["the profile allows it", "the profile does not include it"].map(|text| format!("{text} (`{id}`)"));
    let remedy = format!("palyra plugins profile set {id} --grant '{asked}'");
    walk.step(GrantAuthority::Profile, |left| authorities.profile.narrow(left), reasons, Some(remedy));
    if let Capability::Filesystem(root) = &asked {
        let name = &root.root;
        let reasons = [
            format!("`{name}` is mapped to a directory"),
            format!("no directory is mapped to the root `{name}`"),
        ];
        let remedy = format!("palyra plugins profile set {id} --grant '{asked}=DIRECTORY'");
        walk.step(GrantAuthority::Profile, |left| mapped(authorities, left), reasons, Some(remedy));
    }
    let reasons = ["the policy allows it", "the policy for every run does not allow it"].map(str::to_owned);
    let remedy = match list_of(&asked) {
        Some(list) => format!("ask an operator to add it to `{list}`: see `palyra runner-policy set --help`"),
        None => "see `palyra runner-policy show`".to_owned(),
    };
    walk.step(GrantAuthority::Policy, |left| authorities.policy.narrow(left), reasons, Some(remedy));
    GrantDerivation { asked, steps: walk.steps, given: walk.left }
}

/// Returns the list of the runner policy that restricts a kind of capability.
fn list_of(asked: &Capability) -> Option<&'static str> {
    match asked {
        Capability::Http(_) => Some("allowed_http_hosts"),
        Capability::Secret(_) => Some("allowed_secrets"),
        Capability::Storage(_) => Some("allowed_storage_prefixes"),
        Capability::Channel(_) => Some("allowed_channels"),
        Capability::Filesystem(_) => None,
    }
}

/// Returns the roots that have a directory. Mapping a root does not narrow it.
fn mapped(authorities: &Authorities<'_>, left: &CapabilityGrantSet) -> CapabilityGrantSet {
    let roots = left.filesystem().iter().filter_map(|grant| authorities.directory(grant));
    roots.map(Capability::Filesystem).collect()
}

struct Walk {
    left: CapabilityGrantSet,
    steps: Vec<GrantStep>,
}

impl Walk {
    /// Applies one authority to the remaining grant; `reasons` are the texts for a grant and a refusal.
    fn step(
        &mut self,
        by: GrantAuthority,
        narrow: impl FnOnce(&CapabilityGrantSet) -> CapabilityGrantSet,
        reasons: [String; 2],
        remedy: Option<String>,
    ) {
        if self.left.is_empty() {
            return;
        }
        let after = narrow(&self.left);
        // A root that gets its directory is not narrowed.
        let (before, roots) = (roots_of(&self.left), roots_of(&after));
        let whole = self.left.is_within(&after) || (!roots.is_empty() && before == roots);
        let [yes, no] = reasons;
        let (verdict, reason, remedy) = match (whole, after.is_empty()) {
            (true, _) => (GrantVerdict::Granted, yes, None),
            (false, true) => (GrantVerdict::Refused, no, remedy),
            (false, false) => (
                GrantVerdict::Narrowed,
                format!(
                    "less than requested: \
                {}",
                    shown(&after)
                ),
                remedy,
            ),
        };
        self.steps.push(GrantStep { by, verdict, reason, remedy });
        self.left = after;
    }
}

fn roots_of(grants: &CapabilityGrantSet) -> Vec<(&str, palyra_common::capabilities::FilesystemAccess)> {
    grants.filesystem().iter().map(|grant| (grant.root.as_str(), grant.access)).collect()
}

fn shown(grants: &CapabilityGrantSet) -> String {
    let lines: Vec<String> =
        Vec::<Capability>::from(grants.clone()).iter().map(ToString::to_string).collect();
    lines.join(", ")
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use crate::grants::NarrowedTool;
    use palyra_common::{OperatorGrants, PluginCapabilityProfile, WasmPluginRunnerPolicy};
    use proptest::prelude::*;

    fn grant() -> impl Strategy<Value = Capability> {
        let texts = [
            "http:https://a.example",
            "http:GET https://*.a.example/x/*",
            "secret:global/a reveal",
            "secret:global/a hosts=a.example inject=bearer",
            "storage:a/",
            "storage-read:a/",
            "storage:a/b/ bytes=1",
            "channel:x",
            "fs-read:docs",
            "fs-write:docs",
            "fs-read:docs=/srv/a",
            "fs-write:docs=/srv/b",
            "fs-write:out=/srv/out",
        ];
        prop::sample::select(texts.to_vec()).prop_map(|text| text.parse().unwrap())
    }

    fn grants() -> impl Strategy<Value = CapabilityGrantSet> {
        prop::collection::vec(grant(), 0..8).prop_map(|list| list.into_iter().collect())
    }

    fn profile() -> impl Strategy<Value = PluginCapabilityProfile> {
        (prop::option::of(grants()), any::<bool>()).prop_map(|(grants, maps)| {
            let mut profile = PluginCapabilityProfile { grants, ..PluginCapabilityProfile::default() };
            if maps {
                profile.directories.insert("docs".parse().unwrap(), "/srv/profile".into());
            }
            profile
        })
    }

    fn policy() -> impl Strategy<Value = WasmPluginRunnerPolicy> {
        (prop::option::of(any::<bool>()), prop::option::of(any::<bool>())).prop_map(|(hosts, secrets)| {
            let list = |some: bool, text: &str| if some { vec![text.to_owned()] } else { Vec::new() };
            WasmPluginRunnerPolicy {
                allowed_http_hosts: hosts
                    .map(|some| list(some, "b.a.example").iter().map(|host| host.parse().unwrap()).collect()),
                allowed_secrets: secrets
                    .map(|some| list(some, "global/a").iter().map(|name| name.parse().unwrap()).collect()),
                allowed_storage_prefixes: hosts
                    .map(|some| list(some, "a/b/").iter().map(|name| name.parse().unwrap()).collect()),
                allowed_channels: secrets
                    .map(|some| list(some, "x").iter().map(|name| name.parse().unwrap()).collect()),
                ..WasmPluginRunnerPolicy::default()
            }
        })
    }

    proptest! {
        #[test]
        fn grants_never_exceed_any_authority(
            manifest in grants(), tool in prop::option::of(grants()), consent in grants(), profile in profile(),
            policy in policy(), operator in grants()
        ) {
            let narrowed = tool.map(|grants| NarrowedTool { id: "acme.notes.list", grants });
            let operator = OperatorGrants { capabilities: operator, allow_addresses: Vec::new() };
            let authorities = Authorities {
                skill_id: "acme.notes", asked: &manifest, narrowed: narrowed.clone(), consented: Some(&consent),
                profile: &profile, policy: &policy, operator: &operator,
            };
            let effective = authorities.effective();
            let grants = &*effective.grants;
            prop_assert!(grants.is_within(&manifest) && grants.is_within(&consent));
            if let Some(tool) = &narrowed {
                prop_assert!(grants.is_within(&tool.grants));
            }
            if let Some(bound) = &profile.grants {
                prop_assert!(grants.is_within(bound));
            }
            prop_assert_eq!(&policy.narrow(grants), grants);
            prop_assert!(grants.filesystem().iter().all(|grant| grant.directory().is_some()));
            for one in &effective.derivations {
                prop_assert!(one.given.is_within(&CapabilityGrantSet::from_iter([one.asked.clone()])));
                let refused = one.steps.last().is_some_and(|step| step.verdict == GrantVerdict::Refused);
                prop_assert_eq!(refused, one.given.is_empty());
                prop_assert_eq!(one.refusal().is_none(), one.steps.iter().all(|s| s.verdict == GrantVerdict::Granted));
            }
        }
    }

    #[test]
    fn each_authority_is_named_when_it_says_no() {
        let set = |lines: &[&str]| lines.iter().map(|line| line.parse::<Capability>().unwrap()).collect();
        let (asked, agreed): (CapabilityGrantSet, CapabilityGrantSet) = (
            set(&["channel:a", "channel:b", "channel:c", "channel:d", "fs-read:docs"]),
            set(&["channel:a", "channel:b", "channel:c", "fs-read:docs"]),
        );
        let profile = PluginCapabilityProfile::parse(["channel:a", "channel:b", "fs-read:docs"]).unwrap();
        let policy = WasmPluginRunnerPolicy {
            allowed_channels: Some(vec!["a".parse().unwrap()]),
            ..WasmPluginRunnerPolicy::default()
        };
        let authorities = Authorities {
            skill_id: "acme.notes",
            asked: &asked,
            narrowed: None,
            consented: Some(&agreed),
            profile: &profile,
            policy: &policy,
            operator: &OperatorGrants::default(),
        };
        let effective = authorities.effective();
        assert_eq!(*effective.grants, set(&["channel:a"]));
        let who = |text: &str| {
            let one = effective.derivations.iter().find(|one| one.asked.to_string() == text).unwrap();
            one.refusal().map(|step| (step.by, step.reason.as_str()))
        };
        assert_eq!(who("channel:a"), None);
        assert_eq!(
            who("channel:b"),
            Some((GrantAuthority::Policy, "the policy for every run does not allow it"))
        );
        assert_eq!(who("channel:c").unwrap().0, GrantAuthority::Profile);
        assert_eq!(who("channel:d"), Some((GrantAuthority::Consent, "consent does not cover it")));
        assert_eq!(who("fs-read:docs").unwrap().1, "no directory is mapped to the root `docs`");
    }
    #[test]
    fn tool_that_narrows_is_named_with_what_it_leaves() {
        let set = |lines: &[&str]| lines.iter().map(|line| line.parse::<Capability>().unwrap()).collect();
        let asked: CapabilityGrantSet = set(&["storage:notes/", "channel:news"]);
        let grants = set(&["storage-read:notes/"]);
        let authorities = Authorities {
            skill_id: "acme.notes",
            asked: &asked,
            narrowed: Some(NarrowedTool { id: "acme.notes.list", grants }),
            consented: Some(&asked),
            profile: &PluginCapabilityProfile::default(),
            policy: &WasmPluginRunnerPolicy::default(),
            operator: &OperatorGrants::default(),
        };
        let effective = authorities.effective();
        assert_eq!(*effective.grants, set(&["storage-read:notes/"]));
        let step = |text: &str| {
            let one = effective.derivations.iter().find(|one| one.asked.to_string() == text).unwrap();
            one.refusal().map(|step| (step.by, step.verdict, step.reason.as_str())).unwrap()
        };
        let narrowed =
            (GrantAuthority::Tool, GrantVerdict::Narrowed, "less than requested: storage-read:notes/");
        assert_eq!(step("storage:notes/"), narrowed);
        let left_out = "the tool `acme.notes.list` leaves it out";
        assert_eq!(step("channel:news"), (GrantAuthority::Tool, GrantVerdict::Refused, left_out));
    }
}
