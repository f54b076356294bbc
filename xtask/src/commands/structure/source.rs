//! The production source files of the workspace, parsed, without their tests.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Attribute, Item, Meta};

/// A file of `src` without its test items.
pub(super) struct Source {
    /// Path relative to the root of the project.
    pub(super) path: String,
    pub(super) items: Vec<Item>,
    /// Number of lines of code, without blank lines, comments and tests.
    pub(super) code_lines: usize,
}

/// Reads all files of `src` of the workspace's crates, sorted by path.
pub(super) fn read_workspace(root: &Path) -> Result<Vec<Source>> {
    let mut paths = BTreeSet::new();
    for crates in ["crates", "xtask"] {
        collect(&root.join(crates), &mut paths)?;
    }
    let mut tests = BTreeSet::new();
    let mut sources = Vec::new();
    for path in paths {
        let text =
            std::fs::read_to_string(&path).with_context(|| format!("cannot read `{}`", path.display()))?;
        let file = syn::parse_file(&text).with_context(|| format!("cannot parse `{}`", path.display()))?;
        let (test_items, items): (Vec<_>, Vec<_>) = file.items.into_iter().partition(is_test);
        tests.extend(test_items.iter().filter_map(|item| module_file(&path, item)));
        let name = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().into_owned();
        let code_lines = count_code_lines(&text);
        sources.push((path, Source { path: name, items, code_lines }));
    }
    let is_test_file =
        |path: &Path| tests.iter().any(|test| path.starts_with(test) || path == test.with_extension("rs"));
    Ok(sources.into_iter().filter(|(path, _)| !is_test_file(path)).map(|(_, source)| source).collect())
}

/// Adds the Rust files below every `src` folder.
fn collect(directory: &Path, paths: &mut BTreeSet<PathBuf>) -> Result<()> {
    let entries =
        std::fs::read_dir(directory).with_context(|| format!("cannot list `{}`", directory.display()))?;
    for entry in entries {
        let path = entry.with_context(|| format!("cannot list `{}`", directory.display()))?.path();
        if path.is_dir() {
            let outside_src = !path.components().any(|part| part.as_os_str() == "src");
            let is_tests =
                outside_src && ["tests", "examples", "target"].iter().any(|name| path.ends_with(name));
            if !is_tests {
                collect(&path, paths)?;
            }
        } else if path.extension().is_some_and(|extension| extension == "rs")
            && path.components().any(|part| part.as_os_str() == "src")
        {
            paths.insert(path);
        }
    }
    Ok(())
}

/// Returns the path of the file of a module without a body, without its extension.
fn module_file(path: &Path, item: &Item) -> Option<PathBuf> {
    let Item::Mod(module) = item else { return None };
    let head = ["lib", "main", "mod"].iter().any(|name| path.file_stem().is_some_and(|stem| stem == *name));
    let folder = if head { path.parent()?.to_path_buf() } else { path.with_extension("") };
    module.content.is_none().then(|| folder.join(module.ident.to_string()))
}

/// Counts lines up to the test module, which is the last item of a file.
fn count_code_lines(text: &str) -> usize {
    let production = text.split("\n#[cfg(test)]\nmod tests {").next().unwrap_or(text);
    let is_code = |line: &str| !line.is_empty() && !line.starts_with("//");
    production.lines().map(str::trim).filter(|line| is_code(line)).count()
}

fn is_test(item: &Item) -> bool {
    attributes(item).iter().any(|attribute| match &attribute.meta {
        Meta::List(list) => list.path.is_ident("cfg") && list.tokens.to_string() == "test",
        Meta::Path(path) => path.is_ident("test"),
        Meta::NameValue(_) => false,
    })
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        Item::Const(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        _ => &[],
    }
}

/// The way a name is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Use {
    /// `.name(` or `.name::<`.
    Method,
    /// `::name`, and a path in the text of an attribute.
    Path,
    /// Any other use except a definition.
    Bare,
}

