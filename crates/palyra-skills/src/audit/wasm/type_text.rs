//! Types as text, with one spelling per type, so that a contract is a table of lines.

use std::fmt::{self, Write};

use wasmparser::component_types::{
    ComponentAnyTypeId, ComponentDefinedType, ComponentDefinedTypeId, ComponentEntityType,
    ComponentFuncTypeId, ComponentInstanceType, ComponentValType, ResourceId,
};
use wasmparser::types::TypesRef;
use wasmparser::{FuncType, ValType};

/// Longest text of one function; a type that needs more is not one of the contract.
///
/// The bound also stops types that double with each level.
const MAX_TYPE_TEXT: usize = 16 << 10;

/// Returns the type of an interface function, such as `func(handle: s32) -> result<list<u8>, string>`.
///
/// Named types are written out; a resource is written by the name the interface gives it. Returns `None` if the
/// text would be longer than that of any function of the contract.
pub(crate) fn function_text(
    types: TypesRef<'_>,
    interface: &ComponentInstanceType,
    function: ComponentFuncTypeId,
) -> Option<String> {
    let mut writer = TypeWriter { types, interface, text: String::new() };
    writer.function(function).ok()?;
    Some(writer.text)
}

/// Returns the type of a core function, such as `(i32 i32) -> (i32)`.
pub(crate) fn core_function_text(function: &FuncType) -> String {
    let list = |values: &[ValType]| values.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
    format!("({}) -> ({})", list(function.params()), list(function.results()))
}

struct TypeWriter<'types> {
    types: TypesRef<'types>,
    interface: &'types ComponentInstanceType,
    text: String,
}

impl Write for TypeWriter<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if self.text.len().saturating_add(text.len()) > MAX_TYPE_TEXT {
            return Err(fmt::Error);
        }
        self.text.push_str(text);
        Ok(())
    }
}

impl TypeWriter<'_> {
    fn function(&mut self, id: ComponentFuncTypeId) -> fmt::Result {
        let types = self.types;
        let function = types.get(id).ok_or(fmt::Error)?;
        self.write_str(if function.async_ { "async func(" } else { "func(" })?;
        for (index, (name, ty)) in function.params.iter().enumerate() {
            self.separate(index)?;
            write!(self, "{}: ", name.as_str())?;
            self.value(*ty)?;
        }
        self.write_str(")")?;
        if let Some(result) = function.result {
            self.write_str(" -> ")?;
            self.value(result)?;
        }
        Ok(())
    }

    fn separate(&mut self, index: usize) -> fmt::Result {
        if index == 0 { Ok(()) } else { self.write_str(", ") }
    }

    fn value(&mut self, ty: ComponentValType) -> fmt::Result {
        match ty {
            ComponentValType::Primitive(primitive) => write!(self, "{primitive}"),
            ComponentValType::Type(id) => self.defined(id),
        }
    }

    fn optional(&mut self, ty: Option<ComponentValType>) -> fmt::Result {
        match ty {
            Some(ty) => self.value(ty),
            None => self.write_str("_"),
        }
    }

    fn defined(&mut self, id: ComponentDefinedTypeId) -> fmt::Result {
        let types = self.types;
        match types.get(id).ok_or(fmt::Error)? {
            ComponentDefinedType::Primitive(primitive) => write!(self, "{primitive}"),
            ComponentDefinedType::Record(record) => {
                self.write_str("record { ")?;
                for (index, (name, ty)) in record.fields.iter().enumerate() {
                    self.separate(index)?;
                    write!(self, "{}: ", name.as_str())?;
                    self.value(*ty)?;
                }
                self.write_str(" }")
            }
            ComponentDefinedType::Variant(variant) => {
                self.write_str("variant { ")?;
                for (index, (name, case)) in variant.cases.iter().enumerate() {
                    self.separate(index)?;
                    self.write_str(name.as_str())?;
                    if let Some(ty) = case.ty {
                        self.generic("(", ty, ")")?;
                    }
                }
                self.write_str(" }")
            }
            ComponentDefinedType::Enum(names) => self.names("enum", names.iter().map(|name| name.as_str())),
            ComponentDefinedType::Flags(names) => self.names("flags", names.iter().map(|name| name.as_str())),
            ComponentDefinedType::List { element, .. } => self.generic("list<", *element, ">"),
            ComponentDefinedType::Option { ty, .. } => self.generic("option<", *ty, ">"),
            ComponentDefinedType::Tuple(tuple) => {
                self.write_str("tuple<")?;
                for (index, ty) in tuple.types.iter().enumerate() {
                    self.separate(index)?;
                    self.value(*ty)?;
                }
                self.write_str(">")
            }
            ComponentDefinedType::Result { ok, err, .. } => {
                self.write_str("result<")?;
                self.optional(*ok)?;
                self.write_str(", ")?;
                self.optional(*err)?;
                self.write_str(">")
            }
            ComponentDefinedType::Own(resource) => self.resource("own", resource.resource()),
            ComponentDefinedType::Borrow(resource) => self.resource("borrow", resource.resource()),
            // Not in any interface of the contract.
            ComponentDefinedType::Map { .. }
            | ComponentDefinedType::FixedLengthList { .. }
            | ComponentDefinedType::Future { .. }
            | ComponentDefinedType::Stream { .. } => Err(fmt::Error),
        }
    }

    fn generic(&mut self, open: &str, ty: ComponentValType, close: &str) -> fmt::Result {
        self.write_str(open)?;
        self.value(ty)?;
        self.write_str(close)
    }

    fn names<'name>(&mut self, kind: &str, names: impl Iterator<Item = &'name str>) -> fmt::Result {
        write!(self, "{kind} {{ ")?;
        for (index, name) in names.enumerate() {
            self.separate(index)?;
            self.write_str(name)?;
        }
        self.write_str(" }")
    }

    fn resource(&mut self, handle: &str, resource: ResourceId) -> fmt::Result {
        let named = self.interface.exports.iter().find(|(_, item)| match item.ty {
            ComponentEntityType::Type { created: ComponentAnyTypeId::Resource(id), .. } => {
                id.resource() == resource
            }
            _ => false,
        });
        let name = named.map(|(name, _)| name.as_str()).ok_or(fmt::Error)?;
        write!(self, "{handle}<{name}>")
    }
}
