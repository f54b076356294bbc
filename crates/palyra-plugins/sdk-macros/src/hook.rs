//! Expansion of `#[hook]`.

use crate::arguments::Arguments;
use crate::names::{check_event, check_id};
use crate::signature::{is_result, only_argument, plain_function, return_type};
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Error, ItemFn, LitStr, Result};

/// Returns the unchanged function, and a type with the same name that implements the hook.
pub(crate) fn expand(arguments: TokenStream, item: TokenStream) -> Result<TokenStream> {
    let function = plain_function("hook", item)?;
    let (id, events) = read_arguments(arguments)?;
    let (visibility, name) = (&function.vis, &function.sig.ident);
    let answer = answer(&function)?;
    Ok(quote! {
        #function

        #[doc(hidden)]
        #[allow(non_camel_case_types)]
        #visibility enum #name {}

        impl ::palyra_plugins_sdk::Hook for #name {
            const ID: &'static str = #id;
            const EVENTS: &'static [&'static str] = &[#(#events),*];

            fn on_event(
                event: ::palyra_plugins_sdk::Event,
            ) -> ::core::result::Result<::palyra_plugins_sdk::HookDecision, ::palyra_plugins_sdk::ToolError> {
                #answer
            }
        }
    })
}

fn read_arguments(tokens: TokenStream) -> Result<(LitStr, Vec<LitStr>)> {
    let mut arguments = Arguments::parse("hook", tokens)?;
    let id = arguments.take_string("id")?;
    let events = arguments.take_strings("events")?;
    arguments.finish()?;
    check_id(&id)?;
    for (index, event) in events.iter().enumerate() {
        check_event(event)?;
        if events[..index].iter().any(|earlier| earlier.value() == event.value()) {
            return Err(Error::new(event.span(), format!("the event `{}` is listed twice", event.value())));
        }
    }
    Ok((id, events))
}

/// Returns the body of `on_event`.
fn answer(function: &ItemFn) -> Result<TokenStream> {
    let name = &function.sig.ident;
    if only_argument("hook", function)?.is_none() {
        return Err(Error::new_spanned(&function.sig, "a hook takes an event: `fn gate(event: Event)`"));
    }
    let Some(returned) = return_type(function) else {
        return Err(Error::new_spanned(
            &function.sig,
            "a hook returns a `HookDecision`, or a `Result` of it",
        ));
    };
    let question = is_result(returned).then(|| quote_spanned!(returned.span() => ?));
    // The span is the return type's, so a type that is no decision is reported there.
    Ok(quote_spanned! { returned.span() =>
        let decision: ::palyra_plugins_sdk::HookDecision = #name(event) #question;
        ::core::result::Result::Ok(decision)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(item: TokenStream) -> String {
        let tokens = expand(quote!(id = "acme.gate", events = ["run:before_tool"]), item).unwrap();
        syn::parse2::<syn::File>(tokens.clone()).unwrap();
        tokens.to_string().replace(' ', "")
    }

    #[test]
    fn both_return_forms() {
        assert!(
            expanded(quote!(
                fn gate(event: Event) -> Result<HookDecision, ToolError> {
                    f()
                }
            ))
            .contains("HookDecision=gate(event)?;")
        );
        assert!(
            expanded(quote!(
                fn gate(event: Event) -> HookDecision {
                    f()
                }
            ))
            .contains("HookDecision=gate(event);")
        );
    }

    #[test]
    fn refused_with_the_reason() {
        let good = quote!(id = "acme.gate", events = ["run:before_tool"]);
        for (arguments, item, part) in [
            (
                good.clone(),
                quote!(
                    fn gate() -> HookDecision {
                        f()
                    }
                ),
                "a hook takes an event",
            ),
            (
                good,
                quote!(
                    fn gate(event: Event) {}
                ),
                "returns a `HookDecision`",
            ),
            (
                quote!(id = "acme.gate"),
                quote!(
                    fn gate(event: Event) -> D {
                        f()
                    }
                ),
                "needs `events = …`",
            ),
            (
                quote!(id = "acme.gate", events = ["x"]),
                quote!(
                    fn gate(event: Event) -> D {
                        f()
                    }
                ),
                "`x` is not an event",
            ),
            (
                quote!(id = "acme.gate", events = ["a:b", "a:b"]),
                quote!(
                    fn gate(event: Event) -> D {
                        f()
                    }
                ),
                "listed twice",
            ),
        ] {
            let message = expand(arguments, item).unwrap_err().to_string();
            assert!(message.contains(part), "{message}");
        }
    }
}
