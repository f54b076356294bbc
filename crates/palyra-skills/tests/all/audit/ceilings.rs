//! An audit of 64 MiB takes at most two seconds and 256 MiB for any contents.
//!
//! The test binary starts itself as a child for each artifact, so that its memory is that of one audit. Time is
//! processor time, which does not depend on the load of the machine.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use palyra_skills::audit::{AuditPolicy, InstalledTools, audit_skill_artifact_security};
use palyra_skills::signing::SkillSigningKey;
use palyra_skills::{
    BuildRequest, Platform, SkillTrustStore, TrustSnapshot, build_signed_skill_artifact,
    verify_skill_artifact,
};
use wasm_encoder::{
    CodeSection, Component, Function, FunctionSection, Instruction, Module, ModuleSection, TypeSection,
    ValType,
};

use super::bombs::{body_of, calls_with_many_values};
use super::support::{HONEST_CORE, MODULE};

const ARTIFACT: &str = "PALYRA_AUDIT_TEST_ARTIFACT";
const MOST_BYTES: usize = 64 << 20;
/// The promise is two seconds of a release build; tests are built with fewer optimisations and share the machine.
const MOST_CPU_MS: u64 = 4_000;
const MOST_MEMORY_KIB: u64 = 256 << 10;

/// The child process: does nothing when the suite runs it without an artifact.
#[test]
fn ceiling_child() {
    let Some(path) = std::env::var_os(ARTIFACT) else { return };
    let bytes = std::fs::read(path).unwrap();
    let trust = TrustSnapshot::new(SkillTrustStore::default()).with_tofu(true);
    let platform =
        Platform { palyra_version: "0.1.0".parse().unwrap(), protocol_major: 1, nodes: Default::default() };
    let skill = verify_skill_artifact(bytes, &trust, &platform).unwrap().skill;
    let before = cpu_ms();
    let report = audit_skill_artifact_security(&skill, &AuditPolicy::default(), &InstalledTools::none());
    println!("\nmeasured {} {} {:?}", cpu_ms() - before, peak_memory_kib(), report.verdict);
}

/// The processor's time of this process, in the kernel's hundredths of a second.
fn cpu_ms() -> u64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    fields[11..13].iter().map(|ticks| ticks.parse::<u64>().unwrap() * 10).sum()
}

fn peak_memory_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// A signed artifact of just under 64 MiB: the module, and assets for the rest.
fn artifact(module: &[u8], filling: &[u8], assets: usize) -> Vec<u8> {
    let manifest = r#"manifest_version = 1
skill_id = "acme.notes"
name = "notes"
version = "1.0.0"
publisher = "acme"
release_counter = 1

[compat]
required_protocol_major = 1
min_palyra_version = "0.1.0"

[[entrypoints.tools]]
id = "acme.notes.add"
name = "Add"
description = "Keeps short notes."
module = "modules/notes.wasm"
input_schema = { type = "object" }
output_schema = { type = "object" }
"#;
    let left = (MOST_BYTES - (1 << 20)).saturating_sub(module.len()) / assets;
    let content: Vec<u8> = filling.iter().copied().cycle().take(left).collect();
    let names: Vec<String> = (0..assets).map(|number| format!("assets/a{number}.bin")).collect();
    let signer = SkillSigningKey::from_seed(&zeroize::Zeroizing::new([1; 32]));
    let request = BuildRequest {
        manifest_toml: manifest,
        modules: vec![(MODULE, module)],
        assets: names.iter().map(|name| (name.as_str(), content.as_slice())).collect(),
        signers: vec![&signer],
        ..BuildRequest::default()
    };
    build_signed_skill_artifact(&request).unwrap().bytes.to_vec()
}

fn check(name: &str, artifact: &[u8]) {
    assert!(artifact.len() > MOST_BYTES - (4 << 20) && artifact.len() <= MOST_BYTES, "{}", artifact.len());
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), artifact).unwrap();
    let (cpu_ms, memory_kib, told) = measure(file.path());
    assert!(cpu_ms <= MOST_CPU_MS, "{name}: {cpu_ms} ms\n{told}");
    assert!(memory_kib <= MOST_MEMORY_KIB, "{name}: {memory_kib} KiB\n{told}");
}

fn measure(artifact: &Path) -> (u64, u64, String) {
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", "audit::ceilings::ceiling_child", "--nocapture", "--test-threads=1"]);
    let output = child.env(ARTIFACT, artifact).output().unwrap();
    let mut told = String::from_utf8_lossy(&output.stdout).into_owned();
    write!(told, "{}", String::from_utf8_lossy(&output.stderr)).unwrap();
    let line = told.lines().find_map(|line| line.strip_prefix("measured "));
    let line = line.unwrap_or_else(|| panic!("{told}"));
    let numbers: Vec<u64> = line.split(' ').take(2).map(|number| number.parse().unwrap()).collect();
    (numbers[0], numbers[1], told.clone())
}

/// A module that has one function many times.
fn module_of(count: usize, body: &Function) -> Vec<u8> {
    let (mut types, mut functions, mut code) =
        (TypeSection::new(), FunctionSection::new(), CodeSection::new());
    types.ty().function([], []);
    for _ in 0..count {
        functions.function(0);
        code.function(body);
    }
    let mut module = Module::new();
    module.section(&types).section(&functions).section(&code);
    module.finish()
}

fn honest() -> Vec<u8> {
    wat::parse_str(HONEST_CORE).unwrap()
}

#[test]
fn code_of_the_cheapest_instructions() {
    let body = body_of(vec![0x01; (1 << 20) - 64]);
    check("nops", &artifact(&module_of(62, &body), b"", 1));
}

#[test]
fn bodies_without_end() {
    let empty = body_of([]);
    check("functions", &artifact(&module_of(12 << 20, &empty), b" ", 1));
    let mut locals = Function::new([(50_000, ValType::I32)]);
    locals.instruction(&Instruction::End);
    check("locals", &artifact(&module_of(5 << 20, &locals), b" ", 1));
}

#[test]
fn values_without_end() {
    check("values", &artifact(&calls_with_many_values(900), b" ", 1));
}

#[test]
fn data_that_is_all_patterns() {
    let token = format!("AKIA{} https://h.example/ -----BEGIN PRIVATE KEY-----\n ", "Z7QWERTYUIOP4XCV");
    check("patterns", &artifact(&honest(), token.as_bytes(), 1));
    check("letters", &artifact(&honest(), b"AKIAeyJghp_https:/", 480));
}

#[test]
fn modules_inside_a_component() {
    let mut inner = Module::new();
    let body = wasm_encoder::CustomSection { name: "name".into(), data: vec![7; 1 << 10].into() };
    inner.section(&body);
    let mut component = Component::new();
    for _ in 0..60_000 {
        component.section(&ModuleSection(&inner));
    }
    check("components", &artifact(&component.finish(), b"\0asm\x01\0\0\0", 4));
}
