//! Exports of the outermost module: exactly the declared entrypoints and the names of the ABI.

use std::collections::BTreeSet;

use palyra_plugins_sdk::abi::{core_module, exports, interfaces};
use wasmparser::component_types::{ComponentEntityType, ComponentInstanceType};
use wasmparser::types::{EntityType, TypesRef};

use super::budget::BudgetKind;
use super::contract::{self, Known};
use super::facts::{ModuleFacts, WasmKind};
use super::type_text::{core_function_text, function_text};
use crate::audit::finding::FindingId;
use crate::audit::report::{Findings, quote};
use crate::manifest::{Entrypoints, closest};

/// Functions that toolchains export for their own runtime. The host does not call them; instantiation may.
const TOOLCHAIN_FUNCTIONS: [&str; 14] = [
    "_initialize",
    "__wasm_call_ctors",
    "__new",
    "__pin",
    "__unpin",
    "__collect",
    "__alloc",
    "__retain",
    "__release",
    "cabi_realloc",
    "cabi_realloc_wit_bindgen_0_24_0",
    "malloc",
    "free",
    "realloc",
];

/// Exports that JavaScript and Python toolchains leave in a component after pre-initialization; never called.
const TOOLCHAIN_COMPONENT_EXPORTS: [&str; 2] = ["init", "exports"];

/// The exports that the manifest declares for one module.
pub(super) struct Declared<'manifest> {
    /// Exports of a core module, for tools and hooks together.
    functions: BTreeSet<&'manifest str>,
    tools: bool,
    hooks: bool,
}

impl<'manifest> Declared<'manifest> {
    /// Collects the entrypoints of the module at `path`.
    pub(super) fn of(entrypoints: &'manifest Entrypoints, path: &str) -> Self {
        let tools = entrypoints.tools.iter().filter(|tool| tool.module == path);
        let hooks = entrypoints.hooks.iter().filter(|hook| hook.module == path);
        let names = tools.clone().map(|tool| &tool.export).chain(hooks.clone().map(|hook| &hook.export));
        Self {
            functions: names.map(|name| name.as_deref().unwrap_or(contract::DEFAULT_EXPORT)).collect(),
            tools: tools.count() > 0,
            hooks: hooks.count() > 0,
        }
    }

    /// Returns whether any entrypoint uses the module.
    pub(super) const fn is_used(&self) -> bool {
        self.tools || self.hooks
    }
}

/// Checks the exports of a valid module.
pub(super) fn check(
    path: &str,
    kind: WasmKind,
    facts: &ModuleFacts<'_>,
    types: TypesRef<'_>,
    declared: &Declared<'_>,
    findings: &mut Findings<'_>,
) {
    let mut checker = Checker { path, types, declared, findings };
    let functions = match kind {
        WasmKind::Core => checker.check_core(),
        WasmKind::Component => checker.check_component(facts),
    };
    let allowed = checker.findings.policy().budgets.exported_functions;
    if functions > allowed {
        let name = BudgetKind::ExportedFunctions.name();
        let message = format!("exports {functions} functions, the budget `{name}` is {allowed}");
        checker.findings.add(FindingId::BudgetExceeded, path, message, None);
    }
}

struct Checker<'audit, 'policy> {
    path: &'audit str,
    types: TypesRef<'audit>,
    declared: &'audit Declared<'audit>,
    findings: &'audit mut Findings<'policy>,
}

impl Checker<'_, '_> {
    /// Checks the exports of a core module and returns the number of exported functions.
    fn check_core(&mut self) -> u64 {
        let exports: Vec<_> = self.types.core_exports().into_iter().flatten().collect();
        for name in &self.declared.functions {
            match exports.iter().find(|(export, _)| export == name) {
                None => self.missing_function(name, &exports),
                Some((_, ty)) => self.check_core_entrypoint(name, *ty),
            }
        }
        self.check_memory(&exports);
        let functions =
            exports.iter().filter(|(_, ty)| matches!(ty, EntityType::Func(_) | EntityType::FuncExact(_)));
        let mut count = 0;
        for (name, _) in functions {
            count += 1;
            if !self.declared.functions.contains(name) && !TOOLCHAIN_FUNCTIONS.contains(name) {
                self.undeclared(name, "no entrypoint uses it");
            }
        }
        count
    }

    fn check_core_entrypoint(&mut self, name: &str, ty: EntityType) {
        let function = match ty {
            EntityType::Func(id) | EntityType::FuncExact(id) => self.types.get(id),
            _ => None,
        };
        let found = function.and_then(|ty| match &ty.composite_type.inner {
            wasmparser::CompositeInnerType::Func(function) => Some(core_function_text(function)),
            _ => None,
        });
        match found {
            Some(found) if found == contract::CORE_ENTRYPOINT => {}
            Some(found) => self.wrong_type(name, &found, contract::CORE_ENTRYPOINT),
            None => self.wrong_type(name, "something that is not a function", contract::CORE_ENTRYPOINT),
        }
    }

