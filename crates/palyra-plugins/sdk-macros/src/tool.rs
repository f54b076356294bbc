//! Expansion of `#[tool]`.

use crate::arguments::Arguments;
use crate::names::check_id;
use crate::signature::{is_result, only_argument, plain_function, return_type};
use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Error, ItemFn, LitStr, Result, Type};

/// Returns the unchanged function, and a type with the same name that implements the tool.
pub(crate) fn expand(arguments: TokenStream, item: TokenStream) -> Result<TokenStream> {
    let function = plain_function("tool", item)?;
    let (id, description) = read_arguments(arguments)?;
    let (visibility, name) = (&function.vis, &function.sig.ident);
    let (call, input_schema) = call_and_input_schema(&function)?;
    let output_schema = output_schema(return_type(&function));
    Ok(quote! {
        #function

        #[doc(hidden)]
        #[allow(non_camel_case_types)]
        #visibility enum #name {}

        impl ::palyra_plugins_sdk::Tool for #name {
            const ID: &'static str = #id;
            const DESCRIPTION: &'static str = #description;

            fn call(input_json: &str) -> ::core::result::Result<::std::string::String, ::palyra_plugins_sdk::ToolError> {
                #call
            }

            fn input_schema() -> ::palyra_plugins_sdk::schemars::Schema {
                #input_schema
            }

            fn output_schema() -> ::palyra_plugins_sdk::schemars::Schema {
                #output_schema
            }
        }
    })
}

fn read_arguments(tokens: TokenStream) -> Result<(LitStr, LitStr)> {
    let mut arguments = Arguments::parse("tool", tokens)?;
    let id = arguments.take_string("id")?;
    let description = arguments.take_string("description")?;
    arguments.finish()?;
    check_id(&id)?;
    if description.value().trim().is_empty() {
        return Err(Error::new(description.span(), "the description is empty: describe the tool for models"));
    }
    Ok((id, description))
}

/// Returns the bodies of `call` and `input_schema`.
fn call_and_input_schema(function: &ItemFn) -> Result<(TokenStream, TokenStream)> {
    let name = &function.sig.ident;
    let (read, invoke, input) = match only_argument("tool", function)? {
        Some(input) if !is_unit(input) => {
            // The span is the type's, so a missing `Deserialize` is reported there.
            let read = quote_spanned! { input.span() =>
                let input = ::palyra_plugins_sdk::tool_io::read_input::<#input>(input_json)?;
            };
            (read, quote!(#name(input)), quote!(#input))
        }
        empty => {
            let no_input = quote!(::palyra_plugins_sdk::tool_io::NoInput);
            let read = quote!(::palyra_plugins_sdk::tool_io::read_input::<#no_input>(input_json)?;);
            let invoke = if empty.is_some() { quote!(#name(())) } else { quote!(#name()) };
            (read, invoke, no_input)
        }
    };
    // Likewise the return type's, for `Serialize` and the conversion of its error.
    let span = return_type(function).map_or_else(Span::call_site, Spanned::span);
    let question =
        return_type(function).filter(|returned| is_result(returned)).map(|_| quote_spanned!(span => ?));
    let write = quote_spanned!(span => ::palyra_plugins_sdk::tool_io::write_output(&#invoke #question));
    let schema = quote_spanned! { input.span() => ::palyra_plugins_sdk::tool_io::input_schema::<#input>() };
    Ok((quote!(#read #write), schema))
}

fn output_schema(returned: Option<&Type>) -> TokenStream {
    match returned {
        None => quote!(::palyra_plugins_sdk::tool_io::output_schema::<()>()),
        Some(result) if is_result(result) => quote_spanned! { result.span() =>
            ::palyra_plugins_sdk::tool_io::output_schema::<<#result as ::palyra_plugins_sdk::tool_io::Fallible>::Value>()
        },
        Some(value) => {
            quote_spanned! { value.span() => ::palyra_plugins_sdk::tool_io::output_schema::<#value>() }
        }
    }
}

fn is_unit(input: &Type) -> bool {
    matches!(input, Type::Tuple(tuple) if tuple.elems.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(item: TokenStream) -> String {
        let tokens = expand(quote!(id = "acme.echo", description = "Says it back"), item).unwrap();
        syn::parse2::<syn::File>(tokens.clone()).unwrap();
        tokens.to_string().replace(' ', "")
    }

    #[test]
    fn a_result_is_unwrapped() {
        let text = expanded(quote!(
            fn echo(input: In) -> Result<Out, ToolError> {
                todo()
            }
        ));
        assert!(text.contains("read_input::<In>"), "{text}");
        assert!(text.contains("write_output(&echo(input)?)"), "{text}");
        assert!(
            text.contains("<<Result<Out,ToolError>as::palyra_plugins_sdk::tool_io::Fallible>::Value>"),
            "{text}"
        );
    }

    #[test]
    fn a_value_is_taken_as_it_is() {
        let text = expanded(quote!(
            pub fn echo(input: In) -> Out {
                todo()
            }
        ));
        assert!(text.contains("write_output(&echo(input))"), "{text}");
        assert!(text.contains("output_schema::<Out>"), "{text}");
        assert!(text.contains("pubenumecho{}"), "{text}");
    }

    #[test]
    fn no_argument_and_unit_are_the_empty_object() {
        let none = expanded(quote!(
            fn echo() {}
        ));
        assert!(
            none.contains("NoInput>(input_json)?;::palyra_plugins_sdk::tool_io::write_output(&echo())"),
            "{none}"
        );
        assert!(none.contains("output_schema::<()>"), "{none}");
        let unit = expanded(quote!(
            fn echo(_: ()) -> u8 {
                1
            }
        ));
        assert!(
            unit.contains("NoInput>(input_json)?;::palyra_plugins_sdk::tool_io::write_output(&echo(()))"),
            "{unit}"
        );
    }

    #[test]
    fn bad_arguments_are_named() {
        for (arguments, part) in [
            (quote!(description = "x"), "needs `id = …`"),
            (quote!(id = "acme.echo"), "needs `description = …`"),
            (quote!(id = "echo", description = "x"), "invalid id `echo`"),
            (quote!(id = "acme.echo", description = " "), "the description is empty"),
            (quote!(id = "acme.echo", description = "x", name = "y"), "has no argument `name`"),
        ] {
            let message = expand(
                arguments,
                quote!(
                    fn echo() {}
                ),
            )
            .unwrap_err()
            .to_string();
            assert!(message.contains(part), "{message}");
        }
    }
}
