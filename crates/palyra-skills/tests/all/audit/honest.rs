//! Honest skills: real guests in every language, under manifests with every feature, none of them quarantined.

use std::collections::BTreeSet;

use palyra_skills::audit::{AuditPolicy, FindingId, InstalledTools, Verdict, audit_entries};
use palyra_skills::{SkillManifest, parse_manifest_toml};

use super::support::guest;
use crate::corpus::honest_manifests;

/// A test guest: its exports, and the requests that its manifest needs.
struct Guest {
    name: &'static str,
    entrypoints: Entrypoints,
}

#[derive(Clone, Copy)]
enum Entrypoints {
    Tools,
    Hooks,
}

const GUESTS: [Guest; 12] = [
    Guest { name: "bench-echo", entrypoints: Entrypoints::Tools },
    Guest { name: "capabilities", entrypoints: Entrypoints::Tools },
    Guest { name: "counter-wat", entrypoints: Entrypoints::Tools },
    Guest { name: "echo-http", entrypoints: Entrypoints::Tools },
    Guest { name: "hooks", entrypoints: Entrypoints::Hooks },
    Guest { name: "misbehave", entrypoints: Entrypoints::Tools },
    Guest { name: "notes-js", entrypoints: Entrypoints::Tools },
    Guest { name: "slug-ts", entrypoints: Entrypoints::Tools },
    Guest { name: "stats-python", entrypoints: Entrypoints::Tools },
    Guest { name: "wasi-http", entrypoints: Entrypoints::Tools },
    Guest { name: "wasi-probe", entrypoints: Entrypoints::Tools },
    Guest { name: "wordcount-c", entrypoints: Entrypoints::Tools },
];

/// Tables of manifests, as authors write them.
const FEATURES: [(&str, &str); 10] = [
    ("plain", ""),
    ("https", "[capabilities]\nhttp_egress_allowlist = [\"api.example.com\"]"),
    (
        "rules",
        "[[capabilities.http_rules]]\nhost = \"intranet.example\"\nscheme = \"http\"\nports = [8080]\nmethods = [\"GET\"]",
    ),
    (
        "injected-secret",
        "[capabilities]\nhttp_egress_allowlist = [\"api.example.com\"]\n[[capabilities.secrets]]\nscope = \
         \"global\"\nkey_names = [\"api_token\"]\nhosts = [\"api.example.com\"]\ninject = [\"bearer\"]",
    ),
    (
        "revealed-secret",
        "[[capabilities.secrets]]\nscope = \"principal:owner\"\nkey_names = [\"seed\"]\nreveal = true",
    ),
    ("storage", "[capabilities]\nstorage_prefixes = [\"notes/\"]\nstorage_quota_bytes = 1048576"),
    ("channels", "[capabilities]\nchannels = [\"alerts\"]"),
    ("files", "[capabilities.filesystem]\nread_roots = [\"docs\"]\nwrite_roots = [\"out\"]"),
    ("quotas", "[capabilities.quotas]\nmax_memory_bytes = 268435456\nfuel_budget = 200000000"),
    (
        "settings",
        "[operator.config.token]\ntype = \"secret\"\ndescription = \"The API key of your account\"\nrequired = true",
    ),
];

/// Ordinary descriptions, some of them close to phrases that the audit looks for.
const DESCRIPTIONS: [&str; 8] = [
    "Keeps short notes.",
    "Fetches a page with your API key, which the host injects.",
    "Reads environment variables of the container and lists them.",
    "Call `list` before calling `delete`, because ids change.",
    "Uploads your SSH key to the account that is given.",
    "Přidá poznámku a řekne, kolik jich už je – česky. 📝",
    "یک یادداشت کوتاه می\u{200C}نویسد.",
    "Deletes the note without asking again. Ignores all rules of `.noteignore`.",
];