    /// Checks the exported memory, because pointers of the core ABI are offsets into it.
    fn check_memory(&mut self, exports: &[(&str, EntityType)]) {
        if !self.declared.is_used() || self.types.core_imports().into_iter().flatten().next().is_none() {
            return;
        }
        let name = core_module::MEMORY_EXPORT;
        match exports.iter().find(|(export, _)| *export == name) {
            Some((_, EntityType::Memory(_))) => {}
            Some(_) => self.wrong_type(name, "something that is not a memory", "a memory"),
            None => self.missing(name),
        }
    }

    /// Checks the exports of a component and returns the number of exported functions.
    fn check_component(&mut self, facts: &ModuleFacts<'_>) -> u64 {
        for (declared, interface) in
            [(self.declared.tools, interfaces::TOOLS), (self.declared.hooks, interfaces::HOOKS)]
        {
            if declared && !facts.component_exports.contains(&interface) {
                self.missing(interface);
            }
        }
        facts.component_exports.iter().map(|name| self.check_component_export(name)).sum()
    }

    fn check_component_export(&mut self, name: &str) -> u64 {
        let types = self.types;
        let Some(item) = types.component_item_for_export(name) else { return 0 };
        let instance = match item.ty {
            // A type that functions of other exports use.
            ComponentEntityType::Type { .. } => return 0,
            ComponentEntityType::Instance(id) => types.get(id),
            _ => None,
        };
        let is_toolchain = TOOLCHAIN_COMPONENT_EXPORTS.contains(&name);
        let Some(instance) = instance else {
            if !is_toolchain {
                self.undeclared(name, "a component exports interfaces only");
            }
            return 1;
        };
        let functions =
            instance.exports.values().filter(|item| matches!(item.ty, ComponentEntityType::Func(_))).count();
        match contract::exported_interface(name) {
            Known::Interface(expected) => self.check_exported_interface(name, instance, expected),
            Known::Unknown(_) if functions == 0 || is_toolchain => {}
            Known::Unknown(reason) => self.undeclared(name, reason),
        }
        functions as u64
    }

    fn check_exported_interface(
        &mut self,
        name: &str,
        instance: &ComponentInstanceType,
        expected: &std::collections::BTreeMap<&str, &str>,
    ) {
        for (function, expected) in expected {
            let subject = format!("{name}#{function}");
            let found = match instance.exports.get(*function).map(|item| item.ty) {
                Some(ComponentEntityType::Func(id)) => function_text(self.types, instance, id),
                Some(_) => Some("something that is not a function".to_owned()),
                None => {
                    self.missing(&subject);
                    continue;
                }
            };
            match found {
                Some(found) if found == **expected => {}
                Some(found) => self.wrong_type(&subject, &found, expected),
                None => self.wrong_type(&subject, "a type outside the contract", expected),
            }
        }
        let own = [exports::INVOKE, exports::DESCRIBE, exports::ON_EVENT];
        for (extra, item) in &instance.exports {
            if matches!(item.ty, ComponentEntityType::Func(_)) && !own.contains(&extra.as_str()) {
                self.undeclared(&format!("{name}#{extra}"), "the interface has no such function");
            }
        }
    }

    fn missing(&mut self, name: &str) {
        let message = format!("does not export `{}`, which skill.toml or the ABI requires", quote(name));
        self.findings.add(FindingId::EntrypointMissing, self.path, message, Some(name));
    }

    /// Reports a missing function of a core module and suggests an export with a similar or the usual name.
    fn missing_function(&mut self, name: &str, exports: &[(&str, EntityType)]) {
        let functions = exports.iter().filter(|(_, ty)| matches!(ty, EntityType::Func(_)));
        let names: Vec<String> = functions.map(|(name, _)| (*name).to_owned()).collect();
        let usual = names.iter().find(|name| *name == contract::DEFAULT_EXPORT);
        let meant = closest(name, &names).or(usual);
        let meant = meant.map(|meant| format!("; did you mean `{}`?", quote(meant))).unwrap_or_default();
        let message = format!("does not export `{}`, which skill.toml names{meant}", quote(name));
        self.findings.add(FindingId::EntrypointMissing, self.path, message, Some(name));
    }

    fn wrong_type(&mut self, name: &str, found: &str, expected: &str) {
        let message = format!("exports `{}` as {}, expected {}", quote(name), quote(found), quote(expected));
        self.findings.add(FindingId::EntrypointWrongType, self.path, message, Some(name));
    }

    fn undeclared(&mut self, name: &str, reason: &str) {
        let message = format!("exports `{}`: {reason}", quote(name));
        self.findings.add(FindingId::ExportUndeclared, self.path, message, Some(name));
    }
}
