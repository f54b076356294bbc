//! `cargo xtask docs`

mod links;

use std::path::PathBuf;

use anyhow::{Result, bail};

use crate::{output, project, shell};

/// Version of mdBook that is installed if there is none.
const VERSION: &str = "^0.5";

/// Check the links of all documents and build the book of `docs` into target/book
///
/// Uses `mdbook` from the path, or installs it below `target` once.
///
/// Example: cargo xtask docs
#[derive(clap::Args)]
pub(super) struct Args {
    /// Check links only
    #[arg(long)]
    check: bool,
}

pub(super) fn run(args: Args) -> Result<()> {
    check()?;
    if args.check {
        return Ok(());
    }
    let mut build = shell::command(mdbook()?);
    build.args(["build", "docs"]);
    shell::run(build)?;
    output::line(&format!("written to {}", project::target().join("book/index.html").display()));
    Ok(())
}

/// Fails if a document has a broken link, or a page is missing in the book.
pub(super) fn check() -> Result<()> {
    let broken = links::broken(&project::root())?;
    for link in &broken {
        output::line(&format!("error: {link}"));
    }
    match broken.len() {
        0 => Ok(()),
        count => bail!("{count} links or pages of the documents are broken"),
    }
}

fn mdbook() -> Result<PathBuf> {
    let tools = project::target().join("tools");
    let installed = tools.join("bin/mdbook");
    if std::process::Command::new("mdbook").arg("--version").output().is_ok() {
        return Ok("mdbook".into());
    }
    if !installed.exists() {
        let mut install = shell::cargo();
        install.args(["install", "--locked", "mdbook", "--version", VERSION, "--root"]).arg(&tools);
        shell::run(install)?;
    }
    Ok(installed)
}
