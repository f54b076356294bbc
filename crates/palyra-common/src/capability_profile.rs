//! Capability profiles: the operator's upper bound for one skill, and the directories of its logical roots.

use crate::capabilities::{FilesystemGrant, GrantSyntaxError, OperatorGrants, RootName};
use crate::limits::{LimitKind, RuntimeLimits};
use crate::runner_policy::BadSetting;
use crate::{Capability, CapabilityGrantSet};
use ipnet::IpNet;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Component, PathBuf};

/// The operator's profile of one skill.
///
/// The default restricts nothing, maps no directory and allows no additional address.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PluginCapabilityProfile {
    /// The upper bound of the grants; `None` restricts nothing, an empty set permits nothing.
    pub grants: Option<CapabilityGrantSet>,
    /// The directory of each logical root. A root without one is inaccessible.
    pub directories: BTreeMap<RootName, PathBuf>,
    /// Private or otherwise blocked address ranges that the skill may connect to.
    pub allow_addresses: Vec<IpNet>,
    /// The upper bound of each limit.
    pub limits: BTreeMap<LimitKind, u64>,
}

impl PluginCapabilityProfile {
    /// Parses grants as written in flags. They are the upper bound; `fs-read:NAME=DIR` also maps a directory, and
    /// `address:RANGE` allows a range.
    pub fn parse<S: AsRef<str>>(grants: impl IntoIterator<Item = S>) -> Result<Self, GrantSyntaxError> {
        let OperatorGrants { capabilities, allow_addresses } = OperatorGrants::parse(grants)?;
        let mut directories = BTreeMap::new();
        let without_directory = |capability: Capability| match capability {
            Capability::Filesystem(grant) => {
                if let Some(directory) = grant.directory() {
                    directories.insert(grant.root.clone(), directory.to_owned());
                }
                Capability::Filesystem(FilesystemGrant::unmapped(grant.access, grant.root))
            }
            other => other,
        };
        let bound = Vec::<Capability>::from(capabilities).into_iter().map(without_directory).collect();
        Ok(Self { grants: Some(bound), directories, allow_addresses, limits: BTreeMap::new() })
    }

    /// Checks that directories are absolute and without `..`, and that limits exist and are positive where required.
    pub fn validate(&self) -> Result<(), BadSetting> {
        for (root, directory) in &self.directories {
            let climbs = directory.components().any(|part| part == Component::ParentDir);
            if !directory.is_absolute() || climbs || directory.to_str().is_none() {
                let found = format!("`{}`", directory.display());
                return Err(BadSetting::new(format!("directories.{root}"), found, "an absolute path"));
            }
        }
        for (kind, value) in &self.limits {
            let field = format!("limits.{kind}");
            if !LimitKind::SETTABLE.contains(kind) {
                return Err(BadSetting::new(field, "an unknown limit", "a known limit"));
            }
            if *value == 0 && kind.must_be_positive() {
                return Err(BadSetting::new(field, "0", "at least 1"));
            }
        }
        Ok(())
    }

    /// Returns the part of a set that this profile permits. Filesystem grants have no directory yet.
    #[must_use]
    pub fn narrow(&self, grants: &CapabilityGrantSet) -> CapabilityGrantSet {
        match &self.grants {
            Some(bound) => grants.intersect(bound),
            None => grants.clone(),
        }
    }

    /// Returns the limits, each reduced to this profile's upper bound.
    #[must_use]
    pub fn cap(&self, limits: &RuntimeLimits) -> RuntimeLimits {
        self.limits.iter().fold(limits.clone(), |limits, (kind, most)| limits.capped_at(*kind, *most))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_profile_reads_the_grammar_of_flags_and_reads_itself_back() {
        let lines = ["fs-write:out=/srv/out", "channel:alerts", "address:10.0.0.0/8"];
        let profile = PluginCapabilityProfile::parse(lines).unwrap();
        let bound: Vec<String> = Vec::<Capability>::from(profile.grants.clone().unwrap())
            .iter()
            .map(ToString::to_string)
            .collect();
        assert_eq!(bound, ["channel:alerts", "fs-write:out"]);
        assert_eq!(profile.directories[&"out".parse::<RootName>().unwrap()], PathBuf::from("/srv/out"));
        assert_eq!(profile.allow_addresses.len(), 1);
        assert!(profile.validate().is_ok());
        let text = serde_json::to_string(&profile).unwrap();
        assert_eq!(serde_json::from_str::<PluginCapabilityProfile>(&text).unwrap(), profile);
    }

    #[test]
    fn relative_directories_and_empty_limits_are_refused() {
        let mut profile = PluginCapabilityProfile::default();
        profile.directories.insert("out".parse().unwrap(), "srv/out".into());
        assert_eq!(profile.validate().unwrap_err().field, "directories.out");
        let mut profile = PluginCapabilityProfile::default();
        profile.limits.insert(LimitKind::Fuel, 0);
        assert_eq!(profile.validate().unwrap_err().field, "limits.fuel");
        profile.limits = BTreeMap::from([(LimitKind::Stack, 9)]);
        assert!(profile.validate().is_err());
        profile.limits = BTreeMap::from([(LimitKind::Fuel, 9)]);
        assert_eq!(profile.cap(&RuntimeLimits::default()).fuel_budget, 9);
    }
}