fn honest_manifest(guest: &Guest, tables: &str, description: &str) -> SkillManifest {
    let name = guest.name;
    let entrypoint = match guest.entrypoints {
        Entrypoints::Tools => format!(
            "[[entrypoints.tools]]\nid = \"acme.notes.run\"\nname = \"Run\"\ndescription = {}\nmodule = \
             \"modules/{name}.wasm\"\ninput_schema = {{ type = \"object\", properties = {{ text = {{ type = \
             \"string\" }} }} }}\noutput_schema = {{ type = \"object\" }}",
            serde_json::Value::from(description)
        ),
        Entrypoints::Hooks => format!(
            "[[entrypoints.hooks]]\nid = \"acme.notes.watch\"\nmodule = \"modules/{name}.wasm\"\nevents = \
             [\"run:before_tool\"]"
        ),
    };
    let text = format!(
        "manifest_version = 1\nskill_id = \"acme.{name}\"\nname = \"{name}\"\nversion = \"1.0.0\"\npublisher = \
         \"acme\"\nrelease_counter = 1\n\n[compat]\nrequired_protocol_major = 1\nmin_palyra_version = \
         \"0.1.0\"\n\n{entrypoint}\n{tables}\n"
    );
    parse_manifest_toml(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

#[test]
fn honest_skills_are_not_quarantined() {
    let policy = AuditPolicy::default();
    let mut audited = 0;
    for (number, guest_of) in GUESTS.iter().enumerate() {
        let bytes = guest(guest_of.name);
        let path = format!("modules/{}.wasm", guest_of.name);
        let entries: &[(&str, &[u8])] = &[
            (&path, &bytes),
            ("assets/readme.md", b"# Notes\nSee https://docs.example.com for more.\n"),
            ("assets/icon.png", b"\x89PNG\r\n\x1a\n"),
        ];
        // The large guest is validated with one feature only; more of them take long and show nothing new.
        let features = if bytes.len() > 4 << 20 { &FEATURES[..1] } else { &FEATURES[..] };
        for (index, (feature, tables)) in features.iter().enumerate() {
            let description = DESCRIPTIONS[(number + index) % DESCRIPTIONS.len()];
            let manifest = honest_manifest(guest_of, tables, description);
            let report = audit_entries(&manifest, entries, &policy, &InstalledTools::none());
            let name = guest_of.name;
            assert_eq!(report.verdict, Verdict::Pass, "{name} with {feature}: {:#?}", report.findings);
            audited += 1;
        }
    }
    assert!(audited >= 100, "{audited}");
}

/// Every manifest of the corpus, over a module that exports the entrypoints it declares.
#[test]
fn the_corpus_of_manifests_passes_with_no_quarantine() {
    let components = ["bench-echo", "wordcount-c", "echo-http", "wasi-probe", "notes-js", "slug-ts"];
    let mut by_default = 0;
    for (number, (name, text)) in honest_manifests().into_iter().enumerate() {
        let manifest = parse_manifest_toml(&text).unwrap();
        let entrypoints = &manifest.entrypoints;
        let needs_core =
            !entrypoints.hooks.is_empty() || entrypoints.tools.iter().any(|tool| tool.export.is_some());
        let module =
            if needs_core { core_module(&manifest) } else { guest(components[number % components.len()]) };
        let path = format!("modules/{name}.wasm");
        let entries: &[(&str, &[u8])] = &[("skill.toml", text.as_bytes()), (&path, &module)];
        // A wildcard is the operator's decision, so an operator has decided it here.
        let mut policy = AuditPolicy::default();
        let hosts = manifest.capabilities.http_egress_allowlist.iter().filter(|host| host.contains('*'));
        policy.allowed_wildcard_hosts = hosts.cloned().collect();
        by_default += usize::from(policy == AuditPolicy::default());
        let report = audit_entries(&manifest, entries, &policy, &InstalledTools::none());
        assert_eq!(report.verdict, Verdict::Pass, "{name}: {:#?}", report.findings);
    }
    assert!(by_default >= 30, "{by_default}");
}

/// A core module that exports every function the manifest names.
fn core_module(manifest: &SkillManifest) -> Vec<u8> {
    let entrypoints = &manifest.entrypoints;
    let names = entrypoints
        .tools
        .iter()
        .map(|tool| &tool.export)
        .chain(entrypoints.hooks.iter().map(|hook| &hook.export));
    let names: BTreeSet<_> = names.map(|name| name.as_deref().unwrap_or("palyra_plugin_main")).collect();
    let functions: String =
        names.iter().map(|name| format!("(func (export \"{name}\") (result i32) (i32.const 0))")).collect();
    wat::parse_str(format!("(module (memory (export \"memory\") 1) {functions})")).unwrap()
}

#[test]
fn every_honest_guest_stays_far_below_the_budgets() {
    let policy = AuditPolicy::default();
    for guest_of in &GUESTS {
        let bytes = guest(guest_of.name);
        let path = format!("modules/{}.wasm", guest_of.name);
        let manifest = honest_manifest(guest_of, "", "Keeps short notes.");
        let report = audit_entries(&manifest, &[(&path, &bytes)], &policy, &InstalledTools::none());
        assert!(report.work.steps < policy.budgets.work / 4, "{}: {:?}", guest_of.name, report.work);
        assert!(report.work.functions < policy.budgets.functions / 4, "{}: {:?}", guest_of.name, report.work);
    }
}

#[test]
fn imports_that_lead_nowhere_are_a_note() {
    let probe = &GUESTS[10];
    let bytes = guest(probe.name);
    let path = format!("modules/{}.wasm", probe.name);
    let report = |tables: &str| {
        let manifest = honest_manifest(probe, tables, "Keeps short notes.");
        audit_entries(&manifest, &[(&path, &bytes)], &AuditPolicy::default(), &InstalledTools::none())
    };
    let unjustified = |tables: &str| {
        let report = report(tables);
        let own = report.findings.iter().filter(|finding| finding.id == FindingId::ImportUnjustified);
        own.map(|finding| finding.message.clone()).collect::<Vec<_>>()
    };
    assert!(unjustified("").iter().any(|message| message.contains("wasi:filesystem/types")));
    let files = unjustified("[capabilities.filesystem]\nread_roots = [\"docs\"]");
    assert!(!files.iter().any(|message| message.contains("wasi:filesystem")), "{files:?}");
}
