//! Enums whose values have one name: in access rules, in JSON and in text.

/// Defines such an enum; `in` names the entity type of the policy schema that has its values.
// `$text` is a `tt`: utoipa does not read a name that was matched as `literal`, and would describe the Rust name.
macro_rules! named_values {
    ($(#[$attribute:meta])* $name:ident in $entity:literal { $($(#[$doc:meta])* $value:ident = $text:tt,)* }) => {
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
            utoipa::ToSchema,
        )]
        $(#[$attribute])*
        pub enum $name {
            $($(#[$doc])* #[serde(rename = $text)] $value,)*
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
