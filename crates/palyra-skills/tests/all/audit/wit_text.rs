//! WIT as the tables of the audit write it: one line for a function, types written out.

use wit_parser::{Handle, Resolve, Type, TypeDefKind, TypeId};

/// A line for each function of an interface, or one for an interface without functions.
pub(crate) fn interface_lines(resolve: &Resolve, id: wit_parser::InterfaceId, name: &str) -> Vec<String> {
    let functions = &resolve.interfaces[id].functions;
    if functions.is_empty() {
        return vec![name.to_owned()];
    }
    let line = |function: &wit_parser::Function| {
        let parameters: Vec<_> = function
            .params
            .iter()
            .map(|param| format!("{}: {}", param.name, type_text(resolve, &param.ty)))
            .collect();
        let result = function.result.map_or(String::new(), |ty| format!(" -> {}", type_text(resolve, &ty)));
        format!("{name} {} func({}){result}", function.name, parameters.join(", "))
    };
    functions.values().map(line).collect()
}

fn type_text(resolve: &Resolve, ty: &Type) -> String {
    match ty {
        Type::Bool => "bool".into(),
        Type::U8 => "u8".into(),
        Type::U16 => "u16".into(),
        Type::U32 => "u32".into(),
        Type::U64 => "u64".into(),
        Type::S8 => "s8".into(),
        Type::S16 => "s16".into(),
        Type::S32 => "s32".into(),
        Type::S64 => "s64".into(),
        Type::F32 => "f32".into(),
        Type::F64 => "f64".into(),
        Type::Char => "char".into(),
        Type::String => "string".into(),
        Type::ErrorContext => "error-context".into(),
        Type::Id(id) => defined_text(resolve, *id),
    }
}

fn defined_text(resolve: &Resolve, id: TypeId) -> String {
    let text = |ty: &Type| type_text(resolve, ty);
    let optional = |ty: &Option<Type>| ty.as_ref().map_or("_".to_owned(), text);
    let definition = &resolve.types[id];
    match &definition.kind {
        TypeDefKind::Type(ty) => text(ty),
        TypeDefKind::Record(record) => {
            let fields: Vec<_> =
                record.fields.iter().map(|field| format!("{}: {}", field.name, text(&field.ty))).collect();
            format!("record {{ {} }}", fields.join(", "))
        }
        TypeDefKind::Variant(variant) => {
            let case = |case: &wit_parser::Case| match &case.ty {
                Some(ty) => format!("{}({})", case.name, text(ty)),
                None => case.name.clone(),
            };
            let cases: Vec<_> = variant.cases.iter().map(case).collect();
            format!("variant {{ {} }}", cases.join(", "))
        }
        TypeDefKind::Enum(cases) => {
            let names: Vec<_> = cases.cases.iter().map(|case| case.name.as_str()).collect();
            format!("enum {{ {} }}", names.join(", "))
        }
        TypeDefKind::Flags(flags) => {
            let names: Vec<_> = flags.flags.iter().map(|flag| flag.name.as_str()).collect();
            format!("flags {{ {} }}", names.join(", "))
        }
        TypeDefKind::List(ty) => format!("list<{}>", text(ty)),
        TypeDefKind::Option(ty) => format!("option<{}>", text(ty)),
        TypeDefKind::Tuple(tuple) => {
            format!("tuple<{}>", tuple.types.iter().map(text).collect::<Vec<_>>().join(", "))
        }
        TypeDefKind::Result(result) => format!("result<{}, {}>", optional(&result.ok), optional(&result.err)),
        TypeDefKind::Handle(Handle::Own(id)) => format!("own<{}>", resource_name(resolve, *id)),
        TypeDefKind::Handle(Handle::Borrow(id)) => format!("borrow<{}>", resource_name(resolve, *id)),
        other => panic!("{} is in no interface of the contract", other.as_str()),
    }
}

/// Returns the name of the resource itself. An alias such as `headers` for `fields` is not a type in the contract.
fn resource_name(resolve: &Resolve, id: TypeId) -> &str {
    match &resolve.types[id].kind {
        TypeDefKind::Type(Type::Id(meant)) => resource_name(resolve, *meant),
        _ => resolve.types[id].name.as_deref().unwrap(),
    }
}
