//! Everything that can refuse a call of an installed tool, with its hint.

/// Transport of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Transport {
    Cli,
    Http,
    Grpc,
    Mcp,
}

pub(super) const TRANSPORTS: [Transport; 4] =
    [Transport::Cli, Transport::Http, Transport::Grpc, Transport::Mcp];

/// Authority that refuses a capability or limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Manifest,
    Consent,
    Profile,
    Policy,
    RunnerPolicy,
    Call,
}

pub(super) const PLACES: [Place; 6] =
    [Place::Manifest, Place::Consent, Place::Profile, Place::Policy, Place::RunnerPolicy, Place::Call];

/// Refused capability or limit; each is a tool of the skill, `fuel` by its limit.
pub(super) const KINDS: [&str; 6] = ["http", "secret", "storage", "channel", "fuel", "filesystem"];

/// The way to cause a refusal.
#[derive(Debug, Clone, Copy)]
pub(super) enum Change {
    /// Refused by settings; the hint is a command or a limit.
    Settings {
        set: &'static [&'static [&'static str]],
        /// Commands that undo the settings.
        reset: &'static [&'static [&'static str]],
        code: &'static str,
        hint: &'static str,
    },
    /// Refused by the release; the hint is the line that a corrected release needs.
    Release(&'static str),
    /// Covered by another test.
    Elsewhere,
    /// Never refused here, for this reason.
    Never(&'static str),
}

/// One kind of refusal by one authority.
pub(super) struct Cell {
    pub(super) kind: &'static str,
    pub(super) place: Place,
    pub(super) change: Change,
}

impl Cell {
    /// Returns why the refusal cannot occur on a transport.
    pub(super) fn impossible(&self, transport: Transport) -> Option<&'static str> {
        let never = (self.place, transport) == (Place::Call, Transport::Mcp);
        never.then_some("an MCP client names no limits")
    }

    /// Returns the limits of the call.
    pub(super) fn limits(&self) -> Vec<String> {
        match self.place {
            Place::Call => vec!["fuel=300".to_owned()],
            _ => Vec::new(),
        }
    }

    pub(super) fn manifest_line(&self) -> Option<&'static str> {
        match self.change {
            Change::Release(line) => Some(line),
            _ => None,
        }
    }
}

const DENIED: &str = "capability_denied";
const OVER: &str = "quota_exceeded";
const PROFILE: &str = "palyra plugins profile set";
const RUNNER_POLICY: &str = "palyra runner-policy set";
const RESET_PROFILE: &[&[&str]] = &[&["plugins", "profile", "remove", "acme.relay"]];

const CONSENT_IS_WHOLE: Change = Change::Never("consent covers the whole release and withholds only secrets");
const POLICY_IS_OF_CALLS: Change = Change::Never(
    "the access policy decides about whole calls; its rule names itself, and no command can guess its change",
);
const CALLS_ADD_NOTHING: Change = Change::Never("a call adds no capability to what the manifest asks for");

const THE_OPERATOR_NAMES_IT: Change = Change::Never(
    "the operator names the directory, so that the hint has a word to fill in and cannot be pasted",
);

macro_rules! cells {
    ($($kind:literal $place:ident $change:expr;)*) => {
        &[$(Cell { kind: $kind, place: Place::$place, change: $change }),*]
    };
}

/// Returns a refusal by a profile with another grant only.
const fn by_profile() -> Change {
    Change::Settings {
        set: &[&["plugins", "profile", "set", "acme.relay", "--only", "--grant", "storage:notes/"]],
        reset: RESET_PROFILE,
        code: DENIED,
        hint: PROFILE,
    }
}

const fn by_policy(
    set: &'static [&'static [&'static str]],
    reset: &'static [&'static [&'static str]],
) -> Change {
    Change::Settings { set, reset, code: DENIED, hint: RUNNER_POLICY }
}

pub(super) const CELLS: &[Cell] = cells! {
    "http" Manifest Change::Release("[[capabilities.http_rules]]");
    "http" Consent CONSENT_IS_WHOLE;
    "http" Profile by_profile();
    "http" Policy POLICY_IS_OF_CALLS;
    "http" RunnerPolicy by_policy(&[&["runner-policy", "set", "allowed_http_hosts="]], &[&["runner-policy", "reset"]]);
    "http" Call CALLS_ADD_NOTHING;

    "secret" Manifest Change::Release("[[capabilities.secrets]]");
    "secret" Consent Change::Elsewhere;
    "secret" Profile by_profile();
    "secret" Policy POLICY_IS_OF_CALLS;
    "secret" RunnerPolicy by_policy(&[&["runner-policy", "set", "allowed_secrets="]], &[&["runner-policy", "reset"]]);
    "secret" Call CALLS_ADD_NOTHING;

    "storage" Manifest Change::Release("capabilities.storage_prefixes");
    "storage" Consent CONSENT_IS_WHOLE;
    "storage" Profile Change::Settings {
        set: &[&["plugins", "profile", "set", "acme.relay", "--only", "--grant", "channel:alerts"]],
        reset: RESET_PROFILE,
        code: DENIED,
        hint: PROFILE,
    };
    "storage" Policy POLICY_IS_OF_CALLS;
    "storage" RunnerPolicy
        by_policy(&[&["runner-policy", "set", "allowed_storage_prefixes="]], &[&["runner-policy", "reset"]]);
    "storage" Call CALLS_ADD_NOTHING;

    "channel" Manifest Change::Release("capabilities.channels");
    "channel" Consent CONSENT_IS_WHOLE;
    "channel" Profile by_profile();
    "channel" Policy POLICY_IS_OF_CALLS;
    "channel" RunnerPolicy by_policy(&[&["runner-policy", "set", "allowed_channels="]], &[&["runner-policy", "reset"]]);
    "channel" Call CALLS_ADD_NOTHING;

    "fuel" Manifest Change::Release("`fuel_budget` under `[capabilities.quotas]`");
    "fuel" Consent Change::Never("limits are agreed to with the release");
    "fuel" Profile Change::Settings {
        set: &[&["plugins", "profile", "set", "acme.relay", "--limit", "fuel=300"]],
        reset: RESET_PROFILE,
        code: OVER,
        hint: PROFILE,
    };
    "fuel" Policy POLICY_IS_OF_CALLS;
    "fuel" RunnerPolicy Change::Settings {
        set: &[&["runner-policy", "set", "fuel_budget=300"]],
        reset: &[&["runner-policy", "reset"]],
        code: OVER,
        hint: RUNNER_POLICY,
    };
    "fuel" Call Change::Settings { set: &[], reset: &[], code: OVER, hint: "--limit fuel=" };

    "filesystem" Manifest THE_OPERATOR_NAMES_IT;
    "filesystem" Consent CONSENT_IS_WHOLE;
    "filesystem" Profile THE_OPERATOR_NAMES_IT;
    "filesystem" Policy POLICY_IS_OF_CALLS;
    "filesystem" RunnerPolicy Change::Never("the policy for every run has no list of directories");
    "filesystem" Call THE_OPERATOR_NAMES_IT;
};
