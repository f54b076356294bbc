//! Rows about modules: M12 and W01 to W08.

use palyra_skills::audit::{
    AdvisoryList, AuditPolicy, FindingId, InstalledTools, RiskLevel, Verdict, audit_entries,
};

use super::support::{HONEST_CORE, MODULE, audit, audit_wat, expect, finding, guest, manifest};

/// A core module with these extra fields.
fn core_with(fields: &str) -> String {
    format!(
        r#"(module {fields}
            (memory (export "memory") 1)
            (func (export "palyra_plugin_main") (result i32) (i32.const 0)))"#
    )
}

#[test]
fn an_honest_core_module_has_nothing_to_report() {
    let report = audit_wat(HONEST_CORE);
    assert_eq!(report.findings, []);
    assert_eq!((report.verdict, report.risk), (Verdict::Pass, RiskLevel::Low));
}

#[test]
fn m12_an_export_that_is_missing_or_of_another_type_is_quarantined() {
    expect(
        &audit_wat(r#"(module (memory (export "memory") 1))"#),
        Verdict::Quarantine,
        FindingId::EntrypointMissing,
    );
    for body in ["(param i32) (result i32) (i32.const 0)", ""] {
        let wat = format!(r#"(module (func (export "palyra_plugin_main") {body}))"#);
        expect(&audit_wat(&wat), Verdict::Quarantine, FindingId::EntrypointWrongType);
    }
    let global = r#"(module (global (export "palyra_plugin_main") i32 (i32.const 0)))"#;
    expect(&audit_wat(global), Verdict::Quarantine, FindingId::EntrypointWrongType);
    // A component without the interface, one with a wrong function in it, and no module at all.
    expect(&audit_wat("(component)"), Verdict::Quarantine, FindingId::EntrypointMissing);
    let wrong = r#"(component
        (core module $m (func (export "invoke") (result i32) (i32.const 0)))
        (core instance $i (instantiate $m))
        (func $invoke (result u32) (canon lift (core func $i "invoke")))
        (instance $tools (export "invoke" (func $invoke)))
        (export "palyra:plugin/tools@1.0.0" (instance $tools)))"#;
    expect(&audit_wat(wrong), Verdict::Quarantine, FindingId::EntrypointWrongType);
    expect(&audit(&manifest(""), &[]), Verdict::Quarantine, FindingId::EntrypointMissing);
}

#[test]
fn w01_what_is_not_binary_webassembly_is_refused() {
    let honest = wat::parse_str(HONEST_CORE).unwrap();
    let truncated = &honest[..honest.len() - 3];
    let mut magic = honest.clone();
    magic[3] = b'n';
    let mut version = honest.clone();
    version[4] = 9;
    for bytes in [HONEST_CORE.as_bytes(), &magic, &version, b"\x7fELF\x02\x01\x01\0cwasm", b""] {
        expect(&audit(&manifest(""), &[(MODULE, bytes)]), Verdict::Refuse, FindingId::ModuleNotWasm);
    }
    expect(&audit(&manifest(""), &[(MODULE, truncated)]), Verdict::Refuse, FindingId::ModuleInvalid);
    let ill_typed = b"\0asm\x01\0\0\0\x01\x04\x01\x60\0\0\x03\x02\x01\0\x0a\x05\x01\x03\0\x6a\x0b";
    expect(&audit(&manifest(""), &[(MODULE, ill_typed)]), Verdict::Refuse, FindingId::ModuleInvalid);
}

#[test]
fn w02_an_import_outside_the_contract_is_quarantined() {
    for import in [
        r#"(import "env" "system" (func (param i32) (result i32)))"#,
        r#"(import "palyra:plugin/unknown@1.0.0" "call" (func))"#,
        r#"(import "palyra:plugin/io@1.0.1" "input-length" (func (result i32)))"#,
        r#"(import "palyra:plugin/io@1.0.0" "unknown" (func))"#,
        r#"(import "wasi_snapshot_preview1" "fd_write" (func (param i32 i32 i32 i32) (result i32)))"#,
        r#"(import "env" "memory" (memory 1))"#,
    ] {
        let report = audit_wat(&core_with(import));
        expect(&report, Verdict::Quarantine, FindingId::ImportForbidden);
        assert!(finding(&report, FindingId::ImportForbidden).hard);
    }
    for import in [
        r#"(import "unknown" (func))"#,
        r#"(import "palyra:plugin/unknown@1.0.0" (instance))"#,
        r#"(import "palyra:plugin/http@1.0.1" (instance))"#,
        r#"(import "palyra:plugin/tools@1.0.0" (instance))"#,
        r#"(import "wasi:sockets/tcp@0.2.0" (instance))"#,
        r#"(import "wasi:io/error@0.2.13" (instance))"#,
        r#"(import "wasi:io/error@0.3.0" (instance))"#,
        r#"(import "wasi:http/incoming-handler@0.2.0" (instance))"#,
        r#"(import "palyra:plugin/log@1.0.0" (instance (export "flush" (func))))"#,
        r#"(import "m" (core module))"#,
    ] {
        let report = audit_wat(&format!("(component {import})"));
        expect(&report, Verdict::Quarantine, FindingId::ImportForbidden);
    }
}

#[test]
fn w02_the_right_name_with_another_type_is_quarantined() {
    for import in [
        r#"(import "palyra:plugin/io@1.0.0" "input-length" (func (param i32) (result i32)))"#,
        r#"(import "palyra:plugin/io@1.0.0" "input-length" (func (result i64)))"#,
        r#"(import "palyra:plugin/io@1.0.0" "input-length" (global i32))"#,
        r#"(import "palyra:plugin/host-call@1.0.0" "call" (func (param i32 i32)))"#,
    ] {
        expect(&audit_wat(&core_with(import)), Verdict::Quarantine, FindingId::ImportWrongType);
    }
    for import in [
        r#"(import "palyra:plugin/run@1.0.0" (instance (export "run-id" (func (result u32)))))"#,
        r#"(import "palyra:plugin/run@1.0.0" (instance (export "run-id" (func (param "a" u32) (result string)))))"#,
        r#"(import "palyra:plugin/log@1.0.0" (instance
            (type $l (enum "trace" "debug" "info" "warn"))
            (export "level" (type $level (eq $l)))
            (export "write" (func (param "level" $level) (param "message" string)))))"#,
    ] {
        let report = audit_wat(&format!("(component {import})"));
        expect(&report, Verdict::Quarantine, FindingId::ImportWrongType);
    }
    let right = r#"(component (import "palyra:plugin/log@1.0.0" (instance
        (type $l (enum "trace" "debug" "info" "warn" "error"))
        (export "level" (type $level (eq $l)))
        (export "write" (func (param "level" $level) (param "message" string))))))"#;
    let report = audit_wat(right);
    assert!(report.findings.iter().all(|finding| finding.id == FindingId::EntrypointMissing), "{report:#?}");
}

