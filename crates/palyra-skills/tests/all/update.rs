//! Tests of the differences between two releases, and the consent that they need.

use palyra_common::limits::DEFAULT_STORAGE_BYTES;
use palyra_common::{Capability, CapabilityGrantSet};
use palyra_skills::update::{Change, DiffSection};
use palyra_skills::{SkillManifest, UpdateDiff, capability_grants_from_manifest, parse_manifest_toml};
use proptest::prelude::*;

use crate::corpus::{honest_manifests, manifest_with};

fn parse(text: &str) -> SkillManifest {
    crate::seeds::keep_of_row("u", "skill_manifest", text.as_bytes());
    parse_manifest_toml(text).unwrap_or_else(|error| panic!("{}", error.render()))
}

/// The diff from one set of tables to another.
fn diff(old: &str, new: &str) -> UpdateDiff {
    UpdateDiff::between(&parse(&manifest_with("", old)), &parse(&manifest_with("", new)))
}

#[track_caller]
fn grows(section: DiffSection, old: &str, new: &str) {
    let forward = diff(old, new);
    let rows: Vec<_> = forward.rows.iter().filter(|row| row.change == Change::Growth).collect();
    assert!(rows.iter().any(|row| row.section == section), "{old} → {new}: {forward:?}");
    assert!(forward.needs_consent());
    let back = diff(new, old);
    assert!(back.rows.iter().all(|row| row.change != Change::Growth), "{new} → {old}: {back:?}");
}

const HOST: &str = "[capabilities]\nhttp_egress_allowlist = [\"a.example.com\"]";
const RULE: &str = "[[capabilities.http_rules]]\nhost = \"a.example.com\"\nmethods = [\"GET\"]\npaths = [\"/items/*\"]\nresponse_bytes = 1000";
const SECRET: &str = "[[capabilities.secrets]]\nscope = \"global\"\nkey_names = [\"a\"]\nhosts = [\"a.example.com\"]\ninject = [\"bearer\"]";
const STORAGE: &str = "[capabilities]\nstorage_prefixes = [\"a/\"]";
const TOOL: &str = "[[entrypoints.tools]]\nid = \"acme.notes.more\"\nname = \"More\"\ndescription = \"More.\"\nmodule = \"modules/notes.wasm\"\ninput_schema = { type = \"object\" }\noutput_schema = { }";

#[test]
fn u03_a_new_host_secret_tool_wildcard_or_higher_quota_needs_consent() {
    grows(DiffSection::Http, "", HOST);
    grows(DiffSection::Http, HOST, &HOST.replace("a.example.com\"", "a.example.com\", \"b.example.com\""));
    grows(DiffSection::Http, RULE, &RULE.replace("\"GET\"", "\"GET\", \"POST\""));
    grows(DiffSection::Http, RULE, &RULE.replace("methods = [\"GET\"]\n", ""));
    grows(DiffSection::Http, RULE, &RULE.replace("/items/*", "/items/**"));
    grows(DiffSection::Http, RULE, &RULE.replace("1000", "1001"));
    grows(
        DiffSection::Http,
        RULE,
        &RULE.replace("response_bytes = 1000", "response_bytes = 1000\nports = [443, 8443]"),
    );
    grows(
        DiffSection::Http,
        HOST,
        "[capabilities]\nwildcard_opt_in = true\nhttp_egress_allowlist = [\"*.example.com\"]",
    );
    grows(DiffSection::Devices, HOST, &format!("{HOST}\nwildcard_opt_in = true"));
    grows(DiffSection::Devices, "[capabilities]", "[capabilities]\ndevice_capabilities = [\"camera\"]");
    grows(DiffSection::Secrets, "", SECRET);
    grows(DiffSection::Secrets, SECRET, &SECRET.replace("[\"a\"]", "[\"a\", \"b\"]"));
    grows(
        DiffSection::Secrets,
        SECRET,
        &SECRET.replace("a.example.com\"", "a.example.com\", \"b.example.com\""),
    );
    grows(DiffSection::Secrets, SECRET, &SECRET.replace("\"bearer\"", "\"bearer\", \"basic\""));
    grows(DiffSection::Secrets, SECRET, &format!("{SECRET}\nreveal = true"));
    grows(DiffSection::Storage, "[capabilities]", "[capabilities]\nstorage_prefixes = [\"a/\"]");
    grows(
        DiffSection::Storage,
        "[capabilities]\nstorage_prefixes = [\"a/b/\"]",
        "[capabilities]\nstorage_prefixes = [\"a/\"]",
    );
    grows(
        DiffSection::Storage,
        "[capabilities]\nstorage_prefixes = [\"a/\"]\nstorage_quota_bytes = 10",
        "[capabilities]\nstorage_prefixes = [\"a/\"]\nstorage_quota_bytes = 11",
    );
    grows(DiffSection::Channels, "[capabilities]", "[capabilities]\nchannels = [\"a\"]");
    grows(DiffSection::Filesystem, "", "[capabilities.filesystem]\nread_roots = [\"docs\"]");
    grows(
        DiffSection::Filesystem,
        "[capabilities.filesystem]\nread_roots = [\"docs\"]",
        "[capabilities.filesystem]\nwrite_roots = [\"docs\"]",
    );
    grows(DiffSection::Quotas, "", "[capabilities.quotas]\nfuel_budget = 10000001");
    grows(DiffSection::Quotas, "[capabilities.quotas]\nmax_memory_bytes = 65536", "");
    grows(DiffSection::Tools, "", TOOL);
    grows(
        DiffSection::Hooks,
        "",
        "[[entrypoints.hooks]]\nid = \"acme.x.y\"\nmodule = \"modules/x.wasm\"\nevents = [\"run:failed\"]",
    );
    grows(DiffSection::Config, "", "[operator.config.token]\ntype = \"secret\"");
}

