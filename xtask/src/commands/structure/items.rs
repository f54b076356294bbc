//! Checks public items: the number of methods of a type, and items that no production code names.

use std::collections::BTreeMap;

use quote::ToTokens;
use syn::{ImplItem, Item, Visibility};

use super::source::{Source, Use};

/// Maximum number of public methods of a type.
const MOST_METHODS: usize = 25;

/// Crates whose public items are used by programs outside of this workspace, or by its tests.
const NOT_CHECKED: [&str; 4] =
    ["crates/palyra-plugins/sdk/", "crates/palyra-api/src/client", "crates/palyra-testkit/", "/src/testing"];

/// Returns types with more than [`MOST_METHODS`] public methods over all their `impl` blocks in one crate.
pub(super) fn large_types(sources: &[Source]) -> Vec<String> {
    let mut methods = BTreeMap::<(String, String), usize>::new();
    for source in sources {
        for item in &source.items {
            let Item::Impl(block) = item else { continue };
            if block.trait_.is_some() {
                continue;
            }
            let public = block
                .items
                .iter()
                .filter(|item| matches!(item, ImplItem::Fn(method) if is_public(&method.vis)));
            let name = block.self_ty.to_token_stream().to_string();
            *methods.entry((crate_of(&source.path), name)).or_default() += public.count();
        }
    }
    let mut large: Vec<_> = methods.into_iter().filter(|(_, count)| *count > MOST_METHODS).collect();
    large.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    large.into_iter().map(|((krate, name), count)| format!("{count:>4}  {name}  ({krate})")).collect()
}

/// Returns public functions, types and constants that no production code uses, except in definitions and re-exports.
///
/// Compares names and the syntax of their use: `.name(` calls a method, `::name` an associated function, and a bare
/// name is anything else. An unused item with the same name and syntax as a used one is not found, so the list is a
/// lower bound.
pub(super) fn uncalled(sources: &[Source]) -> Vec<String> {
    let mut uses = BTreeMap::<(String, Use), usize>::new();
    for source in sources {
        source.each_use(&mut |name, how| *uses.entry((name, how)).or_default() += 1);
    }
    let is_used =
        |(name, ways): &(String, &[Use])| ways.iter().any(|how| uses.contains_key(&(name.clone(), *how)));
    let checked = sources.iter().filter(|source| !NOT_CHECKED.iter().any(|part| source.path.contains(part)));
    checked
        .flat_map(|source| public_items(&source.items).into_iter().map(move |item| (source, item)))
        .filter(|(_, item)| !is_used(item))
        .map(|(source, (name, _))| format!("{name}  ({})", source.path))
        .collect()
}

/// Returns public items with the syntax of their possible uses.
fn public_items(items: &[Item]) -> Vec<(String, &'static [Use])> {
    const ANY: &[Use] = &[Use::Bare, Use::Path];
    let mut found: Vec<(String, &[Use])> = Vec::new();
    let mut add = |visibility: &Visibility, name: &syn::Ident, ways| {
        if is_public(visibility) {
            found.push((name.to_string(), ways));
        }
    };
    for item in items {
        match item {
            Item::Fn(item) => add(&item.vis, &item.sig.ident, ANY),
            Item::Const(item) => add(&item.vis, &item.ident, ANY),
            Item::Struct(item) => add(&item.vis, &item.ident, ANY),
            Item::Enum(item) => add(&item.vis, &item.ident, ANY),
            Item::Trait(item) => add(&item.vis, &item.ident, ANY),
            Item::Type(item) => add(&item.vis, &item.ident, ANY),
            Item::Impl(block) if block.trait_.is_none() => {
                for item in &block.items {
                    match item {
                        ImplItem::Fn(method) if method.sig.receiver().is_some() => {
                            add(&method.vis, &method.sig.ident, &[Use::Method, Use::Path]);
                        }
                        ImplItem::Fn(function) => add(&function.vis, &function.sig.ident, &[Use::Path]),
                        ImplItem::Const(constant) => add(&constant.vis, &constant.ident, &[Use::Path]),
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }
    found
}

fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

/// Returns the directory of the crate that a file belongs to.
fn crate_of(path: &str) -> String {
    path.split("/src/").next().unwrap_or(path).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(path: &str, text: &str) -> Source {
        let file = syn::parse_file(text).unwrap();
        Source { path: path.into(), items: file.items, code_lines: 0 }
    }

    #[test]
    fn uncalled_lists_items_that_only_reexports_name() {
        let sources = [
            source("crates/a/src/lib.rs", "pub use b::{used, unused};"),
            source("crates/a/src/b.rs", "pub fn used() {} pub fn unused() {} fn private() {}"),
            source("crates/c/src/lib.rs", "fn f() { used(); }"),
        ];
        assert_eq!(uncalled(&sources), ["unused  (crates/a/src/b.rs)"]);
    }

    #[test]
    fn definitions_fields_and_locals_of_one_name_are_no_callers() {
        let sources = [
            source(
                "crates/a/src/a.rs",
                "pub struct A { pub size: u8 } impl A { pub fn size(&self) -> u8 { self.size } }",
            ),
            source(
                "crates/a/src/b.rs",
                "pub struct B; impl B { pub fn size(&self) -> u8 { 1 } pub fn make() -> Self { B } }",
            ),
            source(
                "crates/a/src/c.rs",
                "fn f(a: A) { let size = 1; g(size); #[serde(with = \"x::kept\")] struct S; }",
            ),
            source(
                "crates/a/src/d.rs",
                "pub fn kept() {} pub const USED: u8 = 1; fn h() { [1].map(A::same); m!(USED); }",
            ),
            source("crates/a/src/e.rs", "impl A { pub fn same(self) {} }"),
        ];
        assert_eq!(
            uncalled(&sources),
            ["size  (crates/a/src/a.rs)", "size  (crates/a/src/b.rs)", "make  (crates/a/src/b.rs)"]
        );
    }

    #[test]
    fn large_types_counts_public_methods_over_all_blocks() {
        let block = |from: usize| {
            let methods: String =
                (from..from + 13).map(|number| format!("pub fn m{number}(&self) {{}} ")).collect();
            format!("impl State {{ {methods} fn private(&self) {{}} }}")
        };
        let sources = [source("crates/s/src/a.rs", &block(0)), source("crates/s/src/b.rs", &block(20))];
        assert_eq!(large_types(&sources), ["  26  State  (crates/s)"]);
        assert!(large_types(&sources[..1]).is_empty());
    }
}
