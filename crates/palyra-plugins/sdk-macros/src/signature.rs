//! Requirements for the functions of tools and hooks.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::{Error, FnArg, Item, ItemFn, Result, ReturnType, Type};

/// Parses the item under `#[attribute]` as a plain function. Fails with an error at the invalid part.
pub(crate) fn plain_function(attribute: &str, item: TokenStream) -> Result<ItemFn> {
    let item: Item = syn::parse2(item)?;
    let Item::Fn(function) = item else {
        return Err(Error::new_spanned(item, format!("`#[{attribute}]` is only allowed on a function")));
    };
    let signature = &function.sig;
    let refuse = |tokens: &dyn ToTokens, why: &str| {
        Err(Error::new_spanned(tokens.to_token_stream(), format!("a {attribute} is a plain function: {why}")))
    };
    if let Some(keyword) = &signature.asyncness {
        return refuse(keyword, "it cannot be `async`, host calls return when they are done");
    }
    if let Some(keyword) = &signature.unsafety {
        return refuse(keyword, "it cannot be `unsafe`");
    }
    if let Some(abi) = &signature.abi {
        return refuse(abi, "it cannot have an ABI");
    }
    if !signature.generics.params.is_empty() {
        return refuse(
            &signature.generics.params,
            "it cannot have generic parameters, because its types are described in a schema",
        );
    }
    Ok(function)
}

/// Returns the type of the only argument, or `None` if there is none.
pub(crate) fn only_argument<'a>(attribute: &str, function: &'a ItemFn) -> Result<Option<&'a Type>> {
    let mut arguments = function.sig.inputs.iter();
    let first = arguments.next();
    if let Some(second) = arguments.next() {
        let message = format!("a {attribute} takes one value: put the fields into one struct");
        return Err(Error::new_spanned(second, message));
    }
    match first {
        None => Ok(None),
        Some(FnArg::Receiver(receiver)) => {
            Err(Error::new_spanned(receiver, format!("a {attribute} is a free function, not a method")))
        }
        Some(FnArg::Typed(argument)) => match argument.ty.as_ref() {
            Type::Reference(_) | Type::ImplTrait(_) => {
                let message = format!("a {attribute} owns its input: write the type without `&` or `impl`");
                Err(Error::new_spanned(&argument.ty, message))
            }
            owned => Ok(Some(owned)),
        },
    }
}

/// Returns the return type, or `None` for `()`.
pub(crate) fn return_type(function: &ItemFn) -> Option<&Type> {
    match &function.sig.output {
        ReturnType::Default => None,
        ReturnType::Type(_, returned) => Some(returned),
    }
}

/// Returns whether a type is spelled as some `Result`, which includes aliases of that name.
pub(crate) fn is_result(returned: &Type) -> bool {
    match returned {
        Type::Path(path) => path.path.segments.last().is_some_and(|segment| segment.ident == "Result"),
        Type::Paren(inner) => is_result(&inner.elem),
        Type::Group(inner) => is_result(&inner.elem),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::quote;

    fn error(item: TokenStream) -> String {
        plain_function("tool", item)
            .and_then(|function| only_argument("tool", &function).map(|_| ()))
            .unwrap_err()
            .to_string()
    }

    #[test]
    fn refused_with_the_reason() {
        for (item, part) in [
            (
                quote!(
                    struct A;
                ),
                "`#[tool]` is only allowed on a function",
            ),
            (
                quote!(
                    async fn a() {}
                ),
                "cannot be `async`",
            ),
            (
                quote!(
                    unsafe fn a() {}
                ),
                "cannot be `unsafe`",
            ),
            (
                quote!(
                    extern "C" fn a() {}
                ),
                "cannot have an ABI",
            ),
            (
                quote!(
                    fn a<T>(x: T) {}
                ),
                "cannot have generic parameters",
            ),
            (
                quote!(
                    fn a(x: u8, y: u8) {}
                ),
                "put the fields into one struct",
            ),
            (
                quote!(
                    fn a(&self) {}
                ),
                "not a method",
            ),
            (
                quote!(
                    fn a(x: &str) {}
                ),
                "without `&`",
            ),
            (
                quote!(
                    fn a(x: impl Copy) {}
                ),
                "without `&` or `impl`",
            ),
        ] {
            let message = error(item);
            assert!(message.contains(part), "{message}");
        }
    }

    #[test]
    fn results_are_seen_by_name() {
        for (text, expected) in [
            ("Result<u8, E>", true),
            ("std::result::Result<u8, E>", true),
            ("palyra_plugins_sdk::Result<u8>", true),
            ("(Result<u8, E>)", true),
            ("u8", false),
            ("Option<Result<u8, E>>", false),
            ("(u8, u8)", false),
        ] {
            assert_eq!(is_result(&syn::parse_str(text).unwrap()), expected, "{text}");
        }
    }
}