#[test]
fn u03_quota_above_the_default_needs_consent() {
    let quota = |bytes: u64| format!("{STORAGE}\nstorage_quota_bytes = {bytes}");
    assert!(diff(STORAGE, &quota(DEFAULT_STORAGE_BYTES + 1)).needs_consent());
    assert!(!diff(STORAGE, &quota(DEFAULT_STORAGE_BYTES)).needs_consent());
}

#[test]
fn u04_lowered_risk_needs_consent() {
    grows(DiffSection::Tools, "risk = { requires_approval = true }", "");
    grows(DiffSection::Tools, "risk = { requires_approval = true }", "risk = { requires_approval = false }");
    grows(DiffSection::Tools, "risk = { default_sensitive = true }", "");
    grows(DiffSection::Tools, "", "returns = \"a2ui\"");
    let exposed = diff(
        "[operator.config.account]\ntype = \"string\"\nredacted = true",
        "[operator.config.account]\ntype = \"string\"",
    );
    assert!(exposed.needs_consent());
}

#[test]
fn u04_any_change_of_what_models_read_needs_consent() {
    let old = manifest_with("summary = \"Notes\"", "examples = [{ text = \"a\" }]");
    for (from, to) in [
        ("Keeps short notes.", "Keeps short notes!"),
        ("What to work on", "What to work with"),
        ("text = {", "body = {"),
        ("name = \"Run\"", "name = \"Go\""),
        ("summary = \"Notes\"", ""),
        ("text = \"a\"", "text = \"b\""),
    ] {
        let new = old.replace(from, to);
        let diff = UpdateDiff::between(&parse(&old), &parse(&new));
        assert!(diff.needs_consent(), "{from}");
        assert!(diff.consent_rows().all(|row| row.change == Change::Text), "{from}: {diff:?}");
    }
}

#[test]
fn u05_narrowing_flows_through() {
    for (old, new) in [
        (HOST, ""),
        (RULE, ""),
        (RULE, &*RULE.replace("/items/*", "/items/7")),
        (HOST, RULE),
        (SECRET, ""),
        (TOOL, ""),
        ("", "risk = { requires_approval = true, default_sensitive = true }"),
        ("", "[capabilities.quotas]\nfuel_budget = 5"),
        ("[capabilities]\nwildcard_opt_in = true\nhttp_egress_allowlist = [\"*.example.com\"]", HOST),
        ("[operator.config.token]\ntype = \"secret\"", ""),
        ("", "[operator.config.page]\ntype = \"integer\""),
        (
            "[capabilities.filesystem]\nwrite_roots = [\"docs\"]",
            "[capabilities.filesystem]\nread_roots = [\"docs\"]",
        ),
        (HOST, "[[capabilities.http_rules]]\nhost = \"A.example.com\""),
    ] {
        let diff = diff(old, new);
        assert!(!diff.needs_consent(), "{old} → {new}: {diff:?}");
    }
    let release = manifest_with("", "");
    let next = release
        .replace("version = \"1.0.0\"", "version = \"1.0.1\"")
        .replace("release_counter = 1", "release_counter = 2");
    let diff = UpdateDiff::between(&parse(&release), &parse(&next));
    assert!(!diff.is_empty() && !diff.needs_consent());
}

