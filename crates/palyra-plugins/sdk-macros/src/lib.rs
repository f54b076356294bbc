//! Attribute macros of the Palyra guest library; guests use them as `palyra_plugins_sdk::{tool, hook}`.
#![forbid(unsafe_code)]

mod arguments;
mod hook;
mod names;
mod signature;
mod tool;

use proc_macro::TokenStream;
use proc_macro2::TokenStream as Tokens;

/// Makes a function over serde types a tool: `#[tool(id = "acme.echo", description = "Says it back")]`.
///
/// The function takes one owned value that is `Deserialize + JsonSchema`, or nothing. It returns a value that is
/// `Serialize + JsonSchema`, or a `Result` of one whose error converts into `ToolError`. The function itself is
/// unchanged; a type with the same name implements the tool for `plugin!`.
#[proc_macro_attribute]
pub fn tool(arguments: TokenStream, item: TokenStream) -> TokenStream {
    expanded_or_explained(tool::expand, arguments, item)
}

/// Makes a function a hook: `#[hook(id = "acme.gate", events = ["run:before_tool"])]`.
///
/// The function takes one `Event` and returns a `HookDecision`, or a `Result` of one whose error converts into
/// `ToolError`.
#[proc_macro_attribute]
pub fn hook(arguments: TokenStream, item: TokenStream) -> TokenStream {
    expanded_or_explained(hook::expand, arguments, item)
}

/// Keeps the item if the attribute is invalid, so that the compiler reports one error without consequential ones.
fn expanded_or_explained(
    expand: fn(Tokens, Tokens) -> syn::Result<Tokens>,
    arguments: TokenStream,
    item: TokenStream,
) -> TokenStream {
    let item = Tokens::from(item);
    expand(arguments.into(), item.clone())
        .unwrap_or_else(|error| {
            let mut explained = error.into_compile_error();
            explained.extend(item);
            explained
        })
        .into()
}
