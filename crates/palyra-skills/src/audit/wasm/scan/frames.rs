//! Nesting: the component or module that the scan is in, and the nested ones that are never instantiated.
//!
//! A nested module that is instantiated gets its imports from the component around it, and ultimately from imports
//! that are checked at the outermost level; toolchains use arbitrary names between those levels. A nested module that
//! is never instantiated has imports that only the host could satisfy, so they are checked by name.

use std::collections::BTreeSet;

use wasmparser::{
    ComponentAlias, ComponentExternalKind, ComponentInstance, ComponentOuterAliasKind, Instance, Payload,
};

use super::{ScanStop, is_component};
use crate::audit::wasm::budget::{BudgetKind, Meter};
use crate::audit::wasm::facts::ModuleFacts;

/// Maximum number of imports recorded for one nested item; one is enough to reject it.
const REMEMBERED_IMPORTS: usize = 16;

/// The components and modules that enclose the scan position, outermost first.
#[derive(Default)]
pub(super) struct Frames<'bytes> {
    stack: Vec<Frame<'bytes>>,
    done: bool,
}

#[derive(Default)]
struct Frame<'bytes> {
    is_component: bool,
    /// Imports of this module or component itself.
    imports: Vec<Import<'bytes>>,
    modules: IndexSpace<'bytes>,
    components: IndexSpace<'bytes>,
}

/// An import of a nested module or component.
#[derive(Clone, Copy)]
enum Import<'bytes> {
    Core(&'bytes str, &'bytes str),
    Component(&'bytes str),
}

/// The core modules or components a component can refer to: those defined here carry their imports.
#[derive(Default)]
struct IndexSpace<'bytes> {
    items: Vec<Vec<Import<'bytes>>>,
    /// Those that are instantiated, passed on or exported.
    used: BTreeSet<u32>,
}

impl<'bytes> Frames<'bytes> {
    /// Returns whether the outermost frame has ended.
    pub(super) const fn is_done(&self) -> bool {
        self.done
    }

    pub(super) fn read(
        &mut self,
        payload: &Payload<'bytes>,
        meter: &mut Meter<'_>,
        facts: &mut ModuleFacts<'bytes>,
    ) -> Result<(), ScanStop> {
        match payload {
            Payload::Version { encoding, .. } => {
                self.stack.push(Frame { is_component: is_component(*encoding), ..Frame::default() });
                meter.limit(BudgetKind::Nesting, self.stack.len())?;
            }
            Payload::End(_) => self.leave(facts),
            Payload::ImportSection(section) if self.stack.len() > 1 => {
                for import in section.clone().into_imports() {
                    let import = import?;
                    self.note_import(Import::Core(import.module, import.name));
                }
            }
            Payload::ComponentImportSection(section) => {
                for import in section.clone() {
                    let import = import?;
                    self.add_item(import.ty.kind(), Vec::new());
                    match self.stack.len() {
                        0 | 1 => facts.component_imports.push(import.name.name),
                        _ => self.note_import(Import::Component(import.name.name)),
                    }
                }
            }
            Payload::ComponentExportSection(section) => {
                for export in section.clone() {
                    let export = export?;
                    self.use_item(export.kind, 0, export.index);
                    self.add_item(export.kind, Vec::new());
                    if self.stack.len() <= 1 {
                        facts.component_exports.push(export.name.name);
                    }
                }
            }
            Payload::InstanceSection(section) => {
                for instance in section.clone() {
                    if let Instance::Instantiate { module_index, .. } = instance? {
                        self.use_item(ComponentExternalKind::Module, 0, module_index);
                    }
                }
            }
            Payload::ComponentInstanceSection(section) => {
                for instance in section.clone() {
                    self.read_instance(&instance?);
                }
            }
            Payload::ComponentAliasSection(section) => {
                for alias in section.clone() {
                    self.read_alias(&alias?);
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Ends the innermost frame; a nested module becomes an item of the component around it.
    fn leave(&mut self, facts: &mut ModuleFacts<'bytes>) {
        let Some(frame) = self.stack.pop() else { return };
        self.done = self.stack.is_empty();
        for import in frame.modules.loose().chain(frame.components.loose()) {
            match import {
                Import::Core(module, name) => facts.loose_core_imports.push((module, name)),
                Import::Component(name) => facts.loose_component_imports.push(name),
            }
        }
        let kind =
            if frame.is_component { ComponentExternalKind::Component } else { ComponentExternalKind::Module };
        self.add_item(kind, frame.imports);
    }

    fn note_import(&mut self, import: Import<'bytes>) {
        if let Some(frame) = self.stack.last_mut()
            && frame.imports.len() < REMEMBERED_IMPORTS
        {
            frame.imports.push(import);
        }
    }

    /// Adds a module or component to the innermost component; other items are not followed.
    fn add_item(&mut self, kind: ComponentExternalKind, imports: Vec<Import<'bytes>>) {
        if let Some(space) = self.stack.last_mut().and_then(|frame| frame.space(kind)) {
            space.items.push(imports);
        }
    }

    /// Marks an item of the component `outward` levels around the innermost one.
    fn use_item(&mut self, kind: ComponentExternalKind, outward: u32, index: u32) {
        let innermost = self.stack.len().checked_sub(1);
        let depth =
            innermost.zip(usize::try_from(outward).ok()).and_then(|(last, out)| last.checked_sub(out));
        let frame = depth.and_then(|depth| self.stack.get_mut(depth));
        if let Some(space) = frame.and_then(|frame| frame.space(kind)) {
            space.used.insert(index);
        }
    }

    fn read_instance(&mut self, instance: &ComponentInstance<'_>) {
        match instance {
            ComponentInstance::Instantiate { component_index, args } => {
                self.use_item(ComponentExternalKind::Component, 0, *component_index);
                for argument in args {
                    self.use_item(argument.kind, 0, argument.index);
                }
            }
            ComponentInstance::FromExports(exports) => {
                for export in exports {
                    self.use_item(export.kind, 0, export.index);
                }
            }
        }
    }

    fn read_alias(&mut self, alias: &ComponentAlias<'_>) {
        let (kind, count, index) = match alias {
            ComponentAlias::InstanceExport { kind, .. } => return self.add_item(*kind, Vec::new()),
            ComponentAlias::Outer { kind: ComponentOuterAliasKind::CoreModule, count, index } => {
                (ComponentExternalKind::Module, count, index)
            }
            ComponentAlias::Outer { kind: ComponentOuterAliasKind::Component, count, index } => {
                (ComponentExternalKind::Component, count, index)
            }
            _ => return,
        };
        self.use_item(kind, *count, *index);
        self.add_item(kind, Vec::new());
    }
}

impl<'bytes> Frame<'bytes> {
    fn space(&mut self, kind: ComponentExternalKind) -> Option<&mut IndexSpace<'bytes>> {
        match kind {
            ComponentExternalKind::Module => Some(&mut self.modules),
            ComponentExternalKind::Component => Some(&mut self.components),
            _ => None,
        }
    }
}

impl<'bytes> IndexSpace<'bytes> {
    /// Returns the imports of the items that are never used.
    fn loose(&self) -> impl Iterator<Item = Import<'bytes>> {
        let unused = self
            .items
            .iter()
            .zip(0_u32..)
            .filter(|(_, index)| !self.used.contains(index))
            .map(|(item, _)| item);
        unused.flatten().copied()
    }
}
