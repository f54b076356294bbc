//! Imports at every depth: only those of the contract, by exact name, version and type.

use wasmparser::component_types::{ComponentEntityType, ComponentInstanceType};
use wasmparser::types::{EntityType, TypesRef};

use super::contract::{self, Known, NeededCapability};
use super::facts::ModuleFacts;
use super::type_text::{core_function_text, function_text};
use crate::audit::finding::FindingId;
use crate::audit::report::{Findings, quote};
use crate::manifest::Capabilities;

/// Checks the imports of a valid module, and those of everything nested in it.
pub(super) fn check(
    path: &str,
    facts: &ModuleFacts<'_>,
    types: TypesRef<'_>,
    capabilities: &Capabilities,
    findings: &mut Findings<'_>,
) {
    let mut checker = Checker { path, capabilities, findings };
    for name in &facts.component_imports {
        checker.check_component_import(name, types);
    }
    for (module, name, ty) in types.core_imports().into_iter().flatten() {
        checker.check_core_import(module, name, ty, types);
    }
    for name in &facts.loose_component_imports {
        checker.check_loose_component_import(name);
    }
    for (module, name) in &facts.loose_core_imports {
        checker.check_loose_core_import(module, name);
    }
}

struct Checker<'audit, 'policy> {
    path: &'audit str,
    capabilities: &'audit Capabilities,
    findings: &'audit mut Findings<'policy>,
}

impl Checker<'_, '_> {
    fn check_component_import(&mut self, name: &str, types: TypesRef<'_>) {
        let functions = match contract::imported_interface(name) {
            Known::Interface(functions) => functions,
            Known::Unknown(reason) => return self.forbid(name, reason),
        };
        let instance = types.component_item_for_import(name).and_then(|item| match item.ty {
            ComponentEntityType::Instance(id) => types.get(id),
            _ => None,
        });
        let Some(instance) = instance else {
            return self.wrong_type(name, "something that is not an interface", "an interface");
        };
        for (function, item) in &instance.exports {
            self.check_interface_item(
                name,
                instance,
                function,
                item.ty,
                functions.get(function.as_str()),
                types,
            );
        }
        self.check_justified(name);
    }

    fn check_interface_item(
        &mut self,
        interface: &str,
        instance: &ComponentInstanceType,
        name: &str,
        ty: ComponentEntityType,
        expected: Option<&&str>,
        types: TypesRef<'_>,
    ) {
        let subject = format!("{interface}#{name}");
        match (ty, expected) {
            // Types have no behaviour; those a function uses are compared with the function.
            (ComponentEntityType::Type { .. }, _) => {}
            (ComponentEntityType::Func(id), Some(expected)) => match function_text(types, instance, id) {
                Some(found) if found == **expected => {}
                Some(found) => self.wrong_type(&subject, &found, expected),
                None => self.wrong_type(&subject, "a type outside the contract", expected),
            },
            (ComponentEntityType::Func(_), None) => {
                self.forbid(&subject, "the interface has no such function")
            }
            _ => self.forbid(&subject, "an interface of the contract has functions and types only"),
        }
    }

    fn check_core_import(&mut self, module: &str, name: &str, ty: EntityType, types: TypesRef<'_>) {
        let subject = format!("{module}.{name}");
        let expected = match contract::core_import(module, name) {
            Ok(expected) => expected,
            Err(reason) => return self.forbid(&subject, reason),
        };
        let function = match ty {
            EntityType::Func(id) | EntityType::FuncExact(id) => types.get(id),
            _ => None,
        };
        let found = function.and_then(|ty| match &ty.composite_type.inner {
            wasmparser::CompositeInnerType::Func(function) => Some(core_function_text(function)),
            _ => None,
        });
        match found {
            Some(found) if found == expected => {}
            Some(found) => self.wrong_type(&subject, &found, expected),
            None => self.wrong_type(&subject, "something that is not a function", expected),
        }
    }

    /// Refuses a loose import that looks like an interface: plain names connect parts of a component, a name with a
    /// package requests something from the host.
    fn check_loose_component_import(&mut self, name: &str) {
        let is_wiring = !name.contains([':', '=', '<']);
        let is_known = matches!(contract::imported_interface(name), Known::Interface(_))
            || matches!(contract::exported_interface(name), Known::Interface(_));
        if !is_wiring && !is_known {
            self.forbid(name, "nothing in the component provides it, and it is not in the contract");
        }
    }

    fn check_loose_core_import(&mut self, module: &str, name: &str) {
        if let Err(reason) = contract::core_import(module, name) {
            self.forbid(&format!("{module}.{name}"), reason);
        }
    }

    fn check_justified(&mut self, name: &str) {
        let Some(needed) = contract::needed_capability(name) else { return };
        let (asked, table) = match needed {
            NeededCapability::Filesystem => {
                let roots = &self.capabilities.filesystem;
                (!roots.read_roots.is_empty() || !roots.write_roots.is_empty(), "capabilities.filesystem")
            }
            NeededCapability::Http => {
                let hosts = !self.capabilities.http_egress_allowlist.is_empty();
                (hosts || !self.capabilities.http_rules.is_empty(), "capabilities.http_rules")
            }
            NeededCapability::Reveal => {
                (self.capabilities.secrets.iter().any(|secret| secret.reveal), "capabilities.secrets")
            }
            NeededCapability::Storage => {
                let written = !self.capabilities.storage_prefixes.is_empty();
                let read = !self.capabilities.storage_read_prefixes.is_empty();
                (written || read, "capabilities.storage_prefixes")
            }
            NeededCapability::Channel => (!self.capabilities.channels.is_empty(), "capabilities.channels"),
        };
        if !asked {
            let message = format!("imports `{}`, but `{table}` of skill.toml is empty", quote(name));
            self.findings.add(FindingId::ImportUnjustified, self.path, message, None);
        }
    }

    fn forbid(&mut self, name: &str, reason: &str) {
        let message = format!("imports `{}`: {reason}", quote(name));
        self.findings.add(FindingId::ImportForbidden, self.path, message, Some(name));
    }

    fn wrong_type(&mut self, name: &str, found: &str, expected: &str) {
        let message = format!("imports `{}` as {}, expected {}", quote(name), quote(found), quote(expected));
        self.findings.add(FindingId::ImportWrongType, self.path, message, Some(name));
    }
}