#[test]
fn w03_a_forbidden_import_only_inside_is_quarantined() {
    for inner in [
        r#"(core module (import "env" "system" (func)))"#,
        r#"(component (core module (import "env" "system" (func))))"#,
        r#"(component (import "wasi:sockets/tcp@0.2.0" (instance)))"#,
        r#"(component (component (import "evil:host/run@1.0.0" (instance))))"#,
        r#"(component (import "url=<https://evil.example/x.wasm>" (component)))"#,
    ] {
        let report = audit_wat(&format!("(component {inner})"));
        expect(&report, Verdict::Quarantine, FindingId::ImportForbidden);
    }
}

#[test]
fn w03_wiring_inside_a_component_is_not_an_import() {
    let wired = r#"(component
        (core module $a (func (export "system")))
        (core module $b (import "env" "system" (func)))
        (core instance $env (instantiate $a))
        (core instance (instantiate $b (with "env" (instance $env))))
        (component $shim (import "import-func-invoke" (func)))
        (component $stub (import "wasi:sockets/tcp@0.2.0" (instance)))
        (instance $none)
        (instance (instantiate $stub (with "wasi:sockets/tcp@0.2.0" (instance $none))))
    )"#;
    let report = audit_wat(wired);
    assert!(report.findings.iter().all(|finding| finding.id == FindingId::EntrypointMissing), "{report:#?}");
}

#[test]
fn w04_a_start_function_is_noted_and_never_run() {
    let wat = r#"(module (func $spin (loop (br 0))) (start $spin)
        (memory (export "memory") 1)
        (func (export "palyra_plugin_main") (result i32) (i32.const 0)))"#;
    // An audit that ran the function would not return. In a call it runs under fuel, like other code of the guest.
    let report = audit_wat(wat);
    expect(&report, Verdict::Pass, FindingId::ModuleStart);
}

