//! `name = value` lists of an attribute.

use proc_macro2::{Span, TokenStream};
use syn::parse::{Parse, ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Error, Expr, ExprLit, Ident, Lit, LitStr, Result, Token};

/// The arguments of one attribute, which are removed when they are read.
pub(crate) struct Arguments {
    attribute: &'static str,
    entries: Vec<(Ident, Expr)>,
}

impl Arguments {
    /// Reads `name = value, …`.
    pub(crate) fn parse(attribute: &'static str, tokens: TokenStream) -> Result<Self> {
        let entries = Punctuated::<Entry, Token![,]>::parse_terminated.parse2(tokens)?;
        let mut arguments = Self { attribute, entries: Vec::new() };
        for Entry(name, value) in entries {
            if arguments.entries.iter().any(|(known, _)| *known == name) {
                return Err(Error::new(name.span(), format!("`{name}` is given twice")));
            }
            arguments.entries.push((name, value));
        }
        Ok(arguments)
    }

    /// Removes a required argument and returns its text.
    pub(crate) fn take_string(&mut self, name: &str) -> Result<LitStr> {
        let value = self.take(name)?;
        string_literal(&value)
            .ok_or_else(|| Error::new(value.span(), format!("`{name}` is a string in double quotes")))
    }

    /// Removes a required list argument and returns its texts, at least one.
    pub(crate) fn take_strings(&mut self, name: &str) -> Result<Vec<LitStr>> {
        let value = self.take(name)?;
        let bad = |span: Span| {
            Error::new(
                span,
                format!(
                    "`{name}` is a list of strings, for example `{name} = \
                [\"…\"]`"
                ),
            )
        };
        let Expr::Array(array) = &value else { return Err(bad(value.span())) };
        if array.elems.is_empty() {
            return Err(Error::new(value.span(), format!("`{name}` is empty")));
        }
        array.elems.iter().map(|element| string_literal(element).ok_or_else(|| bad(element.span()))).collect()
    }

    /// Rejects arguments that the macro does not know.
    pub(crate) fn finish(self) -> Result<()> {
        match self.entries.first() {
            None => Ok(()),
            Some((name, _)) => {
                Err(Error::new(name.span(), format!("`#[{}]` has no argument `{name}`", self.attribute)))
            }
        }
    }

    fn take(&mut self, name: &str) -> Result<Expr> {
        let Some(index) = self.entries.iter().position(|(known, _)| known == name) else {
            let message = format!("`#[{}]` needs `{name} = …`", self.attribute);
            return Err(Error::new(Span::call_site(), message));
        };
        Ok(self.entries.remove(index).1)
    }
}

struct Entry(Ident, Expr);

impl Parse for Entry {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let name = input.parse()?;
        input.parse::<Token![=]>()?;
        Ok(Self(name, input.parse()?))
    }
}

fn string_literal(expression: &Expr) -> Option<LitStr> {
    match expression {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.clone()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::quote;

    #[test]
    fn taken_one_by_one() {
        let mut arguments = Arguments::parse("hook", quote!(events = ["a:b", "c:d"], id = "x.y",)).unwrap();
        assert_eq!(arguments.take_string("id").unwrap().value(), "x.y");
        let events: Vec<String> =
            arguments.take_strings("events").unwrap().iter().map(LitStr::value).collect();
        assert_eq!(events, ["a:b", "c:d"]);
        arguments.finish().unwrap();
    }

    #[test]
    fn refused() {
        let error = |tokens: TokenStream| {
            let taken = Arguments::parse("tool", tokens).and_then(|mut arguments| {
                arguments.take_string("id")?;
                arguments.take_strings("events")?;
                arguments.finish()
            });
            taken.unwrap_err().to_string()
        };
        assert_eq!(error(quote!()), "`#[tool]` needs `id = …`");
        assert_eq!(error(quote!(id = 1)), "`id` is a string in double quotes");
        assert_eq!(error(quote!(id = "a", id = "b")), "`id` is given twice");
        assert_eq!(error(quote!(id = "a", events = [])), "`events` is empty");
        assert_eq!(
            error(quote!(id = "a", events = [1])),
            "`events` is a list of strings, for example `events = [\"…\"]`"
        );
        assert_eq!(
            error(quote!(id = "a", events = "b")),
            "`events` is a list of strings, for example `events = [\"…\"]`"
        );
        assert_eq!(
            error(quote!(id = "a", events = ["b"], color = "red")),
            "`#[tool]` has no argument `color`"
        );
    }
}