#[test]
fn a_changed_rule_is_one_row_with_both_columns() {
    let diff = diff(RULE, &RULE.replace("\"GET\"", "\"GET\", \"POST\""));
    let [row] = &diff.rows[..] else { panic!("{diff:?}") };
    assert_eq!(row.subject, "https://a.example.com:443");
    assert_eq!(row.old.as_deref(), Some("http:GET https://a.example.com/items/* response=1000"));
    assert_eq!(row.new.as_deref(), Some("http:GET,POST https://a.example.com/items/* response=1000"));
}

/// A manifest of the corpus with the capabilities of two others.
fn mixed() -> impl Strategy<Value = SkillManifest> {
    let corpus: Vec<SkillManifest> = honest_manifests().iter().map(|(_, text)| parse(text)).collect();
    (prop::sample::select(corpus.clone()), prop::sample::select(corpus)).prop_map(|(first, second)| {
        let mut manifest = parse(&manifest_with("", ""));
        manifest.capabilities = first.capabilities;
        manifest.capabilities.http_egress_allowlist.extend(second.capabilities.http_egress_allowlist);
        manifest.capabilities.http_rules.extend(second.capabilities.http_rules);
        manifest.capabilities.channels.extend(second.capabilities.channels);
        manifest.capabilities.filesystem.read_roots.extend(second.capabilities.filesystem.read_roots);
        manifest.capabilities.filesystem.write_roots.extend(second.capabilities.filesystem.write_roots);
        manifest
    })
}

fn is_grant_section(section: DiffSection) -> bool {
    use DiffSection::{Channels, Filesystem, Http, Secrets, Storage};
    matches!(section, Http | Secrets | Storage | Channels | Filesystem)
}

proptest! {
    #[test]
    fn a_manifest_does_not_differ_from_itself(manifest in mixed()) {
        prop_assert!(UpdateDiff::between(&manifest, &manifest).is_empty());
    }

    #[test]
    fn growth_is_exactly_what_is_not_within(old in mixed(), new in mixed()) {
        let (before, after) = (capability_grants_from_manifest(&old), capability_grants_from_manifest(&new));
        let diff = UpdateDiff::between(&old, &new);
        let grown = diff.rows.iter().any(|row| is_grant_section(row.section) && row.change == Change::Growth);
        prop_assert_eq!(grown, !after.is_within(&before));
    }

    #[test]
    fn taking_grants_away_never_needs_consent(old in mixed(), keep in any::<u64>()) {
        let grants: Vec<Capability> = capability_grants_from_manifest(&old).into();
        let kept = grants.into_iter().enumerate().filter(|(index, _)| keep >> (index % 64) & 1 == 1).map(|(_, grant)| grant);
        let kept: CapabilityGrantSet = kept.collect();
        prop_assert!(kept.is_within(&capability_grants_from_manifest(&old)));
    }
}

/// Two tools, the first of which has this table, the second this one.
fn two_tools(first: &str, second: &str) -> String {
    let table = |text: &str| if text.is_empty() { String::new() } else { format!("capabilities = {text}") };
    let skill = "[capabilities]\nstorage_prefixes = [\"notes/\"]\nchannels = [\"alerts\"]";
    format!("{}\n{TOOL}\n{}\n{skill}", table(first), table(second))
}

#[test]
fn grant_that_moves_between_tools_needs_consent() {
    let (storage, channel) = ("{ storage_prefixes = [\"notes/\"] }", "{ channels = [\"alerts\"] }");
    let moved = diff(&two_tools(storage, channel), &two_tools(channel, storage));
    let rows: Vec<(&str, Option<&str>, Option<&str>)> = moved
        .consent_rows()
        .map(|row| (row.subject.as_str(), row.old.as_deref(), row.new.as_deref()))
        .collect();
    assert_eq!(
        rows,
        [
            ("acme.notes.more capabilities", Some("channel:alerts"), Some("storage:notes/")),
            ("acme.notes.run capabilities", Some("storage:notes/"), Some("channel:alerts")),
        ]
    );
    grows(DiffSection::Tools, &two_tools("{ }", ""), &two_tools("", ""));
    grows(
        DiffSection::Tools,
        &two_tools("{ storage_read_prefixes = [\"notes/\"] }", ""),
        &two_tools(storage, ""),
    );
    let narrower = diff(&two_tools("", ""), &two_tools("{ storage_read_prefixes = [\"notes/\"] }", ""));
    assert!(!narrower.is_empty() && !narrower.needs_consent(), "{narrower:?}");
    assert!(diff(&two_tools(storage, ""), &two_tools(storage, "")).is_empty());
}