#[test]
fn w06_memories_the_engine_does_not_have_are_quarantined() {
    let memory = |memory: &str| {
        audit_wat(&format!(
            r#"(module {memory} (func (export "palyra_plugin_main") (result i32) (i32.const 0)))"#
        ))
    };
    expect(&memory(r#"(memory (export "memory") 65536)"#), Verdict::Quarantine, FindingId::BudgetExceeded);
    expect(&memory(r#"(memory (export "memory") i64 1)"#), Verdict::Quarantine, FindingId::ModuleMemory64);
    expect(
        &memory(r#"(memory (export "memory") 1 2 shared)"#),
        Verdict::Quarantine,
        FindingId::ModuleSharedMemory,
    );
    expect(&memory("(table i64 1 funcref)"), Verdict::Quarantine, FindingId::ModuleMemory64);
    let nested = "(component (core module (memory i64 1)))";
    expect(&audit_wat(nested), Verdict::Quarantine, FindingId::ModuleMemory64);
    let several = memory(r#"(memory (export "memory") 1) (memory 1)"#);
    expect(&several, Verdict::Pass, FindingId::ModuleMultiMemory);
    let large = memory(r#"(memory (export "memory") 2048)"#);
    expect(&large, Verdict::Pass, FindingId::MemoryOverQuota);
}

#[test]
fn w07_a_credential_or_a_second_module_in_data_is_quarantined() {
    let data = |text: &str| audit_wat(&core_with(&format!("(data \"{text}\")")));
    // Assembled here so that secret scanners do not report this file.
    let cloud_key = format!("key = AKIA{}", "Z7QWERTYUIOP4XCV");
    let report = data(&cloud_key);
    expect(&report, Verdict::Quarantine, FindingId::Credential);
    let found = finding(&report, FindingId::Credential);
    assert!(!format!("{found:?}").contains("Z7QWERTY"), "{found:?}");
    assert_eq!(found.subject, "modules/notes.wasm#data-0");
    expect(&data(r"\00asm\01\00\00\00\01\04\01\60\00\00"), Verdict::Quarantine, FindingId::EmbeddedWasm);
    // By decision 22 an address is a note: honest programs are full of them.
    expect(&data("see https://collector.evil.example/in"), Verdict::Pass, FindingId::UrlUndeclared);
    expect(&data("-----BEGIN RSA PRIVATE KEY-----"), Verdict::Pass, FindingId::EmbeddedKeyHeader);
    expect(&data(r"PK\03\04"), Verdict::Pass, FindingId::EmbeddedArchive);
}

#[test]
fn w07_assets_are_searched_too() {
    let module = wat::parse_str(HONEST_CORE).unwrap();
    let asset = |bytes: &[u8]| audit(&manifest(""), &[(MODULE, &module), ("assets/tool.bin", bytes)]);
    expect(&asset(&guest("bench-echo")), Verdict::Quarantine, FindingId::EmbeddedWasm);
    let mut elf = vec![0; 64];
    elf[..7].copy_from_slice(b"\x7fELF\x02\x01\x01");
    elf[52] = 64;
    expect(&asset(&elf), Verdict::Quarantine, FindingId::EmbeddedExecutable);
    let token = format!("glpat-{}", "aB3dE5fG7hJ9kL1mN3pQ");
    expect(&asset(token.as_bytes()), Verdict::Quarantine, FindingId::Credential);
}

#[test]
fn declared_hosts_are_not_mentioned() {
    let declared = manifest("[capabilities]\nhttp_egress_allowlist = [\"api.example.com\"]");
    let module = wat::parse_str(core_with(r#"(data "https://api.example.com/v1")"#)).unwrap();
    assert_eq!(audit(&declared, &[(MODULE, &module)]).findings, []);
}

#[test]
fn w08_more_than_128_exported_functions_are_quarantined() {
    let exports = |count: usize| {
        let functions: String = (1..count).map(|index| format!("(func (export \"f{index}\"))")).collect();
        let mut manifest = manifest("");
        let tool = manifest.entrypoints.tools[0].clone();
        for index in 1..count {
            let mut tool = tool.clone();
            tool.id = format!("acme.notes.f{index}");
            tool.export = Some(format!("f{index}"));
            manifest.entrypoints.tools.push(tool);
        }
        audit(&manifest, &[(MODULE, &wat::parse_str(core_with(&functions)).unwrap())])
    };
    let over = |report: &palyra_skills::audit::AuditReport| {
        report.findings.iter().any(|finding| finding.id == FindingId::BudgetExceeded)
    };
    assert!(!over(&exports(128)));
    let report = exports(129);
    expect(&report, Verdict::Quarantine, FindingId::BudgetExceeded);
    assert!(finding(&report, FindingId::BudgetExceeded).message.contains("129 functions"), "{report:#?}");
}

#[test]
fn undeclared_export_is_quarantined_unless_from_toolchain() {
    let backdoor = core_with(r#"(func (export "backdoor"))"#);
    expect(&audit_wat(&backdoor), Verdict::Quarantine, FindingId::ExportUndeclared);
    let toolchain = core_with(
        r#"(func (export "_initialize")) (func (export "__new")) (global (export "g") i32 (i32.const 1))"#,
    );
    assert_eq!(audit_wat(&toolchain).findings, []);
}

#[test]
fn wildcards_and_devices_need_a_word_of_the_operator() {
    let module = wat::parse_str(HONEST_CORE).unwrap();
    let mut asking =
        manifest("[capabilities]\nhttp_egress_allowlist = [\"*.example.com\"]\nwildcard_opt_in = true");
    asking.capabilities.device_capabilities = vec!["camera".to_owned()];
    let entries: &[(&str, &[u8])] = &[(MODULE, &module)];
    let report = audit(&asking, entries);
    expect(&report, Verdict::Quarantine, FindingId::CapabilityWildcard);
    expect(&report, Verdict::Quarantine, FindingId::CapabilityDevice);
    let policy = AuditPolicy::from_toml(
        "allowed_wildcard_hosts = [\"*.example.com\"]\nallowed_devices = [\"camera\"]",
    )
    .unwrap();
    assert_eq!(audit_entries(&asking, entries, &policy, &InstalledTools::none()).findings, []);
}

#[test]
fn a_known_vulnerable_dependency_is_found_in_the_bill_of_materials() {
    let list = AdvisoryList::from_json(
        r#"{"date":"2026-05-01","advisories":[
            {"id":"ADV-1","ecosystem":"cargo","package":"oldhash","affected":["<1.2.3"],"severity":"critical","title":"collisions"},
            {"id":"ADV-2","ecosystem":"npm","package":"@scope/leftpad","affected":[">=2.0.0, <2.1.0"],"severity":"low","title":"slow"}]}"#,
    )
    .unwrap();
    let policy = AuditPolicy::default().with_advisories(list.into());
    let module = wat::parse_str(HONEST_CORE).unwrap();
    let audit_bom = |purls: &[&str]| {
        let components: Vec<_> = purls.iter().map(|purl| serde_json::json!({ "purl": purl })).collect();
        let bom = serde_json::json!({ "bomFormat": "CycloneDX", "components": components }).to_string();
        let entries: &[(&str, &[u8])] = &[(MODULE, &module), ("sbom.cyclonedx.json", bom.as_bytes())];
        audit_entries(&manifest(""), entries, &policy, &InstalledTools::none())
    };
    let report = audit_bom(&["pkg:cargo/oldhash@1.2.2"]);
    expect(&report, Verdict::Quarantine, FindingId::DependencyVulnerable);
    assert_eq!(report.advisory_date.as_deref(), Some("2026-05-01"));
    expect(&audit_bom(&["pkg:npm/%40scope/leftpad@2.0.5?x=y"]), Verdict::Pass, FindingId::DependencyAdvisory);
    assert_eq!(audit_bom(&["pkg:cargo/oldhash@1.2.3", "pkg:pypi/oldhash@1.0", "junk"]).findings, []);
    assert_ne!(policy.digest(), AuditPolicy::default().digest());
}

#[test]
fn the_same_bytes_give_the_same_report() {
    let bytes = guest("notes-js");
    let entries: &[(&str, &[u8])] = &[(MODULE, &bytes)];
    let first = serde_json::to_string(&audit(&manifest(""), entries)).unwrap();
    assert_eq!(first, serde_json::to_string(&audit(&manifest(""), entries)).unwrap());
    let read: palyra_skills::audit::AuditReport = serde_json::from_str(&first).unwrap();
    assert_eq!(serde_json::to_string(&read).unwrap(), first);
}
