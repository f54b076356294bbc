//! Audit findings: the table of rules, and a finding as plain data.

pub use palyra_common::model::audit::{Certainty, FindingEffect as Effect, Severity};

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// One match of an audit rule.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Finding {
    /// The rule that matched.
    pub id: FindingId,
    /// Location: an entry of the archive, or a pointer into `skill.toml`.
    pub subject: String,
    /// The severity of the rule.
    pub severity: Severity,
    /// The certainty of the rule.
    pub certainty: Certainty,
    /// The effect under the audit policy.
    pub effect: Effect,
    /// Whether an operator cannot accept it.
    pub hard: bool,
    /// The failed check, with what was found and what was expected.
    pub message: String,
    /// The matching bytes, clipped, with credentials shortened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<String>,
    /// Advice for the author of the skill.
    pub remedy: String,
    /// How an operator can silence it, or that this is impossible.
    pub silence: String,
}

impl Finding {
    /// Returns whether the finding prevents the skill from running.
    #[must_use]
    pub fn quarantines(&self) -> bool {
        self.effect >= Effect::Quarantine
    }
}

/// The default settings of one rule.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// How harmful a match is.
    pub severity: Severity,
    /// How likely a match is correct.
    pub certainty: Certainty,
    /// The effect, unless the policy sets another one.
    pub effect: Effect,
    /// Whether neither policy nor operator can change the effect.
    pub hard: bool,
    /// Advice for the author of the skill.
    pub remedy: &'static str,
}

