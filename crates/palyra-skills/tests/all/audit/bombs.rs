//! Modules made to be slow or large: W05, and cases outside the list of rows.
//!
//! Time is asserted by the steps that an audit counts, which are the same on every machine; one generous ratio relates
//! steps to time.

use std::time::Instant;

use palyra_skills::audit::wasm::audit_module;
use palyra_skills::audit::{AuditPolicy, AuditReport, FindingId, Verdict};
use wasm_encoder::{
    BlockType, CodeSection, Component, ComponentImportSection, ComponentTypeRef, ComponentTypeSection,
    Encode, ExportKind, ExportSection, Function, FunctionSection, Instruction, MemorySection, MemoryType,
    Module, NestedComponentSection, PrimitiveValType, RawSection, TypeSection, ValType,
};

use super::support::{MODULE, expect, finding, manifest};

fn audit(bytes: &[u8]) -> AuditReport {
    crate::seeds::keep_modules(&[(MODULE, bytes)]);
    let policy = AuditPolicy::default();
    let report = audit_module(MODULE, bytes, &manifest(""), &policy);
    // One step over ends the scan, so the count passes the budget by at most one instruction.
    let most = policy.budgets.work + 10_000_000;
    assert!(report.work.steps <= most, "{:?}", report.work);
    report
}

#[track_caller]
fn expect_budget(bytes: &[u8], budget: &str) {
    let report = audit(bytes);
    expect(&report, Verdict::Quarantine, FindingId::BudgetExceeded);
    let found = finding(&report, FindingId::BudgetExceeded);
    assert!(found.hard);
    assert_eq!(found.evidence.as_deref(), Some(budget), "{found:?}");
}

/// A module of functions without parameters and results.
fn module_of(bodies: &[Function]) -> Vec<u8> {
    module_with_types(&[(0, 0)], bodies)
}

/// Builds a module with types of the given numbers of `i32`; its functions have type 0.
fn module_with_types(types: &[(usize, usize)], bodies: &[Function]) -> Vec<u8> {
    let mut module = Module::new();
    let mut section = TypeSection::new();
    for (params, results) in types {
        section.ty().function(vec![ValType::I32; *params], vec![ValType::I32; *results]);
    }
    module.section(&section);
    let mut functions = FunctionSection::new();
    let mut code = CodeSection::new();
    for body in bodies {
        functions.function(0);
        code.function(body);
    }
    module.section(&functions).section(&code);
    module.finish()
}

pub(super) fn body_of(bytes: impl IntoIterator<Item = u8>) -> Function {
    let mut body = Function::new([]);
    body.raw(bytes);
    body.instruction(&Instruction::End);
    body
}

#[test]
fn w05_fifty_thousand_locals_in_many_functions_are_quarantined() {
    let mut many = Function::new([(50_000, ValType::I32)]);
    many.instruction(&Instruction::End);
    expect_budget(&module_of(&vec![many; 1_000]), "locals");
    let mut some = Function::new([(9_999, ValType::I64)]);
    some.instruction(&Instruction::End);
    expect_budget(&module_of(&vec![some; 2_000]), "total_locals");
}

#[test]
fn w05_a_body_of_seven_megabytes_is_quarantined() {
    expect_budget(&module_of(&[body_of(vec![0x01; 7_000_000])]), "body_bytes");
}

#[test]
fn w05_a_br_table_of_a_million_targets_is_quarantined() {
    let mut body = Function::new([]);
    body.instruction(&Instruction::I32Const(0));
    body.instruction(&Instruction::BrTable(vec![0; 1_000_000].into(), 0));
    body.instruction(&Instruction::End);
    expect_budget(&module_of(&[body]), "br_table_targets");
}

/// Functions of instructions that take two bytes and make the validator take and give 256 values each.
pub(super) fn calls_with_many_values(functions_with_calls: usize) -> Vec<u8> {
    let mut calls = Function::new([]);
    calls.instruction(&Instruction::Unreachable);
    for _ in 0..30_000 {
        calls.instruction(&Instruction::Call(0));
    }
    calls.instruction(&Instruction::Unreachable).instruction(&Instruction::End);
    let mut wide = Function::new([]);
    wide.instruction(&Instruction::Unreachable).instruction(&Instruction::End);
    let mut types = TypeSection::new();
    types.ty().function(vec![ValType::I64; 128], vec![ValType::I64; 128]);
    types.ty().function([], []);
    let mut functions = FunctionSection::new();
    let mut code = CodeSection::new();
    functions.function(0);
    code.function(&wide);
    for _ in 0..functions_with_calls {
        functions.function(1);
        code.function(&calls);
    }
    let mut module = Module::new();
    module.section(&types).section(&functions).section(&code);
    module.finish()
}

#[test]
fn values_are_counted_not_only_instructions() {
    expect_budget(&calls_with_many_values(20), "work");
    // Branches to a block with many results, by tables.
    let mut branches = Function::new([]);
    branches
        .instruction(&Instruction::Block(BlockType::FunctionType(1)))
        .instruction(&Instruction::Unreachable);
    for _ in 0..60 {
        branches.instruction(&Instruction::BrTable(vec![0; 16_000].into(), 0));
    }
    branches
        .instruction(&Instruction::End)
        .instruction(&Instruction::Unreachable)
        .instruction(&Instruction::End);
    expect_budget(&module_with_types(&[(0, 0), (0, 256)], &[branches]), "body_steps");
    // Values that stay on the stack.
    let mut pushes = Function::new([]);
    for _ in 0..500_000 {
        pushes
            .instruction(&Instruction::Block(BlockType::FunctionType(1)))
            .instruction(&Instruction::Unreachable);
        pushes.instruction(&Instruction::End);
    }
    pushes.instruction(&Instruction::Unreachable).instruction(&Instruction::End);
    let mut policy = AuditPolicy::default();
    policy.budgets.body_bytes = 4 << 20;
    let bytes = module_with_types(&[(0, 0), (0, 256)], &[pushes]);
    let report = audit_module(MODULE, &bytes, &manifest(""), &policy);
    assert_eq!(finding(&report, FindingId::BudgetExceeded).evidence.as_deref(), Some("body_steps"));
}

