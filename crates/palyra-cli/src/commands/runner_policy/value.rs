//! Parses and formats settings of the runner policy.

use palyra_api::runner_policy::RunnerPolicy;
use palyra_common::byte_size::parse_byte_size;
use std::str::FromStr;

/// Word for the ceiling of the sandbox itself.
const MOST: &str = "most";
/// Word for an unrestricted list.
const ANY: &str = "any";

type List = Option<Vec<String>>;

/// A setting and its new value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Assignment {
    Switch(Switch, bool),
    Ceiling(Ceiling, Option<u64>),
    Names(Names, List),
}

/// Declares a table of setting names with their fields.
macro_rules! settings {
    ($kind:ident: $value:ty, $($variant:ident = $field:ident),+ $(,)?) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(super) enum $kind { $($variant),+ }

        impl $kind {
            const ALL: &'static [Self] = &[$(Self::$variant),+];

            const fn name(self) -> &'static str {
                match self { $(Self::$variant => stringify!($field)),+ }
            }

            fn of(self, policy: &mut RunnerPolicy) -> &mut $value {
                match self { $(Self::$variant => &mut policy.$field),+ }
            }

            fn named(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|one| one.name() == name)
            }
        }
    };
}

settings! { Switch: bool, Enabled = enabled, AllowInlineModules = allow_inline_modules }
settings! {
    Ceiling: Option<u64>,
    ModuleBytes = max_module_bytes,
    Fuel = fuel_budget,
    MemoryBytes = max_memory_bytes,
    TableElements = max_table_elements,
    Instances = max_instances,
    Timeout = wall_clock_timeout_ms,
}
settings! {
    Names: List,
    HttpHosts = allowed_http_hosts,
    Secrets = allowed_secrets,
    StoragePrefixes = allowed_storage_prefixes,
    Channels = allowed_channels,
}

impl Assignment {
    /// Sets the value in a policy.
    pub(super) fn apply(&self, policy: &mut RunnerPolicy) {
        match self {
            Self::Switch(switch, value) => *switch.of(policy) = *value,
            Self::Ceiling(ceiling, value) => *ceiling.of(policy) = *value,
            Self::Names(names, value) => names.of(policy).clone_from(value),
        }
    }
}

impl FromStr for Assignment {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, value) = text.split_once('=').ok_or("write it like `allow_inline_modules=true`")?;
        if let Some(switch) = Switch::named(name) {
            let value = value.parse().map_err(|_| format!("`{name}` expects `true` or `false`"))?;
            return Ok(Self::Switch(switch, value));
        }
        if let Some(ceiling) = Ceiling::named(name) {
            return Ok(Self::Ceiling(ceiling, number(ceiling, value)?));
        }
        if let Some(list) = Names::named(name) {
            return Ok(Self::Names(list, listed(value)));
        }
        Err(format!("unknown setting: choose from {}", all_names().join(", ")))
    }
}

/// Formats every setting as one line, in the form that `set` accepts.
pub(super) fn shown(policy: &RunnerPolicy) -> String {
    let mut policy = policy.clone();
    let switches: Vec<_> =
        Switch::ALL.iter().map(|one| (one.name(), one.of(&mut policy).to_string())).collect();
    let ceiling = |value: &Option<u64>| value.map_or_else(|| MOST.to_owned(), |value| value.to_string());
    let ceilings: Vec<_> =
        Ceiling::ALL.iter().map(|one| (one.name(), ceiling(one.of(&mut policy)))).collect();
    let list = |value: &List| value.as_ref().map_or_else(|| ANY.to_owned(), |names| names.join(","));
    let lists: Vec<_> = Names::ALL.iter().map(|one| (one.name(), list(one.of(&mut policy)))).collect();
    [switches, ceilings, lists].concat().iter().map(|(name, value)| format!("{name}={value}\n")).collect()
}

fn number(ceiling: Ceiling, text: &str) -> Result<Option<u64>, String> {
    if text == MOST {
        return Ok(None);
    }
    let read = match ceiling {
        Ceiling::ModuleBytes | Ceiling::MemoryBytes => parse_byte_size(text).ok(),
        _ => text.parse().ok(),
    };
    read.map(Some).ok_or_else(|| format!("`{}` expects a number or `{MOST}`", ceiling.name()))
}

fn listed(text: &str) -> List {
    (text != ANY).then(|| text.split(',').filter(|name| !name.is_empty()).map(str::to_owned).collect())
}

fn all_names() -> Vec<&'static str> {
    let switches = Switch::ALL.iter().map(|one| one.name());
    let ceilings = Ceiling::ALL.iter().map(|one| one.name());
    switches.chain(ceilings).chain(Names::ALL.iter().map(|one| one.name())).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_can_be_given_again() {
        let mut policy = RunnerPolicy::default();
        for text in [
            "allow_inline_modules=true",
            "fuel_budget=7",
            "max_memory_bytes=1MiB",
            "allowed_http_hosts=a.test,b.test",
            "allowed_secrets=",
        ] {
            text.parse::<Assignment>().unwrap().apply(&mut policy);
        }
        assert_eq!((policy.fuel_budget, policy.max_memory_bytes), (Some(7), Some(1 << 20)));
        assert_eq!(policy.allowed_secrets, Some(vec![]));
        let mut again = RunnerPolicy::default();
        for line in shown(&policy).lines() {
            line.parse::<Assignment>().unwrap().apply(&mut again);
        }
        assert_eq!(again, policy);
    }

    #[test]
    fn unreadable_value_lists_the_choices() {
        for (text, expected) in [
            ("enabled", "write it like"),
            ("enabled=yes", "`true` or `false`"),
            ("fuel_budget=-1", "a number or `most`"),
            ("colour=red", "choose from enabled, allow_inline_modules"),
        ] {
            assert!(text.parse::<Assignment>().unwrap_err().contains(expected), "{text}");
        }
    }
}
