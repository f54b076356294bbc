//! `plugin!`: the static, the check of ids, and in a guest the exports.

/// Registers tools and hooks: `plugin! { tools: [echo, fetch], hooks: [gate] }`, either list may be left out.
///
/// It creates `PLUGIN`, which [`crate::testing::Harness`] takes, and in a wasm guest the exports: `tools` if
/// there are tools, `hooks` if there are hooks, and always `describe`.
#[macro_export]
macro_rules! plugin {
    (tools: [$($tool:path),+ $(,)?] $(,)?) => {
        $crate::__plugin_table!([$($tool),+] []);
        $crate::__plugin_exports!(tools describe);
    };
    (hooks: [$($hook:path),+ $(,)?] $(,)?) => {
        $crate::__plugin_table!([] [$($hook),+]);
        $crate::__plugin_exports!(hooks describe);
    };
    (tools: [$($tool:path),+ $(,)?], hooks: [$($hook:path),+ $(,)?] $(,)?) => {
        $crate::__plugin_table!([$($tool),+] [$($hook),+]);
        $crate::__plugin_exports!(tools hooks describe);
    };
    ($($other:tt)*) => {
        ::core::compile_error!(
            "write `plugin! { tools: [a, b], hooks: [c] }`: names of functions under `#[tool]` and `#[hook]`, tools first, no empty list"
        );
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __plugin_table {
    ([$($tool:path),*] [$($hook:path),*]) => {
        /// The tools and hooks of this guest.
        pub static PLUGIN: $crate::Plugin = $crate::Plugin::new(
            &[$($crate::ToolEntry::of::<$tool>()),*],
            &[$($crate::HookEntry::of::<$hook>()),*],
        );

        const _: () = {
            ::core::assert!($crate::__ids_differ(&[$(<$tool as $crate::Tool>::ID),*]), "two tools have the same id");
            ::core::assert!($crate::__ids_differ(&[$(<$hook as $crate::Hook>::ID),*]), "two hooks have the same id");
        };
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __plugin_exports {
    ($($interface:ident)+) => {
        #[cfg(target_arch = "wasm32")]
        const _: () = {
            struct Exports;
            $($crate::__plugin_export!($interface);)+
        };
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __plugin_export {
    (tools) => {
        impl $crate::raw::exports::tools::Guest for Exports {
            fn invoke(
                tool_id: ::std::string::String,
                input_json: ::std::string::String,
            ) -> ::core::result::Result<::std::string::String, $crate::raw::types::ToolError> {
                PLUGIN.invoke(&tool_id, &input_json).map_err(::core::convert::Into::into)
            }
        }
        $crate::raw::exports::export_tools!(Exports);
    };
    (describe) => {
        impl $crate::raw::exports::describe::Guest for Exports {
            fn describe() -> ::std::string::String {
                PLUGIN.describe()
            }
        }
        $crate::raw::exports::export_describe!(Exports);
    };
    (hooks) => {
        impl $crate::raw::exports::hooks::Guest for Exports {
            fn on_event(
                kind: ::std::string::String,
                payload_json: ::std::string::String,
            ) -> ::core::result::Result<
                $crate::raw::exports::hooks::HookDecision,
                $crate::raw::types::ToolError,
            > {
                PLUGIN
                    .on_event(&kind, &payload_json)
                    .map(::core::convert::Into::into)
                    .map_err(::core::convert::Into::into)
            }
        }
        $crate::raw::exports::export_hooks!(Exports);
    };
}

/// Returns whether the ids are distinct; evaluated when the guest is compiled.
#[doc(hidden)]
pub const fn __ids_differ(ids: &[&str]) -> bool {
    let mut first = 0;
    while first < ids.len() {
        let mut second = first + 1;
        while second < ids.len() {
            if same_text(ids[first], ids[second]) {
                return false;
            }
            second += 1;
        }
        first += 1;
    }
    true
}

const fn same_text(left: &str, right: &str) -> bool {
    let (left, right) = (left.as_bytes(), right.as_bytes());
    if left.len() != right.len() {
        return false;
    }
    let mut index = 0;
    while index < left.len() {
        if left[index] != right[index] {
            return false;
        }
        index += 1;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::__ids_differ;

    #[test]
    fn ids() {
        assert!(__ids_differ(&[]));
        assert!(__ids_differ(&["a.b", "a.c", "a.bb"]));
        assert!(!__ids_differ(&["a.b", "a.c", "a.b"]));
    }
}
