//! Checks relative links in the project's Markdown files: the file and the heading must exist.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// Directories of documents, besides the Markdown files in the root.
const FOLDERS: [&str; 2] = ["docs", "docs/decisions"];

/// Describes every broken link, and every page of `docs` that the book does not include.
pub(super) fn broken(root: &Path) -> Result<Vec<String>> {
    let mut broken = Vec::new();
    for page in pages(root)? {
        let text = read(&page)?;
        let shown = page.strip_prefix(root).unwrap_or(&page).display().to_string();
        for (line, target) in links(&text) {
            if let Some(reason) = problem(&page, &target)? {
                broken.push(format!("{shown}:{line}: `{target}`: {reason}"));
            }
        }
    }
    broken.extend(unlisted_pages(root)?);
    Ok(broken)
}

fn pages(root: &Path) -> Result<Vec<PathBuf>> {
    let mut pages = Vec::new();
    for folder in std::iter::once(root.to_path_buf()).chain(FOLDERS.map(|folder| root.join(folder))) {
        for entry in
            std::fs::read_dir(&folder).with_context(|| format!("cannot read `{}`", folder.display()))?
        {
            let path = entry?.path();
            if path.extension().is_some_and(|extension| extension == "md") {
                pages.push(path);
            }
        }
    }
    pages.sort();
    Ok(pages)
}

fn unlisted_pages(root: &Path) -> Result<Vec<String>> {
    let summary = read(&root.join("docs/SUMMARY.md"))?;
    let listed: BTreeSet<String> = links(&summary).into_iter().map(|(_, target)| target).collect();
    let docs = root.join("docs");
    let missing = pages(root)?
        .into_iter()
        .filter_map(|page| Some(page.strip_prefix(&docs).ok()?.to_str()?.to_owned()))
        .filter(|name| name != "SUMMARY.md" && !listed.contains(name))
        .map(|name| format!("docs/{name}: not listed in docs/SUMMARY.md"));
    Ok(missing.collect())
}

/// Returns the problem of a relative link, if there is one.
fn problem(page: &Path, target: &str) -> Result<Option<&'static str>> {
    if target.contains("://") || target.starts_with("mailto:") {
        return Ok(None);
    }
    let (file, heading) = target.split_once('#').unwrap_or((target, ""));
    let file =
        if file.is_empty() { page.to_path_buf() } else { page.parent().unwrap_or(Path::new(".")).join(file) };
    if !file.exists() {
        return Ok(Some("no such file"));
    }
    if heading.is_empty() || headings(&read(&file)?).contains(heading) {
        return Ok(None);
    }
    Ok(Some("no such heading"))
}

/// Returns the targets of inline links with their line numbers, except in code.
fn links(text: &str) -> Vec<(usize, String)> {
    let mut links = Vec::new();
    for (number, line) in prose(text) {
        // A line is split at backticks, so every second part is code.
        let outside: String =
            line.split('`').enumerate().map(|(i, part)| if i % 2 == 0 { part } else { "x" }).collect();
        for part in outside.split("](").skip(1) {
            if let Some((target, _)) = part.split_once(')') {
                links.push((number, target.to_owned()));
            }
        }
    }
    links
}

/// Returns the anchors of a page, in the form of code hosts and mdBook.
fn headings(text: &str) -> BTreeSet<String> {
    prose(text)
        .filter_map(|(_, line)| line.strip_prefix('#'))
        .map(|line| anchor(line.trim_start_matches('#')))
        .collect()
}

fn anchor(heading: &str) -> String {
    let kept = |c: &char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
    heading.trim().to_lowercase().chars().filter(kept).map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// Returns the lines of a page outside of code blocks, with their numbers.
fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut code = false;
    text.lines().enumerate().filter_map(move |(index, line)| {
        let fence = line.trim_start().starts_with("```");
        code ^= fence;
        (!code && !fence).then_some((index + 1, line))
    })
}

fn read(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).with_context(|| format!("cannot read `{}`", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_in_code_are_not_links() {
        let text = "a [b](c.md#d) `[e](f)`\n```\n[g](h)\n```\n[`i`](j) [k](https://l)\n";
        let found: Vec<_> =
            links(text).into_iter().map(|(line, target)| format!("{line} {target}")).collect();
        assert_eq!(found, ["1 c.md#d", "5 j", "5 https://l"]);
    }

    #[test]
    fn anchors_are_lower_case_words_with_hyphens() {
        assert_eq!(anchor(" `[compat]` and more, or less"), "compat-and-more-or-less");
    }

    #[test]
    fn missing_files_and_headings_are_broken() {
        let folder = tempfile::tempdir().unwrap();
        let docs = folder.path().join("docs");
        std::fs::create_dir_all(docs.join("decisions")).unwrap();
        std::fs::write(docs.join("SUMMARY.md"), "[a](a.md)\n").unwrap();
        std::fs::write(docs.join("a.md"), "# One\n[x](#one) [y](#two) [z](b.md) [v](../docs/a.md#one)\n")
            .unwrap();
        std::fs::write(docs.join("lost.md"), "").unwrap();
        let expected = [
            "docs/a.md:2: `#two`: no such heading",
            "docs/a.md:2: `b.md`: no such file",
            "docs/lost.md: not listed in docs/SUMMARY.md",
        ];
        assert_eq!(broken(folder.path()).unwrap(), expected);
    }
}
