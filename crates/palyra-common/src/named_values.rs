//! Enums whose values have one name: in access rules, in JSON and in text.

/// Defines such an enum; `in` names the entity type of the policy schema that has its values.
// `$text` is a `tt`: utoipa does not read a name that was matched as `literal`, and would describe the Rust name.
macro_rules! named_values {
    ($(#[$attribute:meta])* $name:ident in $entity:literal { $($(#[$doc:meta])* $value:ident = $text:tt,)* }) => {
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
            utoipa::ToSchema,
        )]
        // A name from `$text` for each value would be invisible to `ToSchema`; a test compares them with this.
        #[serde(rename_all = "kebab-case")]
        $(#[$attribute])*
        pub enum $name {
            $($(#[$doc])* $value,)*
        }

        impl $name {
            /// The entity type of the policy schema that has these values.
            pub const ENTITY: &'static str = $entity;
            /// Every value, in the order of the policy schema.
            pub const ALL: &'static [Self] = &[$(Self::$value),*];

            /// Returns the name in rules and JSON.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$value => $text,)*
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.as_str())
            }
        }
    };
}

pub(crate) use named_values;

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use serde_json::json;
    use utoipa::PartialSchema;

    use crate::model::skills::TrustState;
    use crate::{Action, PrincipalKind, Transport};

    #[test]
    fn names_are_equal_in_rules_json_and_schemas() {
        fn check<T: PartialSchema + serde::Serialize + Copy>(all: &[T], name: fn(T) -> &'static str) {
            let names: Vec<&str> = all.iter().map(|value| name(*value)).collect();
            assert_eq!(json!(all), json!(names));
            assert_eq!(serde_json::to_value(T::schema()).unwrap()["enum"], json!(names));
        }
        check(Action::ALL, Action::as_str);
        check(PrincipalKind::ALL, PrincipalKind::as_str);
        check(Transport::ALL, Transport::as_str);
        check(TrustState::ALL, TrustState::as_str);
    }
}
