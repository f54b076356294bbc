//! `cargo xtask structure`

mod arrows;
mod items;
mod names;
mod source;
mod test_files;

use anyhow::{Context, Result, bail};

use crate::{output, project};
use source::Source;

/// Identifiers that may contain a listed word, with the reason.
const ALLOWED_NAMES: &str = "xtask/allowed-names.txt";

/// Check crate dependencies, names and test files, and report sizes and items without a caller
///
/// Fails where a crate imports one that ARCHITECTURE.md does not let it import, where an identifier contains a word that
/// names nothing (`xtask/allowed-names.txt` lists the exceptions), and where no module declares a file of tests.
/// Everything else is a report.
///
/// Example: cargo xtask structure
/// Example: cargo xtask structure --most 40
#[derive(clap::Args)]
pub(super) struct Args {
    /// Maximum number of rows per report
    #[arg(long, value_name = "N", default_value_t = 10)]
    most: usize,
}

pub(super) fn run(args: Args) -> Result<()> {
    let sources = source::read_workspace(&project::root())?;
    report_sizes(&sources, args.most);
    report("types with more than 25 public methods", &items::large_types(&sources), args.most);
    report("public items without a production caller", &items::uncalled(&sources), args.most);
    check_rules(&sources)
}

/// Checks the rules that fail a run, without the reports.
pub(super) fn check() -> Result<()> {
    check_rules(&source::read_workspace(&project::root())?)
}

fn check_rules(sources: &[Source]) -> Result<()> {
    let root = project::root();
    let allowed = std::fs::read_to_string(root.join(ALLOWED_NAMES))
        .with_context(|| format!("cannot read `{ALLOWED_NAMES}`"))?;
    let mut failures = arrows::check(&root)?;
    failures.extend(names::check(sources, &allowed));
    failures.extend(test_files::check(&root)?);
    for failure in &failures {
        output::line(&format!("error: {failure}"));
    }
    match failures.len() {
        0 => Ok(()),
        count => bail!("{count} structure rules are broken"),
    }
}

fn report_sizes(sources: &[Source], most: usize) {
    let total: usize = sources.iter().map(|source| source.code_lines).sum();
    output::line(&format!(
        "{total} lines of code in {} files (no blank, comment or test lines)",
        sources.len()
    ));
    let mut largest: Vec<_> = sources.iter().collect();
    largest.sort_by_key(|source| std::cmp::Reverse(source.code_lines));
    let rows: Vec<_> =
        largest.iter().map(|source| format!("{:>5}  {}", source.code_lines, source.path)).collect();
    report("largest files", &rows[..most.min(rows.len())], most);
}

fn report(title: &str, rows: &[String], most: usize) {
    output::line(&format!("\n{title}: {}", rows.len()));
    for row in rows.iter().take(most) {
        output::line(&format!("  {row}"));
    }
    if rows.len() > most {
        output::line(&format!("  and {} more; show them with `--most {}`", rows.len() - most, rows.len()));
    }
}