macro_rules! rules {
    ($( $(#[doc = $doc:literal])* $variant:ident = $name:literal,
        $severity:ident $certainty:ident $effect:ident $hard:ident, $remedy:literal; )*) => {
        /// The audit rules, identified by their stable names.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum FindingId {
            $( $(#[doc = $doc])* #[serde(rename = $name)] $variant, )*
        }

        impl FindingId {
            /// Every rule, in the order of the table.
            pub const ALL: &'static [Self] = &[$( Self::$variant, )*];

            /// Returns the stable name, used in reports and policies.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $( Self::$variant => $name, )* }
            }

            /// Returns the default settings of the rule.
            #[must_use]
            pub const fn rule(self) -> Rule {
                match self { $( Self::$variant => Rule {
                    severity: Severity::$severity,
                    certainty: Certainty::$certainty,
                    effect: Effect::$effect,
                    hard: rules!(@ $hard),
                    remedy: $remedy,
                }, )* }
            }
        }
    };
    (@ hard) => { true };
    (@ soft) => { false };
}

rules! {
    /// Text with characters a reader cannot see.
    UnicodeText = "unicode-text", High Certain Refuse hard,
        "remove the named character";
    /// Text for a model that is not UTF-8.
    TextNotUtf8 = "text-not-utf8", Medium Certain Refuse hard,
        "save the file as UTF-8";
    /// More text for a model than the audit policy allows.
    TextTooLong = "text-too-long", Medium Certain Quarantine hard,
        "shorten the descriptions, or move reference text out of `assets/prompts/`";
    /// Text that gives a model instructions beyond the use of the tool.
    TextInstructions = "text-instructions", High Likely Quarantine soft,
        "describe what the tool does; omit instructions to the reader";
    /// Text that tells a model to hide something from the user.
    TextConcealment = "text-concealment", High Likely Quarantine soft,
        "remove the request to hide something, or the hidden part";
    /// Text that requests credentials or private files.
    TextCredentialRequest = "text-credential-request", High Likely Quarantine soft,
        "request the secret in `[[capabilities.secrets]]`; the host injects it and the model never sees it";
    /// A phrase that is suspicious but common.
    TextSuspicious = "text-suspicious", Low Possible Note soft,
        "rephrase it if it is not an instruction to the model";
    /// Two tools with one id.
    ToolIdDuplicate = "tool-id-duplicate", High Certain Refuse hard,
        "give each tool a unique id";
    /// A tool id that looks like the id of an installed tool.
    ToolIdConfusable = "tool-id-confusable", High Likely Quarantine soft,
        "choose an id that differs in more than look-alike letters and separators";
    /// A module that is not binary WebAssembly.
    ModuleNotWasm = "module-not-wasm", High Certain Refuse hard,
        "put binary WebAssembly into `modules/`";
    /// A module that the engine would reject.
    ModuleInvalid = "module-invalid", High Certain Refuse hard,
        "rebuild it without proposals that the engine lacks";
    /// A custom section that no toolchain writes.
    CustomSection = "custom-section", Medium Certain Quarantine soft,
        "remove it, for example with `wasm-tools strip --all`";
    /// A module that no entrypoint uses.
    ModuleUnused = "module-unused", Info Certain Note soft,
        "use it in an entrypoint, or remove it";
    /// A memory or table with 64-bit indices.
    ModuleMemory64 = "module-memory64", High Certain Quarantine hard,
        "rebuild it for 32-bit memory";
    /// Memory shared between threads.
    ModuleSharedMemory = "module-shared-memory", High Certain Quarantine hard,
        "rebuild it without threads";
    /// A module with more than one memory.
    ModuleMultiMemory = "module-multi-memory", Info Certain Note soft,
        "none needed; all memories count together";
    /// A start function, which runs before the entrypoint.
    ModuleStart = "module-start", Low Certain Note soft,
        "none needed; it runs in each call, under the call's limits";
    /// More initial memory than the quotas of the skill allow.
    MemoryOverQuota = "memory-over-quota", Medium Certain Note soft,
        "raise `max_memory_bytes` in `[capabilities.quotas]`, or the tool cannot start";
    /// A count or size over its budget, which would make validation or compilation slow.
    BudgetExceeded = "budget-exceeded", High Certain Quarantine hard,
        "optimise for size, strip names and debug information, or split the module";
    /// An import from outside the contract.
    ImportForbidden = "import-forbidden", High Certain Quarantine hard,
        "import only `palyra:plugin/*` and the WASI 0.2 interfaces of the guide";
    /// An import of the contract with another type.
    ImportWrongType = "import-wrong-type", High Certain Quarantine hard,
        "rebuild it with the bindings of this contract version";
    /// An import of the contract that no requested capability needs.
    ImportUnjustified = "import-unjustified", Low Possible Note soft,
        "none needed if a toolchain adds it; the capability stays denied";
    /// An entrypoint whose export does not exist.
    EntrypointMissing = "entrypoint-missing", High Certain Quarantine soft,
        "export what `skill.toml` names, or change the entrypoint";
    /// An entrypoint whose export has another type than the contract.
    EntrypointWrongType = "entrypoint-wrong-type", High Certain Quarantine soft,
        "export it with the type of the contract";
    /// A function that is exported but not declared as an entrypoint.
    ExportUndeclared = "export-undeclared", Medium Certain Quarantine soft,
        "stop exporting it, or declare an entrypoint for it";
    /// A native program inside the skill.
    EmbeddedExecutable = "embedded-executable", High Likely Quarantine soft,
        "remove native programs; nothing can run them here";
    /// WebAssembly inside an asset or a data segment.
    EmbeddedWasm = "embedded-wasm", High Likely Quarantine soft,
        "put modules into `modules/`, where they are audited";
    /// An archive inside the skill.
    EmbeddedArchive = "embedded-archive", Low Likely Note soft,
        "unpack it, so that its contents can be audited";
    /// The first line of a private key.
    EmbeddedKeyHeader = "embedded-key-header", Low Possible Note soft,
        "none needed if it is data of a parser";
    /// A complete credential in a module or asset.
    Credential = "credential", Critical Likely Quarantine soft,
        "revoke it, and request it in `[[capabilities.secrets]]` instead";
    /// URLs of hosts that the manifest does not request.
    UrlUndeclared = "url-undeclared", Info Possible Note soft,
        "none needed if they are only text; requests to them are denied";
    /// A wildcard host pattern such as `*.example.com`.
    CapabilityWildcard = "capability-wildcard", High Certain Quarantine soft,
        "list the hosts, or ask operators to add the pattern to `allowed_wildcard_hosts`";
    /// A device that the policy does not allow.
    CapabilityDevice = "capability-device", High Certain Quarantine soft,
        "remove the device, or ask operators to add it to `allowed_devices`";
    /// Requests without TLS, which the network can read and modify.
    CapabilityPlainHttp = "capability-plain-http", Medium Certain Note soft,
        "use https";
    /// A secret that the guest can read.
    CapabilityReveal = "capability-reveal", Medium Certain Note soft,
        "let the host inject it instead, with `hosts` and `inject`";
    /// A dependency with an advisory of high or critical severity.
    DependencyVulnerable = "dependency-vulnerable", High Likely Quarantine soft,
        "update the dependency";
    /// A dependency with an advisory of lower severity.
    DependencyAdvisory = "dependency-advisory", Medium Likely Note soft,
        "update the dependency";
    /// An advisory list or bill of materials that could not be read.
    DependencyUnknown = "dependency-unknown", Low Certain Note soft,
        "use the bill of materials that the packager writes";
}

impl FindingId {
    /// Returns how an operator silences a finding of this rule.
    #[must_use]
    pub fn silence(self) -> String {
        let rule = self.rule();
        match (rule.hard, rule.effect) {
            (true, _) => "cannot be silenced".to_owned(),
            (false, Effect::Note) => format!("set `{self} = \"off\"` under `[rules]` of the audit policy"),
            (false, _) => format!(
                "`palyra skills enable ID --accept {self}` for this skill, or `{self} = \"note\"` under \
                 `[rules]` of the audit policy"
            ),
        }
    }
}

impl fmt::Display for FindingId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// A name that is not an audit rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown audit rule `{0}`")]
pub struct UnknownFinding(pub String);

impl FromStr for FindingId {
    type Err = UnknownFinding;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.iter().copied().find(|id| id.as_str() == name);
        found.ok_or_else(|| UnknownFinding(name.chars().take(64).collect()))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn names_are_kebab_and_read_back() {
        for id in FindingId::ALL {
            assert!(id.as_str().bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-')), "{id}");
            assert_eq!(id.as_str().parse::<FindingId>().unwrap(), *id);
            assert_eq!(serde_json::to_value(id).unwrap(), id.as_str());
        }
        assert!("nothing".parse::<FindingId>().is_err());
    }

    #[test]
    fn import_unicode_and_budget_findings_are_hard() {
        for id in [
            FindingId::ImportForbidden,
            FindingId::ImportWrongType,
            FindingId::UnicodeText,
            FindingId::BudgetExceeded,
        ] {
            assert!(id.rule().hard, "{id}");
            assert!(id.rule().effect >= Effect::Quarantine, "{id}");
        }
    }
}
