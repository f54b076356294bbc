//! Finds changes that break existing clients, by comparing descriptors.

use prost_types::{DescriptorProto, EnumDescriptorProto, FileDescriptorSet, ServiceDescriptorProto};
use std::collections::BTreeMap;

/// Describes everything that was removed or changed.
pub(super) fn breaking(before: &FileDescriptorSet, now: &FileDescriptorSet) -> Vec<String> {
    let (before, now) = (Names::of(before), Names::of(now));
    let mut broken = Vec::new();
    for (name, message) in &before.messages {
        match now.messages.get(name) {
            Some(now) => fields(name, message, now, &mut broken),
            None => broken.push(format!("message `{name}` is gone")),
        }
    }
    for (name, word) in &before.enums {
        match now.enums.get(name) {
            Some(now) => values(name, word, now, &mut broken),
            None => broken.push(format!("enum `{name}` is gone")),
        }
    }
    for (name, service) in &before.services {
        match now.services.get(name) {
            Some(now) => methods(name, service, now, &mut broken),
            None => broken.push(format!("service `{name}` is gone")),
        }
    }
    broken
}

/// Messages, enums and services by full name.
#[derive(Default)]
struct Names<'s> {
    messages: BTreeMap<String, &'s DescriptorProto>,
    enums: BTreeMap<String, &'s EnumDescriptorProto>,
    services: BTreeMap<String, &'s ServiceDescriptorProto>,
}

impl<'s> Names<'s> {
    fn of(set: &'s FileDescriptorSet) -> Self {
        let mut names = Self::default();
        for file in &set.file {
            let whole = |name: &str| format!("{}.{name}", file.package());
            file.message_type.iter().for_each(|message| names.message(whole(message.name()), message));
            names.enums.extend(file.enum_type.iter().map(|word| (whole(word.name()), word)));
            names.services.extend(file.service.iter().map(|service| (whole(service.name()), service)));
        }
        names
    }

    fn message(&mut self, name: String, message: &'s DescriptorProto) {
        for nested in &message.nested_type {
            self.message(format!("{name}.{}", nested.name()), nested);
        }
        self.enums.extend(message.enum_type.iter().map(|word| (format!("{name}.{}", word.name()), word)));
        self.messages.insert(name, message);
    }
}

/// Compares fields: a number keeps its name, its type, its cardinality, and its oneof.
fn fields(of: &str, before: &DescriptorProto, now: &DescriptorProto, broken: &mut Vec<String>) {
    for field in &before.field {
        let Some(found) = now.field.iter().find(|found| found.number() == field.number()) else {
            broken.push(format!("field `{}` of `{of}` is gone", field.name()));
            continue;
        };
        let choice = |message: &DescriptorProto, index: Option<i32>| {
            let index = usize::try_from(index?).ok()?;
            message.oneof_decl.get(index).map(|choice| choice.name().to_owned())
        };
        let same = field.name() == found.name()
            && field.r#type() == found.r#type()
            && field.type_name() == found.type_name()
            && field.label() == found.label()
            && choice(before, field.oneof_index) == choice(now, found.oneof_index);
        if !same {
            broken.push(format!("field {} of `{of}` was `{}` and is another", field.number(), field.name()));
        }
    }
}

fn values(of: &str, before: &EnumDescriptorProto, now: &EnumDescriptorProto, broken: &mut Vec<String>) {
    for value in &before.value {
        let same =
            now.value.iter().any(|found| found.number() == value.number() && found.name() == value.name());
        if !same {
            broken.push(format!("value `{}` of `{of}` is gone or has another number", value.name()));
        }
    }
}

fn methods(
    of: &str,
    before: &ServiceDescriptorProto,
    now: &ServiceDescriptorProto,
    broken: &mut Vec<String>,
) {
    for method in &before.method {
        if !now.method.contains(method) {
            broken.push(format!("method `{}` of `{of}` is gone or another", method.name()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::descriptors;
    use super::*;
    use prost_types::field_descriptor_proto::{Label, Type};
    use prost_types::{FieldDescriptorProto, FileDescriptorProto};

    fn check(change: impl FnOnce(&mut FileDescriptorProto), expected: &[&str]) {
        let before = descriptors();
        let mut now = before.clone();
        let at = now.file.iter().position(|file| file.name() == "palyra/gateway/v1/approvals.proto").unwrap();
        change(&mut now.file[at]);
        assert_eq!(breaking(&before, &now), expected);
    }

    const ID: &str = "field 1 of `palyra.gateway.v1.Approval` was `approval_id` and is another";

    #[test]
    fn what_only_grows_breaks_nothing() {
        check(|_| {}, &[]);
        check(|file| file.message_type[0].field.reverse(), &[]);
        check(
            |file| {
                let field =
                    FieldDescriptorProto { number: Some(99), ..file.message_type[0].field[0].clone() };
                file.message_type[0].field.push(field);
                file.message_type.push(DescriptorProto { name: Some("New".into()), ..Default::default() });
            },
            &[],
        );
    }

    #[test]
    fn what_changes_or_goes_is_found() {
        check(|file| file.message_type[0].field[0].name = Some("id".into()), &[ID]);
        check(|file| file.message_type[0].field[0].set_type(Type::Bytes), &[ID]);
        check(|file| file.message_type[0].field[0].set_label(Label::Repeated), &[ID]);
        check(
            |file| file.message_type[0].field[0].number = Some(99),
            &["field `approval_id` of `palyra.gateway.v1.Approval` is gone"],
        );
        check(
            |file| drop(file.message_type[0].field.remove(0)),
            &["field `approval_id` of `palyra.gateway.v1.Approval` is gone"],
        );
        check(|file| drop(file.message_type.remove(0)), &["message `palyra.gateway.v1.Approval` is gone"]);
        check(
            |file| file.enum_type[0].value[1].number = Some(77),
            &[
                "value `APPROVAL_STATUS_PENDING` of `palyra.gateway.v1.ApprovalStatus` is gone or has another number",
            ],
        );
        check(|file| drop(file.enum_type.remove(0)), &["enum `palyra.gateway.v1.ApprovalStatus` is gone"]);
    }

    #[test]
    fn methods_keep_what_they_take_and_give() {
        let before = descriptors();
        let mut now = before.clone();
        let service = now.file.iter_mut().find_map(|file| file.service.first_mut()).unwrap();
        service.method[0].server_streaming = Some(true);
        service.method.remove(1);
        assert_eq!(breaking(&before, &now).len(), 2);
        now.file.iter_mut().for_each(|file| file.service.clear());
        let services: usize = before.file.iter().map(|file| file.service.len()).sum();
        assert_eq!(breaking(&before, &now).len(), services, "each of them is gone");
    }
}