impl Source {
    /// Calls `visit` with every identifier of the file, without documentation and string literals.
    pub(super) fn each_identifier(&self, visit: &mut dyn FnMut(String)) {
        for item in &self.items {
            walk(item.to_token_stream(), visit);
        }
    }

    /// Calls `visit` with every use of a name, without imports, re-exports and definitions.
    pub(super) fn each_use(&self, visit: &mut dyn FnMut(String, Use)) {
        for item in &self.items {
            match item {
                // A renamed import hides the uses of the original name.
                Item::Use(item) => renamed(&item.tree, visit),
                item => walk_uses(item.to_token_stream(), visit),
            }
        }
    }
}

fn renamed(tree: &syn::UseTree, visit: &mut dyn FnMut(String, Use)) {
    match tree {
        syn::UseTree::Path(path) => renamed(&path.tree, visit),
        syn::UseTree::Group(group) => group.items.iter().for_each(|tree| renamed(tree, visit)),
        syn::UseTree::Rename(rename) => visit(rename.ident.to_string(), Use::Bare),
        syn::UseTree::Name(_) | syn::UseTree::Glob(_) => {}
    }
}

/// Tokens before a name that is defined, or that an `impl` block is about.
const DEFINING: [&str; 10] =
    ["fn", "struct", "enum", "trait", "type", "const", "static", "mod", "impl", "for"];

fn walk_uses(tokens: TokenStream, visit: &mut dyn FnMut(String, Use)) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let is = |at: Option<usize>, symbol: char| {
        at.and_then(|at| tokens.get(at))
            .is_some_and(|token| matches!(token, TokenTree::Punct(p) if p.as_char() == symbol))
    };
    for (at, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Ident(name) => {
                let before = at.checked_sub(1);
                let defines = matches!(before.map(|at| &tokens[at]), Some(TokenTree::Ident(word)) if DEFINING.iter().any(|defining| word == defining));
                let is_called = matches!(tokens.get(at + 1), Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis)
                    || is(Some(at + 1), ':');
                if is(before, ':') && is(at.checked_sub(2), ':') {
                    visit(name.to_string(), Use::Path);
                } else if is(before, '.') {
                    if is_called {
                        visit(name.to_string(), Use::Method);
                    }
                } else if !defines {
                    visit(name.to_string(), Use::Bare);
                }
            }
            TokenTree::Group(group)
                if group.delimiter() == Delimiter::Bracket && is(at.checked_sub(1), '#') =>
            {
                walk_uses(group.stream(), visit);
                walk_texts(group.stream(), visit);
            }
            TokenTree::Group(group) => walk_uses(group.stream(), visit),
            TokenTree::Literal(_) | TokenTree::Punct(_) => {}
        }
    }
}

/// Visits names of functions in strings, such as `#[serde(with = "module::name")]`.
fn walk_texts(tokens: TokenStream, visit: &mut dyn FnMut(String, Use)) {
    for token in tokens {
        match token {
            TokenTree::Group(group) => walk_texts(group.stream(), visit),
            TokenTree::Literal(literal) => {
                let text = literal.to_string();
                let path = text.trim_matches('"');
                if path.chars().all(|c| c.is_alphanumeric() || c == '_' || c == ':') {
                    path.split("::").for_each(|name| visit(name.to_owned(), Use::Path));
                    // `with` names a module with these two functions.
                    ["serialize", "deserialize"]
                        .into_iter()
                        .for_each(|name| visit(name.to_owned(), Use::Path));
                }
            }
            TokenTree::Ident(_) | TokenTree::Punct(_) => {}
        }
    }
}

fn walk(tokens: TokenStream, visit: &mut dyn FnMut(String)) {
    for token in tokens {
        match token {
            TokenTree::Ident(identifier) => visit(identifier.to_string()),
            TokenTree::Group(group) => walk(group.stream(), visit),
            TokenTree::Literal(_) | TokenTree::Punct(_) => {}
        }
    }
}
