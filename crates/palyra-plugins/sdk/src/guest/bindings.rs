//! The bindings that `wit-bindgen` generates from the contract, re-exported by [`crate::raw`].
//!
//! Imports are generated once. Each export has its own world, so that a guest exports exactly the interfaces that it
//! registers: `wit-component` merges the worlds that are present in a module.

pub mod imports {
    //! All interfaces that a guest can import.
    wit_bindgen::generate!({
        path: "wit",
        world: "palyra:plugin/host-imports@1.0.0",
        additional_derives: [PartialEq, Eq],
        generate_unused_types: true,
    });
}

pub mod tools {
    //! The exported interface `tools`.
    wit_bindgen::generate!({
        path: "wit",
        inline: "package palyra:sdk; world tools-export { export palyra:plugin/tools@1.0.0; }",
        world: "palyra:sdk/tools-export",
        with: { "palyra:plugin/types@1.0.0": crate::guest::bindings::imports::palyra::plugin::types },
        generate_all,
        pub_export_macro: true,
        export_macro_name: "export_tools",
        default_bindings_module: "::palyra_plugins_sdk::raw::exports::bindings::tools",
    });
}

pub mod describe {
    //! The exported interface `describe`.
    wit_bindgen::generate!({
        path: "wit",
        inline: "package palyra:sdk; world describe-export { export palyra:plugin/describe@1.0.0; }",
        world: "palyra:sdk/describe-export",
        generate_all,
        pub_export_macro: true,
        export_macro_name: "export_describe",
        default_bindings_module: "::palyra_plugins_sdk::raw::exports::bindings::describe",
    });
}

pub mod hooks {
    //! The exported interface `hooks`.
    wit_bindgen::generate!({
        path: "wit",
        inline: "package palyra:sdk; world hooks-export { export palyra:plugin/hooks@1.0.0; }",
        world: "palyra:sdk/hooks-export",
        with: { "palyra:plugin/types@1.0.0": crate::guest::bindings::imports::palyra::plugin::types },
        generate_all,
        pub_export_macro: true,
        export_macro_name: "export_hooks",
        default_bindings_module: "::palyra_plugins_sdk::raw::exports::bindings::hooks",
    });
}