#[test]
fn wide_types_are_quarantined_before_anything_uses_them() {
    expect_budget(&module_with_types(&[(900, 900)], &[]), "type_arity");
    expect_budget(&module_with_types(&vec![(128, 128); 10_000], &[]), "type_items");
    expect_budget(&module_with_types(&vec![(0, 0); 100_001], &[]), "types");
}

#[test]
fn declared_counts_are_charged_before_they_are_read() {
    // A section that declares a million items and has none.
    let claims = |id: u8| {
        let mut contents = Vec::new();
        1_000_000_u32.encode(&mut contents);
        let mut module = Module::new();
        module.section(&RawSection { id, data: &contents });
        module.finish()
    };
    for (id, budget) in [
        (1, "types"),
        (2, "names"),
        (3, "functions"),
        (4, "tables"),
        (5, "memories"),
        (6, "globals"),
        (7, "names"),
        (9, "data_segments"),
        (11, "data_segments"),
    ] {
        expect_budget(&claims(id), budget);
    }
}

#[test]
fn many_exports_names_and_modules_are_quarantined() {
    let mut exports = ExportSection::new();
    for index in 0..200_001 {
        exports.export(&format!("f{index}"), ExportKind::Memory, 0);
    }
    let mut memories = MemorySection::new();
    memories.memory(MemoryType {
        minimum: 1,
        maximum: None,
        memory64: false,
        shared: false,
        page_size_log2: None,
    });
    let mut module = Module::new();
    module.section(&memories).section(&exports);
    expect_budget(&module.finish(), "names");
    let mut component = Component::new();
    for _ in 0..300 {
        component.section(&wasm_encoder::ModuleSection(&Module::new()));
    }
    expect_budget(&component.finish(), "modules");
}

#[test]
fn deep_nesting_is_quarantined() {
    let mut inner = Component::new();
    for _ in 0..40 {
        let mut outer = Component::new();
        outer.section(&NestedComponentSection(&inner));
        inner = outer;
    }
    expect_budget(&inner.finish(), "nesting");
}

#[test]
fn types_that_copy_each_other_are_quarantined() {
    // One instance type with many exports, imported many times: each import is a copy.
    let mut instance = wasm_encoder::InstanceType::new();
    instance.ty().function().params([("a", PrimitiveValType::U32)]).result(None);
    for index in 0..20_000 {
        instance.export(format!("f{index}"), ComponentTypeRef::Func(0));
    }
    let mut types = ComponentTypeSection::new();
    types.instance(&instance);
    let mut imports = ComponentImportSection::new();
    for index in 0..9_000 {
        imports.import(format!("i{index}"), ComponentTypeRef::Instance(0));
    }
    let mut component = Component::new();
    component.section(&types).section(&imports);
    expect_budget(&component.finish(), "component_growth");
    // More items than the budget.
    let mut types = ComponentTypeSection::new();
    for _ in 0..40 {
        let fields: Vec<_> = (0..9_000).map(|index| format!("f{index}")).collect();
        types.defined_type().record(fields.iter().map(|name| (name.as_str(), PrimitiveValType::U8)));
    }
    let mut component = Component::new();
    component.section(&types);
    expect_budget(&component.finish(), "component_bytes");
}

#[test]
fn sixty_four_mebibytes_stay_within_steps_time_and_findings() {
    // As many of the cheapest instruction as fit, which is the largest number of steps per byte.
    let one = body_of(vec![0x01; (1 << 20) - 64]);
    let plain = module_of(&vec![one; 64]);
    assert!(plain.len() > 63 << 20, "{}", plain.len());
    let started = Instant::now();
    let report = audit(&plain);
    let plain_time = started.elapsed();
    assert!(report.work.steps > 63 << 20, "{:?}", report.work);
    // Values instead of bytes: the same number of steps, and not a multiple of the time.
    let hostile = calls_with_many_values(20);
    let started = Instant::now();
    let report = audit(&hostile);
    assert!(started.elapsed() < plain_time * 8, "{:?} against {plain_time:?}", started.elapsed());
    expect(&report, Verdict::Quarantine, FindingId::BudgetExceeded);
    // Data full of prefixes of patterns: each is checked, few are kept.
    let token = format!("AKIA{} https://h.example/ -----BEGIN PRIVATE KEY-----\n ", "Z7QWERTYUIOP4XCV");
    let data = token.repeat((64 << 20) / token.len());
    let started = Instant::now();
    let entries: &[(&str, &[u8])] = &[("assets/a.bin", data.as_bytes())];
    let report = super::support::audit(&manifest(""), entries);
    assert!(started.elapsed() < plain_time * 8, "{:?} against {plain_time:?}", started.elapsed());
    assert!(report.findings.len() < 300, "{}", report.findings.len());
    assert!(report.counts.not_listed > 100_000, "{:?}", report.counts);
}
