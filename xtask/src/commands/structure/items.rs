//! Checks public items: the number of methods of a type, and items that no production code names.

use std::collections::BTreeMap;

use quote::ToTokens;
use syn::{ImplItem, Item, Visibility};

use super::source::Source;

/// Maximum number of public methods of a type.
const MOST_METHODS: usize = 25;

/// Crates whose public items are for programs outside of this workspace.
const PUBLISHED: [&str; 2] = ["crates/palyra-plugins/sdk/", "crates/palyra-api/src/client"];

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

/// Public functions, types and constants whose name no production code uses besides the definition.
///
/// Goes by names: an item that shares its name with a used one is not found, so the list is a lower bound.
pub(super) fn uncalled(sources: &[Source]) -> Vec<String> {
    let mut uses = BTreeMap::<String, usize>::new();
    for source in sources {
        source.each_identifier(&mut |name| *uses.entry(name).or_default() += 1);
    }
    let reexports = reexported(sources);
    let mut found = Vec::new();
    for source in sources.iter().filter(|source| !PUBLISHED.iter().any(|path| source.path.starts_with(path)))
    {
        for name in public_names(&source.items) {
            // A definition and its re-exports are no callers.
            let besides = uses.get(&name).copied().unwrap_or(0) - 1;
            if besides <= reexports.get(&name).copied().unwrap_or(0) {
                found.push(format!("{name}  ({})", source.path));
            }
        }
    }
    found
}

fn public_names(items: &[Item]) -> Vec<String> {
    let mut names = Vec::new();
    for item in items {
        match item {
            Item::Fn(item) if is_public(&item.vis) => names.push(item.sig.ident.to_string()),
            Item::Const(item) if is_public(&item.vis) => names.push(item.ident.to_string()),
            Item::Struct(item) if is_public(&item.vis) => names.push(item.ident.to_string()),
            Item::Enum(item) if is_public(&item.vis) => names.push(item.ident.to_string()),
            Item::Trait(item) if is_public(&item.vis) => names.push(item.ident.to_string()),
            Item::Type(item) if is_public(&item.vis) => names.push(item.ident.to_string()),
            Item::Impl(block) if block.trait_.is_none() => {
                names.extend(block.items.iter().filter_map(|item| match item {
                    ImplItem::Fn(method) if is_public(&method.vis) => Some(method.sig.ident.to_string()),
                    _ => None,
                }));
            }
            _ => {}
        }
    }
    names
}

/// How often each name occurs in `use` items.
fn reexported(sources: &[Source]) -> BTreeMap<String, usize> {
    let mut names = BTreeMap::new();
    for item in sources.iter().flat_map(|source| &source.items) {
        if let Item::Use(item) = item
            && is_public(&item.vis)
        {
            count_names(&item.tree, &mut names);
        }
    }
    names
}

fn count_names(tree: &syn::UseTree, names: &mut BTreeMap<String, usize>) {
    match tree {
        syn::UseTree::Path(path) => count_names(&path.tree, names),
        syn::UseTree::Group(group) => group.items.iter().for_each(|tree| count_names(tree, names)),
        syn::UseTree::Name(name) => *names.entry(name.ident.to_string()).or_default() += 1,
        syn::UseTree::Rename(rename) => *names.entry(rename.ident.to_string()).or_default() += 1,
        syn::UseTree::Glob(_) => {}
    }
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
